"""Model folders from the hub: which network their JSON files describe, and the program that builds it."""
