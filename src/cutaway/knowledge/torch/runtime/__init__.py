"""What surrounds a network in PyTorch: devices, gradients, compilers, data, optimizers."""
