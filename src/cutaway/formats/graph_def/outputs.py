"""The outputs of TensorFlow's operations, names and element types, as `outputs.txt` lists them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

from cutaway.formats.graph_def.messages import DTYPES, Node

_FILE = os.path.join(os.path.dirname(__file__), "outputs.txt")
_MOST = 1024
_FIXED = frozenset(DTYPES.values())


@cache
def _table() -> dict[str, str]:
    with open(_FILE, encoding="utf-8") as file:
        return {name: rest for name, _, rest in (line.rstrip("\n").partition(" ") for line in file)}


def is_known(operation: str) -> bool:
    """Tell whether an operation is one of TensorFlow's."""
    return operation in _table()


def outputs(node: Node) -> list[tuple[str, str | None]] | None:
    """Return the name and the element type of each tensor that a node makes; None where its operation is not listed.

    The tensors of a list share a name. A type is None where the node leaves it to a default.
    """
    listed = _table().get(node.op)
    return None if listed is None else [each for text in listed.split() for each in _tensors(node, text)][:_MOST]


def _tensors(node: Node, text: str) -> Iterator[tuple[str, str | None]]:
    name, _, kind = text.partition(":")
    if kind.endswith("+"):
        yield from ((name, each) for each in node.types(kind[:-1]))
        return
    kind, _, count = kind.partition("*")
    made = kind if kind in _FIXED else node.type(kind)
    for _ in range(min(node.integer(count), _MOST) if count else 1):
        yield name, made


def first(node: Node, label: str) -> int | None:
    """Return the place of the first tensor of an output; None where the operation has none of this name."""
    names = [name for name, _ in outputs(node) or ()]
    return names.index(label) if label in names else None
