"""Small libraries of which a few names are described, a file each."""
