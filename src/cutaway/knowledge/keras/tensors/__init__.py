"""Tensors of Keras and TensorFlow: shapes, types, masks, and how an operation becomes a row."""
