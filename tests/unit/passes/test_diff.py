"""Two networks compared, and fingerprints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cutaway
from cutaway.core.architecture import Architecture
from cutaway.passes.diff import Change, diff
from cutaway.passes.fingerprint import fingerprint

SOURCE = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width, rate):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.drop = nn.Dropout(rate)
    def forward(self, x):
        return x + self.drop(self.norm(self.fc(x)))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 8)
        self.first = Block(8, 0.1)
        self.second = Block(8, 0.1)
        self.head = nn.Linear(8, 2, bias=False)
    def forward(self, x):
        x = self.second(self.first(self.stem(x)))
        return self.head(x)
"""


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def make(*changes: tuple[str, str]) -> Architecture:
        text = SOURCE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "net.py").write_text(text)
        (found,) = cutaway.show(f"{tmp_path}/net.py::Net", input="1x4")
        return found

    return make


def changes(before: Architecture, after: Architecture) -> list[tuple[str, str, tuple[str, ...]]]:
    return [
        (c.kind, f"{c.path}>{c.now}" if c.now != c.path and c.now else c.path, c.details)
        for c in diff(before, after).changes
    ]


def test_nothing(read: Any) -> None:
    assert not diff(read(), read())


def test_a_configuration(read: Any) -> None:
    assert changes(read(), read(("self.second = Block(8, 0.1)", "self.second = Block(8, 0.3)"))) == [
        ("changed", "second", ("rate 0.1 -> 0.3",)),
        (
            "changed",
            "second.drop",
            (
                "p 0.1 -> 0.3",
                "operation removed: torch.nn.functional.dropout(p=0.1)",
                "operation added: torch.nn.functional.dropout(p=0.3)",
            ),
        ),
    ]


def test_a_weight_and_its_effect(read: Any) -> None:
    found = diff(read(), read(("bias=False", "bias=True")))
    assert found.changes == (
        Change("changed", "head", "Linear", "head", ("bias false -> true", "parameter bias 2 float32 added")),
    )
    figures = {effect.name: (effect.before, effect.after) for effect in found.effects}
    assert figures["parameters"] == (232, 234) and figures["macs"] == (176, 176)


def test_renamed_modules_are_found(read: Any) -> None:
    renamed = read(("self.first", "self.lower"), ("self.stem", "self.embed"))
    assert changes(read(), renamed) == [("renamed", "stem>embed", ()), ("renamed", "first>lower", ())]


def test_a_renamed_module_that_changed_too(read: Any) -> None:
    found = changes(
        read(), read(("self.first = Block(8, 0.1)", "self.lower = Block(8, 0.2)"), ("self.first(", "self.lower("))
    )
    assert ("renamed", "first>lower", ("rate 0.1 -> 0.2",)) in found
    assert all(kind in ("renamed", "changed") for kind, _, _ in found)


def test_added_and_removed_modules(read: Any) -> None:
    without = read(
        ("        self.second = Block(8, 0.1)\n", ""),
        ("self.second(self.first(self.stem(x)))", "self.first(self.stem(x))"),
    )
    (removed, head) = changes(read(), without)
    assert removed[:2] == ("removed", "second") and removed[2][0] == "3 modules below"
    assert head[:2] == ("changed", "head") and head[2][0].startswith("wiring: input 1 of")
    assert [c[:2] for c in changes(without, read())][-1] == ("added", "second")


def test_wiring(read: Any) -> None:
    found = changes(
        read(),
        read(("return x + self.drop(self.norm(self.fc(x)))", "return self.fc(x) + self.drop(self.norm(self.fc(x)))")),
    )
    assert any("called 1 times -> 2 times" in detail for _, _, details in found for detail in details)
    swapped = read(("self.drop(self.norm(self.fc(x)))", "self.norm(self.drop(self.fc(x)))"))
    details = [detail for _, _, lines in changes(read(), swapped) for detail in lines]
    assert any(d.startswith("wiring: input 1 of torch.nn.functional.layer_norm is") for d in details)


def test_a_fingerprint_does_not_change_with_the_order_of_definitions(read: Any) -> None:
    block, net = SOURCE.index("class Block"), SOURCE.index("class Net")
    moved = SOURCE[:block] + SOURCE[net:] + "\n" + SOURCE[block:net]
    attributes = read(
        ("        self.stem = nn.Linear(4, 8)\n", ""),
        ("        self.head = nn", "        self.stem = nn.Linear(4, 8)\n        self.head = nn"),
    )
    assert fingerprint(read()) == fingerprint(read((SOURCE, moved))) == fingerprint(attributes)


def test_a_fingerprint_changes_with_the_network(read: Any) -> None:
    seen = {
        fingerprint(read(*pairs))
        for pairs in [
            (),
            (("Linear(4, 8)", "Linear(4, 8, bias=False)"),),
            (("x + self.drop", "x - self.drop"),),
            (("self.first(self.stem(x))", "self.first(self.first(self.stem(x)))"),),
            (("nn.LayerNorm(width)", "nn.LayerNorm(width, eps=1e-3)"),),
            (("self.stem", "self.embed"),),
        ]
    }
    assert len(seen) == 6


def test_a_fingerprint_without_names(read: Any) -> None:
    renamed = read(("self.stem", "self.embed"))
    assert fingerprint(read(), names=False) == fingerprint(renamed, names=False)
    assert fingerprint(read()) != fingerprint(renamed)


def test_modules_that_a_container_is_given_are_compared_by_themselves(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "from torch import nn\ndef net(n):\n    return nn.Sequential(*[nn.Linear(4, 4) for _ in range(n)])\n"
    )
    before, after = (cutaway.show(f"{tmp_path / 'net.py'}::net({n})", input="1x4")[0] for n in (2, 3))
    assert [(each.kind, each.path) for each in diff(before, after).changes] == [("added", "2")]
