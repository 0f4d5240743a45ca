"""Rules of TensorFlow's operations against runs of the real TensorFlow."""
