"""Lazy and eager evaluation of modules, compared."""
