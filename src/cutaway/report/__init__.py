"""The output forms of an Architecture, one file each."""
