"""Compilation of statements to closures, one file for each family."""
