"""Where each sample gives one row of every output: not determined where that takes too many combinations of sizes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from cutaway.core.size.dim import symbol
from cutaway.interp.analysis.inputs.inference import _batch_preserving
from cutaway.solve.effort import Unsolved


class Crowded:
    """A region of too many boxes to be combined with another one."""

    def __sub__(self, other: object) -> Any:
        raise Unsolved("too many combinations of sizes are possible")


def test_what_takes_too_many_combinations_is_not_determined() -> None:
    region: Any = Crowded()
    trial: Any = SimpleNamespace(literals=SimpleNamespace(solve=lambda *_: region))
    path: Any = SimpleNamespace(output=[("y", SimpleNamespace(shape=(symbol("N"), 3)))], region=region)
    assert _batch_preserving(trial, [path], "B", region) is None
