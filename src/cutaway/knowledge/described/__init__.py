"""Libraries that are read from their source but for a few names, a file each, named after the library."""
