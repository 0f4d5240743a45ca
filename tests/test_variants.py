"""What a class without arguments is shown as, against what it is with every combination of them."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import cutaway
from cutaway import Architecture
from cutaway.core.size.dim import Dim
from cutaway.passes.diff import diff

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\n"

FLAGS = {
    "parts in a list": """
class Net(nn.Module):
    def __init__(self, a, b, c):
        super().__init__()
        layers = [nn.Linear(8, 8)]
        if a:
            layers.append(nn.ReLU())
        if b:
            layers += [nn.Linear(8, 8), nn.Tanh()]
        if not c:
            layers.insert(0, nn.LayerNorm(8))
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)
""",
    "parts that are None": """
class Net(nn.Module):
    def __init__(self, a, b, c):
        super().__init__()
        self.one = nn.Linear(8, 8) if a else None
        self.two = nn.Linear(8, 8, bias=False) if b and not a else None
        self.three = nn.Linear(8, 4 if c else 2)

    def forward(self, x):
        if self.one is None and self.two is None:
            x = x @ torch.ones(8, 8)
        elif self.one is not None:
            x = self.one(x)
        else:
            x = self.two(x)
        return self.three(x)
""",
    "a count of flags": """
class Net(nn.Module):
    def __init__(self, a, b, c):
        super().__init__()
        count = 0
        for flag in (a, b, c):
            if flag:
                count += 1
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(count)])
        if count == 2:
            self.pair = nn.Linear(8, 8)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.pair(x) if hasattr(self, "pair") else x
""",
    "widths that multiply": """
class Net(nn.Module):
    def __init__(self, a, b, c):
        super().__init__()
        width = 4
        if a:
            width *= 2
        if b:
            width += 3
        self.enter = nn.Linear(8, width)
        self.leave = nn.Linear(width, 5 if c else 6)

    def forward(self, x):
        return self.leave(self.enter(x))
""",
    "an early return and a nested choice": """
class Net(nn.Module):
    def __init__(self, a, b, c):
        super().__init__()
        self.a, self.b, self.c = a, b, c
        self.body = nn.Linear(8, 8)
        if a:
            self.head = nn.Linear(8, 2)
            if b:
                self.extra = nn.Linear(8, 8)

    def forward(self, x):
        x = self.body(x)
        if not self.a:
            return x
        if self.b and self.c:
            x = x + self.extra(x)
        return self.head(x)
""",
    "one of several by a chain": """
class Net(nn.Module):
    def __init__(self, a, b, c):
        super().__init__()
        if a:
            self.act = nn.ReLU()
        elif b:
            self.act = nn.PReLU()
        elif c:
            self.act = nn.PReLU(8)
        else:
            self.act = nn.Identity()
        self.fc = nn.Linear(8, 8, bias=a or b)

    def forward(self, x):
        return self.act(self.fc(x))
""",
    "a state that the class keeps": """
class Net(nn.Module):
    made = 0

    def __init__(self, a, b, c):
        super().__init__()
        Net.made += 1
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(Net.made)])
        if a:
            self.head = nn.Linear(8, 2)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
""",
    "shared weights": """
class Net(nn.Module):
    def __init__(self, a, b, c):
        super().__init__()
        self.enter = nn.Linear(8, 8, bias=False)
        self.leave = nn.Linear(8, 8, bias=False)
        if a:
            self.leave.weight = self.enter.weight
        self.norm = nn.LayerNorm(8, elementwise_affine=b)

    def forward(self, x):
        return self.leave(self.norm(self.enter(x)))
""",
}

COUNTS = {
    "a stack": """
class Net(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(n)])
        self.others = nn.Sequential(*[nn.Linear(8, 8, bias=False) for _ in range(m)])

    def forward(self, x):
        for layer in self.layers:
            x = F.relu(layer(x))
        return self.others(x)
""",
    "the first is another one": """
class Net(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        layers, width = [], 8
        for i in range(n):
            layers += [nn.Linear(width, m), nn.ReLU()]
            width = m
        self.net = nn.Sequential(*layers, nn.Linear(width, 3))

    def forward(self, x):
        return self.net(x)
""",
    "nested": """
class Net(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.stages = nn.ModuleList()
        for i in range(n):
            stage = nn.ModuleList([nn.Linear(8, 8) for _ in range(m)])
            self.stages.append(stage)

    def forward(self, x):
        for stage in self.stages:
            for layer in stage:
                x = layer(x)
        return x
""",
    "first, last and between": """
class Net(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        layers = []
        for i in range(n + 1):
            layers.append(nn.Linear(8 if i == 0 else m, 8 if i == n else m))
            if i != n:
                layers.append(nn.ReLU())
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)
""",
    "applied again": """
class Net(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.n = n
        self.cell = nn.Linear(8, 8)
        self.out = nn.Linear(8, m)

    def forward(self, x):
        for _ in range(self.n):
            x = torch.tanh(self.cell(x))
        return self.out(x)
""",
    "growing": """
class Net(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        width = 8
        for i in range(n):
            width += m
        self.out = nn.Linear(8, width)

    def forward(self, x):
        return self.out(x)
""",
    "names with numbers": """
class Net(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.n = n
        for i in range(n):
            self.add_module(f"layer_{i}", nn.Linear(8, 8))
        self.out = nn.Linear(8, m)

    def forward(self, x):
        for i in range(self.n):
            x = getattr(self, f"layer_{i}")(x)
        return self.out(x)
""",
}


def shown(path: Path, expression: str) -> Architecture:
    return cutaway.show(f"{path}::{expression}", input="2x8")[0]


def value(quantity: Any, names: dict[str, int]) -> Any:
    """Return what an expression comes to; a condition in brackets counts 1 where it holds."""
    if not isinstance(quantity, Dim):
        return quantity
    text = re.sub(r"\[([^\]]*)\]", r"int(bool(\1))", str(quantity))
    return eval(text, {}, names)


def holds(condition: str | None, names: dict[str, int]) -> bool:
    return condition is None or bool(eval(condition, {}, names))


def told(network: Architecture, names: dict[str, int]) -> dict[str, Any]:
    """Return what is said of a network where its arguments are these; None where a part of it is unknown."""
    there = {""}
    modules: Counter[str] = Counter()
    times = {"": 1}
    for module in network.modules:
        parent = module.path.rpartition(".")[0]
        if parent in there and holds(module.condition, names):
            there.add(module.path)
            times[module.path] = times.get(parent, 1) * value(module.repeat, names)
            modules[module.class_name] += times[module.path]
    weights: Counter[Any] = Counter()
    for weight in network.weights:
        if holds(weight.condition, names) and weight.tied_to is None:
            shape = tuple(value(size, names) for size in weight.shape or ())
            weights[shape] += value(weight.repeat, names)
    ops: Counter[str] = Counter()
    for op in network.ops:
        if op.op != "either" and holds(op.condition, names):
            ops[op.op] += value(op.repeat, names)
    outputs = [
        tuple(value(size, names) for size in output.shape or ())
        for output in network.outputs
        if holds(output.condition, names)
    ]
    return {
        "modules": +modules,
        "weights": +weights,
        "ops": +ops,
        "outputs": outputs,
        "parameters": value(network.totals.parameters, names),
        "macs": value(network.totals.macs, names),
        "activations": value(network.totals.activation_bytes, names),
    }


@pytest.mark.parametrize("name", FLAGS)
def test_flags(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(HEAD + FLAGS[name])
    network = shown(path, "Net")
    assert not network.unknowns
    for flags in itertools.product((True, False), repeat=3):
        names = dict(zip("abc", flags))
        single = shown(path, f"Net({', '.join(f'{key}={flag}' for key, flag in names.items())})")
        expected = told(single, {})
        found = told(network, {key: int(flag) for key, flag in names.items()})
        if name == "shared weights":
            expected.pop("weights"), found.pop("weights")
        assert found == expected, names


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(HEAD + COUNTS[name])
    network = shown(path, "Net")
    assert not network.unknowns
    for n, m in itertools.product((1, 2, 3, 5), (1, 2, 4)):
        assert told(network, {"n": n, "m": m}) == told(shown(path, f"Net({n}, {m})"), {}), (n, m)


def test_a_condition_that_is_settled_is_a_difference(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text("""
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, deep):
        super().__init__()
        if deep:
            self.more = nn.Linear(2, 2)
""")
    (left,), (right,) = cutaway.show(f"{path}::Net"), cutaway.show(f"{path}::Net(True)")
    changed = [change for change in diff(left, right).changes if change.path == "more"]
    assert [change.details for change in changed] == [("there if deep -> always",)]
