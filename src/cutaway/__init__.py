"""Cutaway shows what is inside a neural network without running it."""
