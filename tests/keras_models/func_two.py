"""A functional model with three named inputs, masks, and two outputs."""

import keras
from keras import layers

title = keras.Input(shape=(None,), name="title", dtype="int32")
body = keras.Input(shape=(None,), name="body", dtype="int32")
tags = keras.Input(shape=(12,), name="tags")
t = layers.Embedding(1000, 64)(title)
b = layers.Embedding(1000, 64, mask_zero=True)(body)
t = layers.LSTM(128)(t)
b = layers.Bidirectional(layers.LSTM(32))(b)
x = layers.concatenate([t, b, tags])
priority = layers.Dense(1, name="priority")(x)
department = layers.Dense(4, name="department")(x)
model = keras.Model(
    inputs={"title": title, "body": body, "tags": tags}, outputs={"priority": priority, "department": department}
)
