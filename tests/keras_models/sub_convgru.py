"""A recurrent convolution over the frames of a video, written out as a loop."""

import keras
from keras import layers, ops


class ConvGRUCell(layers.Layer):
    def __init__(self, filters, size, **kw):
        super().__init__(**kw)
        self.filters = filters
        self.state_size = filters
        self.gates = layers.Conv2D(2 * filters, size, padding="same", activation="sigmoid")
        self.cand = layers.Conv2D(filters, size, padding="same", activation="tanh")

    def call(self, x, h):
        zr = self.gates(ops.concatenate([x, h], axis=-1))
        z, r = ops.split(zr, 2, axis=-1)
        c = self.cand(ops.concatenate([x, r * h], axis=-1))
        return (1 - z) * h + z * c


class Video(keras.Model):
    def __init__(self):
        super().__init__()
        self.enc = layers.TimeDistributed(layers.Conv2D(8, 3, strides=2, padding="same", activation="relu"))
        self.cell = ConvGRUCell(16, 3)
        self.pool = layers.GlobalAveragePooling2D()
        self.out = layers.Dense(5)

    def call(self, x):
        f = self.enc(x)
        shape = ops.shape(f)
        h = ops.zeros((shape[0], f.shape[2], f.shape[3], 16))
        for t in range(f.shape[1]):
            h = self.cell(f[:, t], h)
        return self.out(self.pool(h))


model = Video()
