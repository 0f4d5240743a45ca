"""Layers and models of Keras, and what they keep while a program runs."""
