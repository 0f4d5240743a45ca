"""Programs of TensorFlow 1: graphs, sessions, and layers as functions."""
