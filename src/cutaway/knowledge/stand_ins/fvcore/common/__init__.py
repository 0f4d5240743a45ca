"""fvcore.common, of which its configurations are described."""
