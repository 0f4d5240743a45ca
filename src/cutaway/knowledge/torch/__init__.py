"""PyTorch: what `torch` contains. Every file registers its own rows."""
