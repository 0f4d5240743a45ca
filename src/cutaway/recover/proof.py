"""What recovered code has in common with what it was recovered from, as far as reading both can tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from cutaway.core.architecture import Architecture, Value
from cutaway.recover.graph import Tensor

_MOST_LISTED = 8


def differences(original: Architecture, recovered: Architecture, weights: Mapping[str, Tensor]) -> list[str]:
    """Return in what recovered code differs from the original: weights, outputs, and the work of the forward pass."""
    return [
        *_weights(recovered, weights),
        *_outputs(original, recovered),
        *_work(original, recovered),
        *(f"not known of the recovered code: {note.text}" for note in recovered.unknowns[:_MOST_LISTED]),
        *(f"fault in the recovered code: {each.message}" for each in recovered.diagnostics[:_MOST_LISTED]),
    ]


def _weights(recovered: Architecture, weights: Mapping[str, Tensor]) -> Iterator[str]:
    """Yield where the weights that are written do not fit the parameters of the code."""
    if recovered.separator != ".":
        yield from _weights_by_shape(recovered, weights)
        return
    own = {weight.name: weight for weight in recovered.weights if weight.persistent}
    # A counter that is only there for training has no counterpart in a graph.
    lacking = [name for name in own if name not in weights and not name.endswith("num_batches_tracked")]
    extra = [name for name in weights if name not in own]
    if lacking:
        yield f"the code has {len(lacking)} weights that the file does not: {', '.join(lacking[:_MOST_LISTED])}"
    if extra:
        yield f"the file has {len(extra)} weights that the code does not: {', '.join(extra[:_MOST_LISTED])}"
    for name, tensor in weights.items():
        if name in own and own[name].shape != tensor.shape:
            yield f"{name}: the code has the shape {_text(own[name].shape)}, the file {_text(tensor.shape)}"


def _weights_by_shape(recovered: Architecture, weights: Mapping[str, Tensor]) -> Iterator[str]:
    """Yield which weights are only on one side, where the framework gives them names of its own."""
    own: Counter[tuple[str, Any]] = Counter(
        (weight.name.rpartition("/")[2], weight.shape) for weight in recovered.weights if weight.persistent
    )
    given: Counter[tuple[str, Any]] = Counter(
        (name.rpartition(".")[2], tensor.shape) for name, tensor in weights.items()
    )
    for side, rest in (("the code", own - given), ("the file", given - own)):
        if rest:
            listed = [f"{name} {_text(shape)}" for name, shape in list(rest)[:_MOST_LISTED]]
            yield f"only {side} has {rest.total()} weights: {', '.join(listed)}"


def _outputs(original: Architecture, recovered: Architecture) -> Iterator[str]:
    left, right = original.outputs, recovered.outputs
    if len(left) != len(right):
        yield f"the code returns {len(right)} tensors, the original {len(left)}"
        return
    for place, (one, other) in enumerate(zip(left, right)):
        if _text(one.shape) != _text(other.shape) or (one.dtype != other.dtype and one.dtype and other.dtype):
            yield f"output {place}: the code returns {_value(other)}, the original {_value(one)}"


def _work(original: Architecture, recovered: Architecture) -> Iterator[str]:
    left, right = original.totals.macs, recovered.totals.macs
    if left is None or right is None:
        return
    if str(left) != str(right):
        yield f"multiply-accumulates: {right} in the code, {left} in the original"


def _text(shape: Any) -> str:
    return (
        "of unknown rank" if shape is None else "x".join("?" if size is None else str(size) for size in shape) or "()"
    )


def _value(value: Value) -> str:
    return f"{_text(value.shape)} {value.dtype or ''}".strip()
