"""How long the result of each operation is needed, and how much memory is taken at once.

A result is kept until its last use. What a module is called with is kept until that call ends, because the caller holds
it. Views and operations in place share the memory of their first input.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.architecture import EITHER, Architecture, Op
from cutaway.core.record import dataclass
from cutaway.passes.hierarchy import ancestors


@dataclass(frozen=True, slots=True)
class Lifetime:
    """The memory of one result: the operation that allocates it, which of its outputs, and the last that needs it."""

    start: int
    output: int
    stop: int


def lifetimes(architecture: Architecture) -> list[Lifetime]:
    """Return the lifetime of everything that operations allocate, in the order of allocation."""
    ops = architecture.ops
    inside = _intervals(architecture)
    made: dict[str, int] = {}  # the operation that made a value
    holds = shared_memory(architecture)
    stop: dict[str, int] = {}
    place: dict[str, tuple[int, int]] = {}
    for at, op in enumerate(ops):
        for value in op.inputs:
            if value.name not in made:
                continue  # a weight or an input, which the caller keeps
            last = max([at, *(end for start, end in inside[at] if start > made[value.name])])
            for memory in holds[value.name]:
                stop[memory] = max(stop[memory], last)
        for number, value in enumerate(op.outputs):
            made[value.name] = at
            if holds[value.name] == (value.name,):
                stop[value.name] = at
                place[value.name] = (at, number)
    freeing = {name: at for at, op in enumerate(ops) for name in op.frees}
    if freeing:
        return [Lifetime(*place[name], freeing.get(name, len(ops) - 1)) for name in place]
    used = {value.name for op in ops for value in op.inputs}
    for name in made.keys() - used:  # results that nothing uses: what the network returns is kept
        for memory in holds[name]:
            if _may_leave(architecture, ops[made[name]], name):
                stop[memory] = len(ops) - 1
    return [Lifetime(*place[name], stop[name]) for name in place]


def shared_memory(architecture: Architecture) -> dict[str, tuple[str, ...]]:
    """Return the results whose memory each result has: itself, or that of which it is a view or that was changed in place."""
    holds: dict[str, tuple[str, ...]] = {}
    for op in architecture.ops:
        shared = _shared(op, holds)
        for value in op.outputs:
            holds[value.name] = shared if shared is not None else (value.name,)
    return holds


def _shared(op: Op, holds: dict[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return the values whose memory an operation's results share; None where it allocates."""
    if op.op == EITHER:
        return tuple(memory for value in op.inputs for memory in holds.get(value.name, ()))
    if op.allocates:
        return None
    return holds.get(op.inputs[0].name, ()) if op.inputs else ()


def _may_leave(architecture: Architecture, op: Op, name: str) -> bool:
    """Tell whether a value may be one that the network returns: it has the shape of one."""
    shape = next(value.shape for value in op.outputs if value.name == name)
    return any(output.shape == shape for output in architecture.outputs)


def _intervals(architecture: Architecture) -> list[list[tuple[int, int]]]:
    """Return, for each operation, the first and the last operation of each module call that it takes place in.

    Calls of a module that follow each other directly count as one.
    """
    found: list[list[tuple[int, int]]] = [[] for _ in architecture.ops]
    opened: dict[str, int] = {}

    def close(path: str, end: int) -> None:
        start = opened.pop(path)
        for at in range(start, end + 1):
            found[at].append((start, end))

    for at, op in enumerate(architecture.ops):
        paths = set(ancestors(op.module, architecture.separator)) - {""}
        for path in opened.keys() - paths:
            close(path, at - 1)
        for path in paths - opened.keys():
            opened[path] = at
    for path in list(opened):
        close(path, len(architecture.ops) - 1)
    return found


def peak(spans: Sequence[tuple[int, int, int]], count: int) -> tuple[int, int]:
    """Return the largest sum of sizes that are needed at once, and at which operation; a span is a start, a stop, a size."""
    change = [0] * (count + 1)
    for start, stop, size in spans:
        change[start] += size
        change[stop + 1] -= size
    most, where, now = 0, 0, 0
    for at, difference in enumerate(change[:count]):
        now += difference
        if now > most:
            most, where = now, at
    return most, where
