"""Unique modules and operations, and backends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import cutaway
from cutaway.core.architecture import Architecture
from cutaway.passes.backend import MalformedTable, failures, read_table
from cutaway.passes.unique_modules import TT, unique_modules, wrongly_merged
from cutaway.passes.unique_ops import rank, unique_ops

SOURCE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.keep = nn.Dropout(0.1)
        self.drop = nn.Dropout(0.9)
        self.rows = nn.Softmax(0)
        self.columns = nn.Softmax(1)
        self.exact = nn.GELU()
        self.tanh = nn.GELU(approximate="tanh")
        self.single = nn.Identity()
        self.wide = nn.Identity()
        self.again = nn.Softmax(1)

    def forward(self, x):
        for layer in (self.keep, self.drop, self.rows, self.columns, self.exact, self.tanh, self.again, self.single):
            x = layer(x)
        return self.wide(x.double())
"""


@pytest.fixture
def net(tmp_path: Path) -> Architecture:
    (tmp_path / "net.py").write_text(SOURCE)
    (found,) = cutaway.show(f"{tmp_path}/net.py::Net", input="4x4")
    return found


def groups(architecture: Architecture, key: str = "full") -> list[tuple[str, ...]]:
    return [each.occurrences for each in unique_modules(architecture, key)]


def test_only_what_is_the_same_is_merged(net: Architecture) -> None:
    assert [group for group in groups(net) if len(group) > 1] == [("columns", "again")]


def test_the_weaker_key_and_what_it_merges_wrongly(net: Architecture) -> None:
    merged = [group for group in groups(net, TT) if len(group) > 1]
    expected = [("keep", "drop"), ("rows", "columns", "again"), ("exact", "tanh"), ("single", "wide")]
    assert merged == expected
    found = wrongly_merged(net)
    assert [merge.class_name for merge in found] == ["Dropout", "Softmax", "GELU", "Identity"]
    assert found[0].differences == ("p: 0.1, 0.9",)
    assert found[1].paths == (("rows",), ("columns", "again")) and found[1].differences == ("dim: 0, 1",)
    assert found[2].differences == ('approximate: "none", "tanh"',)
    assert found[3].differences == ("input element types", "output element types")


BLOCKS = """
from torch import nn

class Block(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.act = nn.Sequential(nn.ReLU(), nn.Dropout(rate))
    def forward(self, x):
        return self.act(self.fc(x))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(0.1), Block(0.1), Block(0.2))
    def forward(self, x):
        return self.blocks(x)
"""


@pytest.mark.parametrize("key", ["full", "tt"])
def test_no_parent_is_missing(tmp_path: Path, key: str) -> None:
    (tmp_path / "net.py").write_text(BLOCKS)
    (net,) = cutaway.show(f"{tmp_path}/net.py::Net", input="1x8")
    found = unique_modules(net, key)
    paths = {each.module.path for each in found}
    assert all(each.parent is None or each.parent in paths for each in found)
    assert sorted(path for each in found for path in each.occurrences) == sorted(m.path for m in net.modules)
    if key == "full":
        assert ("blocks.0", "blocks.1") in [each.occurrences for each in found]
        assert ("blocks.2",) in [each.occurrences for each in found]


def test_operations_are_the_same_in_everything(net: Architecture) -> None:
    found = unique_ops(net.ops)
    softmax = [each for each in found if each.op.op.endswith("softmax")]
    assert [len(each.occurrences) for each in softmax] == [1, 2]
    assert [each.node for each in softmax[1].occurrences] == ["softmax", "softmax"]


def test_operations_are_ranked_over_networks(net: Architecture) -> None:
    other = replace(net, ops=tuple(op for op in net.ops if op.op.endswith("gelu")))
    first, *rest = rank([net, other])
    assert (first.name, first.networks, first.count, first.variants) == ("torch.nn.functional.gelu", 2, 4, 2)
    assert all(each.networks == 1 for each in rest)


def test_a_backend_tells_all_that_it_can_not_do(net: Architecture) -> None:
    backend = read_table(
        {
            "name": "npu",
            "ops": {
                "torch.nn.functional.*": {"dtypes": ["float32"]},
                "torch.nn.functional.softmax": {"attributes": {"dim": [1]}, "ranks": [3]},
                "torch.nn.functional.gelu": {"attributes": {"approximate": "tanh"}},
            },
        }
    )
    found = failures(backend, unique_ops(net.ops), lambda name: name)
    assert [(failure.name, failure.reasons) for failure in found] == [
        ("torch.nn.functional.softmax", ("rank 2 is not among 3", "dim 0 is not among [1]")),
        ("torch.nn.functional.softmax", ("rank 2 is not among 3",)),
        ("torch.nn.functional.gelu", ("approximate 'none' is not 'tanh'",)),
        ("torch.Tensor.double", ("the operation is not listed",)),
    ]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "ops: expected a table"),
        ({"ops": {}, "unlisted": "maybe"}, "unlisted: expected"),
        ({"ops": {"torch.add": {"dtype": []}}}, "ops.torch.add.dtype: there is no such field"),
        ({"ops": {"torch.add": {"dtypes": [1]}}}, "ops.torch.add.dtypes: expected a list of str"),
        ({"ops": {"torch.add": {"attributes": {"alpha": {"most": 1}}}}}, "expected min, max or both"),
    ],
)
def test_a_table_that_is_not_one(table: dict[str, object], message: str) -> None:
    with pytest.raises(MalformedTable, match=message.replace(".", r"\.")):
        read_table(table)
