"""A hash of what a network is: the same for the same network, however and wherever it was read.

It is made of the weights (name, shape, element type, which are tied) and of the dataflow: each operation is hashed with
the hashes of what it reads, so that neither the order of definitions nor that of independent branches counts. Settings
that are null or false are left out, because later versions of a framework add such ones; so are places, and the names
that values happen to have.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from cutaway.core.architecture import Architecture, Setting, symbolic
from cutaway.core.size.dim import Dim

VERSION = 1
_INCIDENTAL = frozenset(["device", "layout", "memory_format", "pin_memory", "requires_grad", "out", "_stacklevel"])


def fingerprint(architecture: Architecture, *, names: bool = True) -> str:
    """Return the hash; without `names`, networks that differ only in what modules and weights are called are equal."""
    ties: dict[str, int] = {}
    for weight in architecture.weights:
        first = weight.tied_to or weight.name
        ties[first] = ties.get(first, 0) + 1
    values: dict[str, str] = {}
    weights = []
    for weight in architecture.weights:
        facts = [weight.kind, weight.shape, weight.dtype, weight.trainable, ties[weight.tied_to or weight.name]]
        values[weight.name] = _hash(["weight", *facts, weight.name if names else ""])
        if weight.tied_to is None or names:
            weights.append([values[weight.name], weight.tied_to if names else ""])
    for at, value in enumerate(architecture.inputs):
        values[value.name] = _hash(["input", value.name if names else at, value.shape, value.dtype])
    ops = []
    for op in architecture.ops:
        read = [values.get(value.name) or _hash(["constant", value.shape, value.dtype]) for value in op.inputs]
        results = [[value.shape, value.dtype] for value in op.outputs]
        node = _hash([op.op, _settings(op.attributes), read, results])
        for at, value in enumerate(op.outputs):
            values[value.name] = _hash([node, at])
        ops.append(node)
    outputs = [[value.name if names else "", value.shape, value.dtype] for value in architecture.outputs]
    modules = [[module.path, module.class_name] for module in architecture.modules] if names else []
    return _hash([VERSION, sorted(map(str, modules)), sorted(map(str, weights)), sorted(ops), outputs])


def _settings(attributes: Mapping[str, Setting]) -> list[Any]:
    return sorted(
        [name, _plain(value)]
        for name, value in attributes.items()
        if value is not None and value is not False and name not in _INCIDENTAL
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return sorted([key, _plain(item)] for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return _plain(symbolic(value)) if isinstance(value, Dim) else value


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)  # sizes are not JSON
    return hashlib.sha256(text.encode()).hexdigest()[:32]
