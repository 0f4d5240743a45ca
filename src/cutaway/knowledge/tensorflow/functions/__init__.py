"""Tensor functions of TensorFlow, a file for each family."""
