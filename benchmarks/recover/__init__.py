"""Recovered code against the files that it is from, run by the real frameworks."""
