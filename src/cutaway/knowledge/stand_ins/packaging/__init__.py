"""packaging, of which versions are described."""
