"""Conditions and loops: operators that contain graphs."""

from __future__ import annotations

import re
from typing import Any

from cutaway.core.record import replace
from cutaway.core.size.dim import Dim, Size, symbols
from cutaway.formats.graph.model import Graph
from cutaway.formats.graph.value import Call, Known, Out, undecided
from cutaway.formats.onnx.operators.registry import operator
from cutaway.formats.onnx.operators.sequences import joined
from cutaway.ops.reshape import axis

_MOST_ROUNDS = 6


@operator("If")
def condition(call: Call) -> Out:
    """What one of two graphs makes."""
    then, other = call.graph("then_branch"), call.graph("else_branch")
    decided = call.number(0)
    name = re.sub(r"\W+", "_", call.node.inputs[0] if call.node.inputs else "").strip("_") or "condition"
    name = name if not name[0].isdigit() else f"value_{name}"
    if isinstance(decided, bool):
        return Out(tuple(call.scope.run(then if decided else other, [])))
    yes = call.scope.run(then, [], condition=name)
    no = call.scope.run(other, [], condition=f"not {name}")
    return Out(tuple(joined(call, left, right, output=place) for place, (left, right) in enumerate(zip(yes, no))))


@operator("Loop")
def loop(call: Call) -> Out:
    """A graph that runs again and again: what it carries over, and what it collects."""
    body = call.graph("body")
    start = [value if value is not None else Known() for value in call.inputs[2:]]
    carried = len(start)
    count = _trips(call, body)
    number, flag = _scalar(body, 0, "int64"), _scalar(body, 1, "bool")
    state = [replace(value, numbers=None) if value.kind == "tensor" else value for value in start]
    state = _stable(call, state, lambda values: call.scope.run(body, [number, flag, *values], record=False)[1:])
    made = call.scope.run(body, [number, flag, *state], repeat=count)
    once = isinstance(count, int) and count > 0
    results = []
    for place, (before, after) in enumerate(zip(start, made[1:])):
        plain = replace(before, numbers=None) if before.kind == "tensor" else before
        last = after if once else joined(call, plain, replace(after, numbers=None), "last", place)
        results.append(_renamed(call, last, state[place], place))
    trips: Size = call.fresh("count") if count is None else count
    for value in made[1 + carried :]:
        shape = None if value.shape is None else (trips, *value.shape)
        results.append(Known(shape, value.dtype))
    return Out(tuple(results))


def _scalar(body: Graph, place: int, dtype: str) -> Known:
    """Return what a body gets that counts, or that tells whether to go on: a scalar, or a row of one if it declares that."""
    stated = body.inputs[place].type if place < len(body.inputs) else None
    is_row = stated is not None and stated.dims is not None and len(stated.dims) == 1
    return Known((1,) if is_row else (), dtype)


def _trips(call: Call, body: Graph) -> Size | None:
    """Return how often a loop runs; None where a condition that it computes may end it earlier."""
    count = call.number(0) if call.has(0) else None
    if not isinstance(count, (int, Dim)) or not body.outputs:
        return None
    first = call.number(1) if call.has(1) else True
    kept = body.outputs[0].name
    passed = len(body.inputs) > 1 and kept == body.inputs[1].name
    for node in body.nodes:
        if kept in node.outputs:
            passed = node.op == "Identity" and len(body.inputs) > 1 and node.inputs[:1] == (body.inputs[1].name,)
            if node.op == "Constant":
                value = node.attributes.get("value")
                passed = getattr(value, "dtype", None) == "bool" and bool((value.read(1) or [False])[0])  # type: ignore[union-attr]
    for tensor in body.tensors:
        if tensor.name == kept:
            passed = bool((tensor.read(1) or [False])[0])
    if not passed or first is not True:
        return 0 if first is False else None
    return max(count, 0) if isinstance(count, int) else count


def _stable(call: Call, state: list[Known], step: Any) -> list[Known]:
    """Return what is known of the values that a loop carries in every iteration.

    A size that changes gets a name, which stands for its value in any one iteration.
    """
    general: set[tuple[int, int]] = set()
    for _ in range(_MOST_ROUNDS):
        made = step(state)
        changed = False
        for place, (before, after) in enumerate(zip(state, made)):
            merged = _merged(call, place, before, after, general)
            if merged != before:
                state[place], changed = merged, True
        if not changed:
            return state
    return [Known(None, value.dtype) if value.kind == "tensor" else Known(kind=value.kind) for value in state]


def _merged(call: Call, place: int, before: Known, after: Known, general: set[tuple[int, int]]) -> Known:
    if before.kind != "tensor" or after.kind != "tensor":
        if before == after:
            return before
        inner = before.element
        if before.length == 0:  # what an empty one is declared to hold says nothing
            inner = after.element
        elif inner is not None and after.element is not None and inner != after.element:
            inner = _merged(call, place, inner, after.element, general)
        return Known(kind=before.kind, element=inner, length=None)
    dtype = before.dtype if before.dtype == after.dtype else before.dtype if after.dtype is None else None
    if before.shape is None or after.shape is None or len(before.shape) != len(after.shape):
        return Known(None, dtype)
    shape = list(before.shape)
    for at, (mine, theirs) in enumerate(zip(before.shape, after.shape)):
        if mine != theirs and (place, at) not in general:
            general.add((place, at))
            shape[at] = call.fresh(f"iteration{at}", place)
    return Known(tuple(shape), dtype)


def _renamed(call: Call, value: Known, state: Known, place: int) -> Known:
    """Return a value after a loop: sizes that differ between iterations have other names than inside of it."""
    if value.shape is None or state.shape is None:
        return value
    inside = {one for size in state.shape if isinstance(size, Dim) for one in symbols(size) if "_iteration" in one.name}
    shape = tuple(
        call.fresh(f"final{at}", place) if isinstance(size, Dim) and inside & set(symbols(size)) else size
        for at, size in enumerate(value.shape)
    )
    return Known(shape, value.dtype, value.numbers)


@operator("Scan")
def scan(call: Call) -> Out:
    """A graph that runs for each slice of its inputs: the last states, and what it collects."""
    body = call.graph("body")
    count = call.integer("num_scan_inputs")
    values = [value if value is not None else Known() for value in call.inputs]
    batch: tuple[Size, ...] = ()
    if call.version < 9:
        values = values[1:]
        first = values[0].shape if values else None
        if not first:
            undecided(f"{call.name}: the shape of its input is not known")
        batch = first[:1]
        values = [Known(None if v.shape is None else v.shape[1:], v.dtype) for v in values]
    states, scanned = values[: len(values) - count], values[len(values) - count :]
    places = (call.integers("scan_input_axes") or []) if call.version >= 9 else []
    slices, length = [], None
    for at, value in enumerate(scanned):
        if value.shape is None:
            slices.append(Known(None, value.dtype))
            continue
        place = axis(places[at] if at < len(places) else 0, len(value.shape))
        length = value.shape[place] if length is None else length
        slices.append(Known((*value.shape[:place], *value.shape[place + 1 :]), value.dtype))
    plain = [replace(state, numbers=None) for state in states]
    plain = _stable(call, plain, lambda now: call.scope.run(body, [*now, *slices], record=False))
    made = call.scope.run(body, [*plain, *slices], repeat=length)
    trips = call.fresh("count") if length is None else length
    results = [Known(None if v.shape is None else (*batch, *v.shape), v.dtype) for v in made[: len(states)]]
    out_places = (call.integers("scan_output_axes") or []) if call.version >= 9 else []
    for at, value in enumerate(made[len(states) :]):
        if value.shape is None:
            results.append(Known(None, value.dtype))
            continue
        place = axis(out_places[at] if at < len(out_places) else 0, len(value.shape) + 1)
        results.append(Known((*batch, *value.shape[:place], trips, *value.shape[place:]), value.dtype))
    return Out(tuple(results))
