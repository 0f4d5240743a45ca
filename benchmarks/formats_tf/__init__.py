"""Saved files of TensorFlow and Keras: the same networks in every format, compared with their source; and fuzzing."""
