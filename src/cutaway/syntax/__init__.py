"""Files to syntax trees, names to files, and the grammar of targets; nothing is executed."""
