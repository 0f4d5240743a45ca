"""One file per diagnostic that is not a fault of an execution; the docstring of a file is the documentation of its code."""
