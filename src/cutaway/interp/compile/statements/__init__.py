"""Statements to closures, a file for each family."""
