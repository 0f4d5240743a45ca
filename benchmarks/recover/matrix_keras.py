"""Eight small networks in Keras, one of each kind: what `benchmarks.recover.matrix` recovers from every format."""

import keras
from keras import layers, ops


def mlp(width: int = 16):
    return keras.Sequential(
        [
            keras.Input((8,)),
            layers.Dense(width, activation="relu"),
            layers.Dropout(0.1),
            layers.Dense(width, activation="tanh"),
            layers.Dense(3),
        ]
    )


def residual():
    inputs = keras.Input((32, 32, 3))
    x = layers.MaxPooling2D()(layers.Conv2D(8, 3, strides=2, padding="same")(inputs))
    for _ in range(3):
        y = layers.Conv2D(8, 3, padding="same", use_bias=False)(x)
        y = layers.ReLU()(layers.BatchNormalization()(y))
        y = layers.BatchNormalization()(layers.Conv2D(8, 3, padding="same", use_bias=False)(y))
        x = layers.ReLU()(layers.Add()([x, y]))
    return keras.Model(inputs, layers.Dense(4)(layers.GlobalAveragePooling2D()(x)))


def lstm():
    words = keras.Input((7,), dtype="int32")
    return keras.Model(words, layers.Dense(4)(layers.LSTM(10)(layers.Embedding(50, 12)(words))))


def gru():
    words = keras.Input((7,), dtype="int32")
    return keras.Model(words, layers.Dense(4)(layers.GRU(10)(layers.Embedding(50, 12)(words))))


def encoder():
    inputs = keras.Input((6, 16))
    x = inputs
    for _ in range(2):
        y = layers.LayerNormalization()(x)
        x = layers.Add()([x, layers.MultiHeadAttention(4, 4)(y, y)])
        y = layers.Dense(32, activation="gelu")(layers.LayerNormalization()(x))
        x = layers.Add()([x, layers.Dense(16)(y)])
    return keras.Model(inputs, layers.Dense(5)(layers.GlobalAveragePooling1D()(x)))


def block(x, channels: int):
    x = layers.BatchNormalization()(layers.Conv2D(channels, 3, padding="same")(x))
    return layers.ReLU()(x)


def u_net():
    inputs = keras.Input((32, 32, 3))
    one = block(inputs, 8)
    two = block(layers.MaxPooling2D()(one), 16)
    x = block(layers.MaxPooling2D()(two), 32)
    x = block(layers.Concatenate()([layers.Conv2DTranspose(16, 2, strides=2)(x), two]), 16)
    x = block(layers.Concatenate()([layers.Conv2DTranspose(8, 2, strides=2)(x), one]), 8)
    return keras.Model(inputs, layers.Conv2D(2, 1)(x))


def two_inputs():
    image, table = keras.Input((16, 16, 3), name="image"), keras.Input((5,), name="table")
    x = layers.GlobalAveragePooling2D()(layers.Conv2D(8, 3, strides=2, padding="same", activation="gelu")(image))
    y = layers.Activation("silu")(layers.LayerNormalization()(layers.Dense(8)(table)))
    return keras.Model([image, table], layers.Dense(3)(layers.Concatenate()([x, y])))


def siamese():
    tower = keras.Sequential(
        [keras.Input((16, 16, 3)), layers.Conv2D(6, 3, activation="relu"), layers.GlobalAveragePooling2D()]
    )
    left, right = keras.Input((16, 16, 3), name="left"), keras.Input((16, 16, 3), name="right")
    distance = ops.abs(layers.Subtract()([tower(left), tower(right)]))
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid")(distance))
