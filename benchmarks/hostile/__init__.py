"""Hostile targets: what native code they can reach, and campaigns of generated ones."""
