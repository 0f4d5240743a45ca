"""Hostile targets: what native code they can reach, campaigns of generated ones, and what the wall costs."""
