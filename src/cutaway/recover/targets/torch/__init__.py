"""PyTorch source from blocks and classes."""
