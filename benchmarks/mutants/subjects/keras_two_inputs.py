"""A functional network of Keras with two inputs and two outputs."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import Model, layers

words = layers.Input(shape=(12,), dtype="int32")
facts = layers.Input(shape=(6,))
x = layers.Embedding(100, 16)(words)
x = layers.Conv1D(24, 3, padding="causal")(x)
x = layers.LSTM(20, return_sequences=True)(x)
attended = layers.MultiHeadAttention(num_heads=2, key_dim=5)(x, x)
x = layers.Add()([x, attended])
x = layers.LayerNormalization(axis=-1)(x)
x = layers.GlobalAveragePooling1D()(x)
y = layers.Dense(20, activation="relu")(facts)
z = layers.Concatenate(axis=-1)([x, y])
z = layers.Dense(40)(z)
score = layers.Dense(1, activation="sigmoid", name="score")(z)
kind = layers.Dense(3, name="kind")(z)
model = Model(inputs=[words, facts], outputs=[score, kind])
model.compile(
    optimizer="adam",
    loss=[
        tf.keras.losses.BinaryCrossentropy(),
        tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    ],
)
tokens = np.arange(240).reshape(20, 12) % 100
numbers = np.random.normal(0.0, 1.0, size=(20, 6))
good = np.zeros((20, 1))
kinds = np.arange(20) % 3
model.fit([tokens, numbers], [good, kinds], batch_size=8, verbose=0)
