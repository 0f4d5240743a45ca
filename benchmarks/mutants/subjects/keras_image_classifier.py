"""A convolutional network of Keras, trained on arrays."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers


def build(classes, width=8):
    model = keras.Sequential()
    model.add(keras.Input(shape=(28, 28, 1)))
    model.add(layers.Conv2D(width, kernel_size=(3, 3), activation="relu"))
    model.add(layers.BatchNormalization(axis=-1))
    model.add(layers.MaxPooling2D(pool_size=(2, 2)))
    model.add(layers.Conv2D(width * 2, 3, strides=2, padding="same"))
    model.add(layers.Reshape((49, 16)))
    model.add(layers.Permute((2, 1)))
    model.add(layers.Flatten())
    model.add(layers.Dropout(0.25))
    model.add(layers.Dense(classes, activation="softmax"))
    return model


def main():
    images = np.random.rand(40, 28, 28).astype("float32")
    images = np.expand_dims(images, axis=-1)
    labels = keras.utils.to_categorical(np.arange(40) % 10, 10)
    model = build(10)
    model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    model.fit(images, labels, batch_size=16, epochs=1, verbose=0)
    scores = model.predict(images[:4], verbose=0)
    print(np.reshape(scores, (2, 20)))


if __name__ == "__main__":
    main()
