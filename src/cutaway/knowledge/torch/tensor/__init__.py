"""Tensors of PyTorch: types, promotion, memory, and how an operation becomes a row."""
