"""Functions of PyTorch that make tensors."""
