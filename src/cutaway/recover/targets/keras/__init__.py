"""Keras source: how the nodes of a graph are written with Keras's layers and operations."""
