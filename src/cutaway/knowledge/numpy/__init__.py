"""numpy: its pure functions, called on known values; everything random, large or on disk is unknown.

The rows are numpy's own functions behind a check of their arguments, so that there is nothing to
keep in step with numpy. Results stay numpy arrays and numbers.
"""
