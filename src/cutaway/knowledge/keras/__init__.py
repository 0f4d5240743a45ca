"""Keras: its layers, models, operations and the rest of its public names. Every file registers its own rows.

A row stands under the public name and under the file of `keras.src` that defines it; `tf.keras` and
older spellings are other beginnings of the same names. What has no row, such as `keras.applications`,
is read from Keras's own source where that is installed.
"""

from __future__ import annotations

READABLE = True
ALIASES = (
    ("tensorflow.keras", "keras"),
    ("tensorflow.python.keras", "keras"),
    ("tensorflow.compat.v1.keras", "keras"),
    ("tensorflow.compat.v2.keras", "keras"),
    ("tf_keras", "keras"),
    ("keras._tf_keras.keras", "keras"),
    ("keras.api", "keras"),
    ("keras.layers.experimental.preprocessing", "keras.layers"),
    ("keras.layers.experimental", "keras.layers"),
    ("keras.optimizers.legacy", "keras.optimizers"),
    ("keras.ops.nn", "keras.ops"),
    ("keras.ops.numpy", "keras.ops"),
    ("keras.ops.core", "keras.ops"),
    ("keras.ops.math", "keras.ops"),
    ("keras.src.ops.nn", "keras.ops"),
    ("keras.src.ops.numpy", "keras.ops"),
    ("keras.src.ops.core", "keras.ops"),
    ("keras.src.ops.math", "keras.ops"),
    ("keras.src.backend.nn", "keras.ops"),
    ("keras.src.backend.numpy", "keras.ops"),
    ("keras.src.losses", "keras.losses"),
    ("keras.src.optimizers", "keras.optimizers"),
    ("keras.src.metrics", "keras.metrics"),
    ("keras.src.callbacks", "keras.callbacks"),
    ("keras.optimizers.experimental", "keras.optimizers"),
)
LATER = frozenset(
    """backend training.config_arguments training.deserialization training.downloads training.former_configs training.graph_configs training.objectives models.repeated_steps layers.attention layers.cells layers.preprocessing layers.recurrent layers.scaling
    ops.image ops.signal ops.creation""".split()
)
"""Files that few networks need, and that give tensors no methods: they are read when a name is not found in the others."""
