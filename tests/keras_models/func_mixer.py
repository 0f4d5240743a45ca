"""A functional model with depthwise convolutions, functions of keras.ops and a Lambda."""

import keras
from keras import layers


def block(x, f, k):
    x0 = x
    x = layers.DepthwiseConv2D(k, padding="same")(x)
    x = layers.Activation("gelu")(x)
    x = layers.BatchNormalization()(x)
    x = layers.Add()([x, x0])
    x = layers.Conv2D(f, 1)(x)
    return layers.BatchNormalization()(layers.Activation("gelu")(x))


i = layers.Input((32, 32, 3))
x = layers.Rescaling(scale=1.0 / 255)(i)
x = layers.Conv2D(32, 2, strides=2)(x)
for _ in range(3):
    x = block(x, 32, 5)
x = layers.Permute((3, 1, 2))(x)
x = layers.Reshape((32, -1))(x)
x = keras.ops.transpose(x, (0, 2, 1))
x = layers.LayerNormalization()(x)
x = layers.Lambda(lambda t: t[:, ::2] * 2.0)(x)
x = layers.GlobalMaxPooling1D()(x)
model = keras.Model(i, layers.Dense(10)(x))
