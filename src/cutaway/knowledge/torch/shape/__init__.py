"""Functions of PyTorch that rearrange, join and split tensors."""
