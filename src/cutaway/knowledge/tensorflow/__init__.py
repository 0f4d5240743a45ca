"""TensorFlow: its tensor functions, modules, variables and graphs. Every file registers its own rows."""

from __future__ import annotations

NEEDS = ("keras",)
ALIASES = (
    ("tensorflow.compat.v2", "tensorflow"),
    ("tensorflow.compat.v1", "tensorflow"),
    ("tensorflow.contrib.keras.api.keras", "keras"),
    ("tensorflow.contrib.keras", "keras"),
    ("tensorflow.python.ops.nn", "tensorflow.nn"),
    ("tensorflow.python.ops.nn_ops", "tensorflow.nn"),
    ("tensorflow.python.framework.ops", "tensorflow"),
)
LATER = frozenset(
    """data names functions.arrange functions.control functions.elementwise functions.image functions.linear functions.nn
    functions.random functions.reduce graph_mode.examples graph_mode.layers graph_mode.losses graph_mode.program
    graph_mode.recurrent""".split()
)
"""Files that few networks need: they are read when a name is not found in the others."""
