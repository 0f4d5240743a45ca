"""Graphs of operations as TensorFlow saves them: read, their functions inlined, their shapes inferred."""
