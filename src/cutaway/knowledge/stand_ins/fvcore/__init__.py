"""fvcore, of which its configurations are described."""
