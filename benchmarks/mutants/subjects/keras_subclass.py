"""A subclass of keras.Model, trained with a gradient tape on a data set."""

import tensorflow as tf


class Block(tf.keras.layers.Layer):
    def __init__(self, filters):
        super().__init__()
        self.first = tf.keras.layers.Conv2D(filters, 3, padding="same")
        self.second = tf.keras.layers.Conv2D(filters, 1)
        self.norm = tf.keras.layers.GroupNormalization(4)

    def call(self, x):
        y = tf.nn.relu(self.first(x))
        y = self.norm(self.second(y))
        return x + y


class Net(tf.keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.stem = tf.keras.layers.Conv2D(16, 3, strides=2)
        self.block = Block(16)
        self.head = tf.keras.layers.Dense(classes)

    def call(self, x):
        x = self.block(self.stem(x))
        x = tf.transpose(x, [0, 3, 1, 2])
        x = tf.reshape(x, [-1, 16, 7 * 7])
        x = tf.reduce_mean(x, axis=2)
        return self.head(x)


images = tf.random.normal((24, 16, 16, 3))
labels = tf.range(24) % 5
data = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(24).batch(8)
net = Net(5)
loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.SGD(0.01)
for x, y in data:
    with tf.GradientTape() as tape:
        logits = net(x)
        loss = loss_of(y, logits)
        loss += tf.reduce_mean(tf.square(tf.one_hot(y, 5) - tf.nn.softmax(logits, axis=-1)))
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
