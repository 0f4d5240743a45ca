"""Saved graphs: what Cutaway reads from files against what a runtime computes, and damaged files."""
