"""Bodies of generators to closures that are host generators."""
