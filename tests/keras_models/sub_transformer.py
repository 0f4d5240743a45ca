"""A subclassed text classifier with transformer blocks."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class Encoder(layers.Layer):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.attend = layers.MultiHeadAttention(num_heads=heads, key_dim=width)
        self.feed = keras.Sequential([layers.Dense(inner, activation="relu"), layers.Dense(width)])
        self.norms = [layers.LayerNormalization(epsilon=1e-6) for _ in range(2)]
        self.drop = layers.Dropout(0.1)

    def call(self, x, training=False):
        first, second = self.norms
        x = first(x + self.drop(self.attend(x, x), training=training))
        return second(x + self.drop(self.feed(x), training=training))


class Tokens(layers.Layer):
    def __init__(self, length, vocabulary, width):
        super().__init__()
        self.words = layers.Embedding(vocabulary, width)
        self.places = layers.Embedding(length, width)

    def call(self, ids):
        return self.words(ids) + self.places(tf.range(tf.shape(ids)[-1]))


class Classifier(keras.Model):
    def __init__(self, length=64, vocabulary=1000, width=32, depth=2):
        super().__init__()
        self.tokens = Tokens(length, vocabulary, width)
        self.encoders = [Encoder(width, 2, 64) for _ in range(depth)]
        self.pool = layers.GlobalAveragePooling1D()
        self.head = layers.Dense(2, activation="softmax")

    def call(self, ids, training=False):
        x = self.tokens(ids)
        for encoder in self.encoders:
            x = encoder(x, training=training)
        return self.head(self.pool(x))


model = Classifier()
