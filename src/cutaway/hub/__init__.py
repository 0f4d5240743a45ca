"""Folders as they come from the hub: which network their JSON files describe, and the program that makes it."""
