"""Built-in names and the standard library as the target sees them."""
