"""Changes that are the same in each copy of a block."""

from __future__ import annotations

import pytest

from cutaway.passes.diff import ADDED, CHANGED, RENAMED, Change
from cutaway.passes.repeated_changes import repeated


@pytest.mark.parametrize(
    ("paths", "labels"),
    [
        (["layers.0.fc", "layers.1.fc", "layers.2.fc"], ["layers.0-2.fc"]),
        (["layers.0.fc", "layers.2.fc", "layers.10.fc"], ["layers.0,2,10.fc"]),
        (["a.0.b.0", "a.0.b.1", "a.1.b.0", "a.1.b.1"], ["a.0-1.b.0-1"]),
        (["a.0.b.0", "a.0.b.1", "a.1.b.0"], ["a.0.b.0", "a.0.b.1", "a.1.b.0"]),
        (["fc1", "fc2"], ["fc1", "fc2"]),
        (["", "0", "1"], ["", "0-1"]),
        (["conv/0/w", "conv/1/w"], ["conv/0-1/w"]),
    ],
)
def test_paths_that_differ_in_numbers_have_one_label(paths: list[str], labels: list[str]) -> None:
    groups = repeated([Change(CHANGED, path, "Linear", path, ("width 1 -> 2",)) for path in paths])
    assert [each.label for each in groups] == labels
    assert sorted(at for each in groups for at in each.indices) == list(range(len(paths)))


def test_only_equal_changes_become_one() -> None:
    changes = [
        Change(CHANGED, "layers.0", "Linear", "layers.0", ("width 1 -> 2",)),
        Change(CHANGED, "layers.1", "Linear", "layers.1", ("width 1 -> 3",)),
        Change(CHANGED, "layers.2", "Conv2d", "layers.2", ("width 1 -> 2",)),
        Change(ADDED, "layers.3", "Linear", details=("width 1 -> 2",)),
        Change(RENAMED, "layers.4", "Linear", "blocks.4"),
        Change(RENAMED, "layers.5", "Linear", "blocks.5"),
    ]
    assert [each.count for each in repeated(changes)] == [1] * 6
