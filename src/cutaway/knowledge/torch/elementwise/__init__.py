"""Elementwise functions of PyTorch, by their number of operands."""
