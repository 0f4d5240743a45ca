"""What holds for every input, tried on generated ones."""
