"""What the operators of graphs do to shapes, element types and the numbers that become sizes; one file per family."""
