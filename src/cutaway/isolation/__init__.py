"""The wall around an analysis: a process of its own that can only read what it needs and hand back its result.

The interpreter runs nothing of the target. If that fails, this is what keeps the machine safe all the same.
"""
