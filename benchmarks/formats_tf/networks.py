"""Twelve networks, each built by a function without arguments, which the real Keras saves in every format."""

from __future__ import annotations

import keras
from keras import layers


def mlp():
    return keras.Sequential(
        [
            keras.Input((20,), name="features"),
            layers.Dense(64, activation="relu"),
            layers.BatchNormalization(),
            layers.Dropout(0.3),
            layers.Dense(10, activation="softmax"),
        ],
        name="mlp",
    )


def residual_cnn():
    inputs = keras.Input((32, 32, 3), name="image")
    x = layers.Conv2D(16, 3, padding="same", use_bias=False)(inputs)
    x = layers.ReLU(max_value=6.0)(layers.BatchNormalization()(x))
    for width in (16, 32):
        shortcut = layers.Conv2D(width, 1, strides=2)(x)
        y = layers.SeparableConv2D(width, 3, padding="same", activation="relu")(x)
        y = layers.DepthwiseConv2D(3, padding="same", strides=2)(y)
        x = layers.Add()([shortcut, y])
        x = layers.LeakyReLU()(x)
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, layers.Dense(10)(x), name="residual_cnn")


def lstm():
    return keras.Sequential(
        [
            keras.Input((30, 8), name="series"),
            layers.LSTM(32, return_sequences=True),
            layers.Bidirectional(layers.LSTM(16)),
            layers.Dense(1),
        ],
        name="lstm",
    )


def gru_masking():
    inputs = keras.Input((None,), dtype="int32", name="tokens")
    x = layers.Embedding(1000, 24, mask_zero=True)(inputs)
    x = layers.GRU(32, return_sequences=True)(x)
    x = layers.Dense(8)(x)
    x = layers.GRU(16, reset_after=False)(x)
    return keras.Model(inputs, layers.Dense(2, activation="softmax")(x), name="gru_masking")


def transformer():
    inputs = keras.Input((16, 32), name="sequence")
    x = inputs
    for _ in range(2):
        y = layers.LayerNormalization()(x)
        y = layers.MultiHeadAttention(4, 8)(y, y)
        x = layers.Add()([x, y])
        y = layers.LayerNormalization()(x)
        y = layers.Dense(64, activation="gelu")(y)
        x = layers.Add()([x, layers.Dense(32)(y)])
    x = layers.GlobalAveragePooling1D()(x)
    return keras.Model(inputs, layers.Dense(5)(x), name="transformer")


def unet():
    inputs = keras.Input((None, None, 1), name="image")
    skips = []
    x = inputs
    for width in (8, 16):
        x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
        skips.append(x)
        x = layers.MaxPooling2D(2)(x)
    x = layers.Conv2D(32, 3, padding="same", activation="relu")(x)
    for width, skip in zip((16, 8), reversed(skips)):
        x = layers.Conv2DTranspose(width, 2, strides=2)(x)
        x = layers.Concatenate()([x, skip])
        x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
    x = layers.UpSampling2D(2)(x)
    return keras.Model(inputs, layers.Conv2D(1, 1, activation="sigmoid")(x), name="unet")


def shared_inputs():
    left = keras.Input((12,), name="left")
    right = keras.Input((12,), name="right")
    encoder = keras.Sequential([keras.Input((12,)), layers.Dense(8, activation="tanh")], name="encoder")
    shared = layers.Dense(6, name="shared")
    a, b = shared(encoder(left)), shared(encoder(right))
    distance = layers.Subtract()([a, b])
    joined = layers.Concatenate(axis=-1)([a, b, distance])
    score = layers.Dense(1, activation="sigmoid", name="score")(joined)
    dot = layers.Dot(axes=1, normalize=True, name="dot")([a, b])
    return keras.Model([left, right], [score, dot], name="shared_inputs")


def mobilenet():
    return keras.applications.MobileNetV2(weights=None, input_shape=(96, 96, 3), alpha=0.35, classes=10)


def resnet():
    return keras.applications.ResNet50(weights=None, input_shape=(64, 64, 3), classes=10)


def densenet():
    return keras.applications.DenseNet121(weights=None, input_shape=(64, 64, 3), classes=10)


def efficientnet():
    return keras.applications.EfficientNetB0(weights=None, input_shape=(64, 64, 3), classes=10)


def vgg():
    return keras.applications.VGG16(weights=None, input_shape=(32, 32, 3), classes=10)


NETWORKS = (
    mlp,
    residual_cnn,
    lstm,
    gru_masking,
    transformer,
    unet,
    shared_inputs,
    mobilenet,
    resnet,
    densenet,
    efficientnet,
    vgg,
)
