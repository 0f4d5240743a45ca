"""Indexing, gathering, searching and sorting."""
