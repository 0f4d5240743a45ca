"""What each operation of a graph makes of its inputs: one row for each, by families."""
