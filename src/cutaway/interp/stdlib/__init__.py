"""Built-in names and the standard library, as a target sees them."""
