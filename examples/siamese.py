"""Two images compared by a shared encoder: a functional Keras model."""

import keras
from keras import layers


def encoder(size=32):
    image = keras.Input((size, size, 1), name="image")
    x = image
    for filters in (16, 32):
        x = layers.Conv2D(filters, 3, activation="relu")(x)
        x = layers.MaxPooling2D()(x)
    return keras.Model(image, layers.Dense(64)(layers.Flatten()(x)), name="encoder")


encode = encoder()
left, right = keras.Input((32, 32, 1), name="left"), keras.Input((32, 32, 1), name="right")
similarity = layers.Dot(axes=1, normalize=True)([encode(left), encode(right)])
model = keras.Model([left, right], layers.Dense(1, activation="sigmoid")(similarity), name="siamese")
