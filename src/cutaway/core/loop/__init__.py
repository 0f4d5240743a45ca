"""Sequences and loops of symbolic length."""
