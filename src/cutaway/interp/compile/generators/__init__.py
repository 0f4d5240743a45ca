"""Compilation of generator bodies to host generators."""
