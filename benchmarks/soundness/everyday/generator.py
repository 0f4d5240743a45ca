"""Everyday programs, made from a seed."""

from __future__ import annotations

import random
import re

from benchmarks.soundness.everyday import derived, idioms  # noqa: F401  (they enter idioms)
from benchmarks.soundness.everyday.writer import IDIOMS, Idiom, Writer, lines
from benchmarks.soundness.program import Program

_MODULES = (
    "collections contextlib copy dataclasses datetime enum functools getpass glob importlib importlib.util itertools json os "
    "pathlib platform random shutil socket sys time uuid"
).split()


def generate(seed: int) -> Program:
    """Return the program of a seed."""
    rng = random.Random(f"everyday {seed}")
    writer = Writer(rng)
    chosen = []
    for number in range(1, rng.choice([1, 1, 2, 2, 3]) + 1):
        maker = rng.choice(IDIOMS)
        if writer.is_full:
            break
        chosen.append((maker.__name__.replace("_", " "), maker(writer, number)))
    return _program(writer, chosen)


_NESTS = (
    "for _ in range(1):\n{}",
    "try:\n{}\nfinally:\n    pass",
    "try:\n{}\nexcept (AttributeError, ZeroDivisionError):\n    raise",
    "with contextlib.suppress(StopAsyncIteration):\n{}",
    "with torch.no_grad():\n{}",
    "while True:\n{}\n    break",
    "if True:\n{}",
)


def _nested(rng: random.Random, init: str) -> str:
    """Return lines of `__init__`, now and then inside of another statement."""
    if not init.strip() or rng.random() < 0.75:
        return init
    return rng.choice(_NESTS).format(lines(init, 1))


def _program(writer: Writer, chosen: list[tuple[str, Idiom]]) -> Program:
    rng = writer.rng
    tops = [idiom.top for _, idiom in chosen if idiom.top]
    members = "".join(lines(idiom.members, 1) + "\n" for _, idiom in chosen if idiom.members)
    init = "".join(lines(_nested(rng, idiom.init), 2) + "\n" for _, idiom in chosen)
    forward = "".join(lines(idiom.forward, 2) + "\n" for _, idiom in chosen)
    has_extras = "extras[" in forward
    opening = "        extras = {}\n" if has_extras else ""
    result = '{"out": self.head(x), **extras}' if has_extras else "self.head(x)"
    body = "\n\n".join(lines(top, 0) for top in tops)
    network = (
        f"class Net(nn.Module):\n{members}"
        f"    def __init__(self):\n        super().__init__()\n        self.stem = nn.Linear(4, 4)\n{init}"
        f"        self.head = nn.Linear(4, 2)\n\n    def forward(self, x):\n{opening}        x = self.stem(x)\n{forward}"
        f"        return {result}\n"
    )
    later = writer.test()
    change = rng.choice(
        [
            "net.head = nn.Linear(4, 3)",
            "net.extra = nn.ReLU()",
            "net.stem.requires_grad_(False)",
            "net.stem.bias = None",
            "del net.head; net.head = nn.Identity()",
            "net.double().float()",
            "net = nn.Sequential(net)",
            "net.head = net.stem",
        ]
    )
    target, ending = rng.choice(
        [
            ("Net", ""),
            ("Net", ""),
            ("net", f"\n\nnet = Net()\nif {later}:\n    {change}\n"),
            ("build()", f"\n\ndef build():\n    net = Net()\n    if {later}:\n        {change}\n    return net\n"),
            ("net", f"\n\nnet = Net()\n\n\ndef tune():\n    global net\n    if {later}:\n        {change}\n\n\ntune()\n"),
            ("model", "\n\nmodel = Net()\n"),
            ("build()", "\n\ndef build():\n    net = Net()\n    return net\n"),
            ("Outer", "\n\nclass Outer(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.net = Net()\n"
             "\n    def forward(self, x):\n        return self.net(x)\n"),
        ]
    )  # fmt: skip
    source = f"{body}\n\n\n{network}{ending}"
    used = [f"import {name}" for name in _MODULES if re.search(rf"\b{re.escape(name)}\b", source)]
    if re.search(r"\bnp\.", source):
        used.append("import numpy as np")
    text = "\n".join([*used, "import torch", "from torch import nn", "", source])
    files = {path: content for _, idiom in chosen for path, content in idiom.files.items()}
    parts = tuple((f"idiom: {name}",) for name, _ in chosen)
    return Program({"model.py": text, **files}, tuple(writer.decisions), f"model.py::{target}", parts=parts)
