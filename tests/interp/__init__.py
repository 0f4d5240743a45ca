"""The interpreter against the Python that runs it: programs whose results must be the same."""
