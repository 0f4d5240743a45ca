"""Saved files to and from Architectures; one file for each format."""
