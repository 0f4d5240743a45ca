"""Transfer learning: a frozen base of keras.applications below a new head."""

import tensorflow as tf
from tensorflow.keras import applications, layers, models, regularizers

base = applications.MobileNetV2(input_shape=(96, 96, 3), include_top=False, weights=None)
base.trainable = False
for layer in base.layers[-20:]:
    layer.trainable = not isinstance(layer, layers.BatchNormalization)
aug = tf.keras.Sequential([layers.RandomFlip("horizontal"), layers.RandomRotation(0.1)], name="aug")
inputs = tf.keras.Input((96, 96, 3))
x = aug(inputs)
x = applications.mobilenet_v2.preprocess_input(x)
x = base(x, training=False)
x = layers.GlobalAveragePooling2D()(x)
x = layers.Dense(64, activation="relu", kernel_regularizer=regularizers.l2(1e-4))(x)
x = layers.Dropout(0.3)(x)
model = models.Model(inputs, layers.Dense(7, activation="softmax")(x))
