"""Compilation of function and class definitions to closures."""
