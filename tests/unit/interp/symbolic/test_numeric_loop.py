"""Long loops with plain numbers are put off, and give what they would have given when something of them is read."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway
from cutaway.core.lazy_list import LazyList

SOURCE = """
import itertools
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        points = list(itertools.product(range(n), range(n)))
        offsets = {}
        found = []
        for p1 in points:
            for p2 in points:
                offset = (abs(p1[0] - p2[0]), abs(p1[1] - p2[1]))
                if offset not in offsets:
                    offsets[offset] = len(offsets)
                found.append(offsets[offset])
        USE
"""


def _found(n: int) -> tuple[list[int], dict[tuple[int, int], int]]:
    points = [(a, b) for a in range(n) for b in range(n)]
    offsets: dict[tuple[int, int], int] = {}
    found = []
    for p1 in points:
        for p2 in points:
            offset = (abs(p1[0] - p2[0]), abs(p1[1] - p2[1]))
            offsets.setdefault(offset, len(offsets))
            found.append(offsets[offset])
    return found, offsets


@pytest.mark.parametrize(
    "use",
    [
        "torch.zeros(len(offsets))",
        "torch.zeros(found[-2] + 1)",
        "torch.zeros(int(torch.tensor(found, dtype=torch.long).view(len(points), -1).max()) + 1)",
        "torch.zeros(max(found) + p2[0] + len(found + [1]))",
        "torch.zeros(sum([1] + found))",
        "torch.tensor(found, dtype=torch.float32)",
        "torch.tensor(found).float()",
    ],
)
def test_what_is_read_is_what_the_loop_makes(use: str, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(SOURCE.replace("USE", f"self.made = nn.Parameter({use})"))
    found, offsets = _found(12)
    expected = {
        "torch.zeros(len(offsets))": len(offsets),
        "torch.zeros(found[-2] + 1)": found[-2] + 1,
        "torch.zeros(max(found) + p2[0] + len(found + [1]))": max(found) + 11 + len(found) + 1,
        "torch.zeros(sum([1] + found))": sum([1, *found]),
    }.get(use, max(found) + 1 if "max()" in use else len(found))
    (network,) = cutaway.show(f"{path}::Net(12)")
    assert network.weights[0].shape == (expected,)


def test_a_list_that_something_else_holds_is_filled_at_once(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    source = SOURCE.replace("found = []", "found = self.kept = []")
    path.write_text(source.replace("USE", "self.made = nn.Parameter(torch.zeros(len(self.kept)))"))
    (network,) = cutaway.show(f"{path}::Net(12)")
    assert network.weights[0].shape == (12**4,)


def test_a_deferred_list_is_computed_once() -> None:
    asked: list[int] = []

    def compute() -> list[int]:
        asked.append(1)
        return [3, 1, 2]

    deferred = LazyList(3, compute)
    assert len(deferred) == 3 and not asked
    deferred.append(4)
    assert sorted(deferred) == [1, 2, 3, 4]
    assert [0] + deferred == [0, 3, 1, 2, 4]  # noqa: RUF005
    assert deferred + [5] == [3, 1, 2, 4, 5]  # noqa: RUF005
    assert asked == [1]
