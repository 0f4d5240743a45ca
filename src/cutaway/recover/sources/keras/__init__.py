"""Keras's operations in the terms of the graph: one row for each, in the file of its family."""
