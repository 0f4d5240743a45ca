"""Sizes: integers and exact symbolic expressions, what is known of them, and their strings."""
