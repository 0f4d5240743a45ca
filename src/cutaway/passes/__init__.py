"""What is worked out from an Architecture: figures, folded repeats."""
