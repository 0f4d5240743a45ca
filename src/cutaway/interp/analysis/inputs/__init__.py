"""The inputs of a network: those that are given, conventional, or inferred by trials."""
