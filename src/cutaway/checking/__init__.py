"""Checking files: which there are, what of them is reported, each of them as a program, and the results on disk."""
