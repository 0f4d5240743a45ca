"""Patterns of operations that are one layer or one function: a table, with the patterns of a family in one file."""
