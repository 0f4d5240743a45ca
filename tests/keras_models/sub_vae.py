"""A variational autoencoder: functional halves in a subclassed model."""

import keras
from keras import layers, ops


class Sample(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.seeds = keras.random.SeedGenerator(7)

    def call(self, moments):
        mean, log_variance = moments
        noise = keras.random.normal(shape=ops.shape(mean), seed=self.seeds)
        return mean + ops.exp(log_variance / 2) * noise


def encoder(size, latent):
    image = keras.Input((size, size, 1), name="image")
    x = image
    for filters in (16, 32):
        x = layers.Conv2D(filters, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Dense(24, activation="relu")(layers.Flatten()(x))
    moments = [layers.Dense(latent, name=name)(x) for name in ("mean", "log_variance")]
    return keras.Model(image, [*moments, Sample()(moments)], name="encoder")


def decoder(size, latent):
    code = keras.Input((latent,), name="code")
    x = layers.Reshape((size // 4, size // 4, 32))(layers.Dense(size * size * 2)(code))
    for filters in (32, 16):
        x = layers.Conv2DTranspose(filters, 3, strides=2, padding="same", activation="relu")(x)
    return keras.Model(code, layers.Conv2D(1, 3, padding="same", activation="sigmoid")(x), name="decoder")


class Autoencoder(keras.Model):
    def __init__(self, size=28, latent=3):
        super().__init__()
        self.encoder = encoder(size, latent)
        self.decoder = decoder(size, latent)
        self.tracker = keras.metrics.Mean(name="loss")

    def call(self, image):
        return self.decoder(self.encoder(image)[-1])


model = Autoencoder()
