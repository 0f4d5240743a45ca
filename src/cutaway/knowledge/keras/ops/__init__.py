"""`keras.ops`: functions of tensors, a file for each family."""
