"""Definitions of functions and classes to closures."""
