"""`torch.nn.functional`, and the functions of `torch` and methods of `Tensor` that are the same."""
