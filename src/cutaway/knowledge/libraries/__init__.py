"""Small libraries that are modelled whole, a file each, named after the library."""
