"""Code of a framework from a graph: what all share, and for each framework how its layers and functions are written."""
