"""Attacks, by what they hide in: each was written before a look at the rules that are to find it."""
