"""What kind of layer a group of tensors may belong to, by their names and sizes: inferred, never certain."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cutaway.core.architecture import Setting, Shape

_GATES = {4: "LSTM", 3: "GRU", 1: "RNN"}
_EMBEDDING = re.compile(r"emb|wte|wpe|token|vocab", re.I)


def settings(path: str, tensors: Mapping[str, tuple[Shape, str | None]]) -> dict[str, Setting]:
    """Return what a module without a class says of itself: its tensors, and what it may be."""
    if not tensors:
        return {}
    listed: dict[str, Setting] = {
        name: f"{'x'.join(map(str, shape)) or 'scalar' if shape is not None else '?'} {dtype or '?'}"
        for name, (shape, dtype) in list(tensors.items())[:64]
    }
    shapes = {name: shape for name, (shape, _) in tensors.items() if shape is not None}
    kind = inferred(path, {name: tuple(s for s in shape if isinstance(s, int)) for name, shape in shapes.items()})
    return {"inferred": kind, "tensors": listed} if kind else {"tensors": listed}


def inferred(path: str, shapes: Mapping[str, tuple[int, ...]]) -> str | None:
    """Return the kind of layer with its sizes; None where names and sizes fit none, or several."""
    if "running_mean" in shapes:
        return f"batch norm of {_numbers(shapes['running_mean'])}"
    if "weight_ih_l0" in shapes and "weight_hh_l0" in shapes:
        return _recurrent(shapes)
    if "in_proj_weight" in shapes and len(shapes["in_proj_weight"]) == 2:
        return f"attention with fused q, k, v of width {shapes['in_proj_weight'][1]}"
    weight = shapes.get("weight", shapes.get("kernel"))
    if weight is None:
        return None
    if len(weight) == 1:
        return f"norm of {weight[0]}"
    if len(weight) == 2:
        rows, columns = weight if "weight" in shapes else reversed(weight)
        if "bias" not in shapes and _EMBEDDING.search(path.rpartition(".")[2]):
            return f"embedding of {rows} x {columns}"
        return f"linear {columns} -> {rows}" if "bias" in shapes else f"linear {columns} -> {rows}, or an embedding"
    if 3 <= len(weight) <= 5 and "weight" in shapes:
        sizes = "x".join(map(str, weight[2:]))
        bias = shapes.get("bias")
        if bias is not None and bias[0] != weight[0]:
            return f"transposed convolution {len(weight) - 2}d, {weight[0]} -> {bias[0]}, kernel {sizes}"
        return f"convolution {len(weight) - 2}d, {weight[1]} per group -> {weight[0]}, kernel {sizes}"
    return None


def _recurrent(shapes: Mapping[str, tuple[int, ...]]) -> str | None:
    given, hidden = shapes["weight_ih_l0"], shapes["weight_hh_l0"]
    if len(given) != 2 or len(hidden) != 2 or not hidden[1]:
        return None
    kind = _GATES.get(hidden[0] // hidden[1]) if hidden[0] % hidden[1] == 0 else None
    layers = sum(1 for name in shapes if re.fullmatch(r"weight_ih_l\d+", name))
    both = ", both directions" if "weight_ih_l0_reverse" in shapes else ""
    return f"{kind} {given[1]} -> {hidden[1]}, {layers} layers{both}" if kind else None


def _numbers(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))
