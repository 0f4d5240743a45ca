"""Layers with weights of their own, in lists and dictionaries."""

import keras
from keras import ops


class Affine(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        self.matrix = self.add_weight(shape=(input_shape[-1], self.units), initializer="random_normal")
        self.shift = self.add_weight(shape=(self.units,), initializer="zeros", name="shift")
        self.seen = keras.Variable(initializer="zeros", shape=(), trainable=False, dtype="float32", name="seen")

    def call(self, x):
        return ops.matmul(x, self.matrix) + self.shift


class Experts(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.common = Affine(32)
        self.each = {name: keras.layers.Dense(4) for name in ("left", "right")}

    def call(self, x):
        x = ops.relu(self.common(x))
        return self.each["left"](x) + self.each["right"](x)


class Net(keras.Model):
    def __init__(self, depth=3):
        super().__init__(name="net")
        self.blocks = []
        for index in range(depth):
            self.blocks.append(Experts())
            setattr(self, f"norm_{index}", keras.layers.BatchNormalization())
        self.scale = self.add_weight(name="scale", shape=(4,), initializer="ones")

    def call(self, x):
        for index, block in enumerate(self.blocks):
            x = getattr(self, f"norm_{index}")(block(x))
        return x * self.scale


model = Net()
