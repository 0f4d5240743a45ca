"""The abstract interpreter of Python.

The target's objects are host objects (its classes are real classes, its exceptions real
exceptions), but its code never runs: every function, class and module body is compiled to closures
over a `Frame`, and only what the guard allows can be reached from them.
"""
