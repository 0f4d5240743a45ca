"""Formulas in the sizes of an input, against running models of many sizes."""
