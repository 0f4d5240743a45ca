"""A functional U-Net with skip connections."""

import keras
from keras import layers


def stage(x, filters):
    for _ in range(2):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.Activation("relu")(layers.BatchNormalization()(x))
    return x


image = keras.Input((64, 64, 3))
x, skips = image, []
for filters in (16, 32, 64):
    x = stage(x, filters)
    skips.append(x)
    x = layers.MaxPooling2D()(x)
x = stage(x, 128)
for filters in (64, 32, 16):
    x = layers.Conv2DTranspose(filters, 2, strides=2)(x)
    x = stage(layers.Concatenate()([skips.pop(), x]), filters)
model = keras.Model(image, layers.Conv2D(4, 1, activation="softmax")(x))
