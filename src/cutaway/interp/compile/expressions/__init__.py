"""Compilation of expressions to closures, one file for each family."""
