"""What `einops` contains, over the tensors of PyTorch."""
