"""TensorFlow: its tensor functions, modules, variables and graphs. Every file registers its own rows."""

from __future__ import annotations

NEEDS = ("keras",)
ALIASES = (("tensorflow.compat.v2", "tensorflow"),)
LATER: frozenset[str] = frozenset()
"""Files that few networks need: they are read when a name is not found in the others."""
