"""Graphs of saved files, of whatever format: what they are made of, how shapes are inferred, the network that they are."""
