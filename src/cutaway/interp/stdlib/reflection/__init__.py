"""Introspection of the target's own types and functions, and modules that are built on it."""
