"""How TensorFlow's functions become rows: rules of `keras.ops` under TensorFlow's own signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.knowledge.base.registry import TABLE
from cutaway.knowledge.keras.tensors.op import op


def rule(name: str) -> Callable[..., Any]:
    """Return the rule behind a function of `keras.ops`."""
    found = TABLE[f"keras.ops.{name}"]
    inner: Callable[..., Any] = getattr(found, "__wrapped__", found)
    return inner


def tf(*names: str) -> Callable[[Any], Any]:
    """Register a rule below `tensorflow.`; the first name stands in the graph."""
    return op(*(f"tensorflow.{name}" for name in names))
