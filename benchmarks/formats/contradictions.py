"""Shapes that Cutaway states for the values of a graph against those of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core.size.dim import Dim, symbols
from cutaway.core.size.parser import evaluate


def contradictions(network: Any, found: dict[str, tuple[int, ...]], number: Callable[[str], int]) -> list[str]:
    """Return where a run made other shapes than stated; `number` is what a symbol of the inputs stood for in it."""
    dims = [dim for value in network.inputs for dim in value.shape or () if isinstance(dim, Dim)]
    values = {one.name: number(one.name) for dim in dims for one in symbols(dim)}
    wrong = []
    for op in network.ops:
        for value in op.outputs:
            real = found.get(value.name)
            if real is None or value.shape is None:
                continue
            sizes = [evaluate(dim, values) if isinstance(dim, Dim) else dim for dim in value.shape]
            if len(sizes) != len(real) or any(isinstance(s, int) and s != r for s, r in zip(sizes, real)):
                wrong.append(f"{op.op} {value.name}: {value.shape} = {sizes}, but a run makes {real}")
    return wrong
