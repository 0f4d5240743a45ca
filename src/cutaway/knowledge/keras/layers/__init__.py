"""`keras.layers`, a file for each family."""
