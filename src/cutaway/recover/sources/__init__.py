"""Readers of networks into one graph in terms of PyTorch: a table of operators for each kind of source."""
