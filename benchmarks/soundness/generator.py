"""Programs with open decisions, made from a seed: parts, each a state, a change of it, and what decides the change."""

from __future__ import annotations

import random
import re

from benchmarks.soundness import controls, decisions
from benchmarks.soundness.direct import DIRECT
from benchmarks.soundness.more_states import IN_FORWARD, MORE
from benchmarks.soundness.packages import PACKAGES
from benchmarks.soundness.program import Program
from benchmarks.soundness.states import ALL
from benchmarks.soundness.writing import MOST_DECISIONS, Draft, Lines, Part, State, block

MODULES = (
    "collections contextlib dataclasses datetime functools getpass importlib importlib.util itertools logging os pathlib "
    "platform random socket time types warnings"
).split()
_LOOPING = (controls.breaking, controls.continuing, controls.loop_else, controls.while_once)
FAMILIES = [ALL, ALL, ALL, MORE, MORE, IN_FORWARD, IN_FORWARD, PACKAGES]


def generate(seed: int) -> Program:
    """Return the program of a seed."""
    draft = Draft(random.Random(seed))
    rng = draft.rng
    count = rng.choice([1, 1, 2, 2, 3])
    for number in range(1, count + 1):
        part = Part(draft, number)
        draft.parts.append(part)
        _write(part)
        if draft.is_full():
            break
    return _assembled(draft)


def _write(part: Part) -> None:
    rng = part.rng
    if rng.random() < 0.2:
        rng.choice(DIRECT)(part)
        return
    state = rng.choice(rng.choice(FAMILIES))(part, part.number)
    part.tag(f"state: {state.name}")
    _place(part, state, _changes(part, state))


def _changes(part: Part, state: State) -> Lines:
    """Return the lines that change a state, each change where something open says so."""
    rng = part.rng
    if state.unseen is not None and rng.random() < 0.12:
        part.tag("change: by an unseen function")
        argument, effect = state.unseen
        call, imported = decisions.unseen(len(part.draft.decisions) + 1, argument, effect)
        part.decide(call)
        part.draft.decisions.append(imported)
        part.top.insert(0, imported.text)
        return [call.text]
    names = list(state.changes)
    lines: Lines = []
    for name in rng.sample(names, min(len(names), rng.choice([1, 1, 2]))):
        lines += _change(part, state, name)
        if part.draft.is_full():
            break
    return lines


def _change(part: Part, state: State, name: str) -> Lines:
    rng = part.rng
    part.tag(f"change: {state.name}, {name}")
    body = list(state.changes[name])
    site = state.site
    if any("§" in line for line in body):
        number = part.name("n")
        opened = [f"{number} = {part.count()}", *(line.replace("§", number) for line in body)]
        if rng.random() < 0.5 or part.draft.is_full():
            return opened
        body = opened
    depth = rng.choice([1, 1, 1, 2, 2, 3])
    for _ in range(depth):
        family = rng.choice(controls.FAMILIES)
        control = rng.choice(family)
        if any("§" in line for line in body) or (control in _LOOPING and "break" in body):
            control = controls.branch
        part.tag(f"control: {control.__name__.replace('_', ' ')}")
        body = control(part, state, body, site)
        if len(part.draft.decisions) >= MOST_DECISIONS:
            break
    return body


def _place(part: Part, state: State, changes: Lines) -> None:
    """Put a state and its changes where they belong."""
    part.files.update(state.files)
    part.members[:0] = state.members
    if state.site == "module":
        _before_definitions(part, state, changes)
        part.init += [*state.setup, *state.build]
    elif state.site == "forward":
        part.top[:0] = state.top
        part.init += [*state.setup, *state.build]
        part.forward += [*state.opening, *changes]
    else:
        part.top[:0] = state.top
        names = [name for name in controls.rebound(state, changes) if controls.is_global(state, name)]
        declared = [f"global {', '.join(names)}"] if names else []
        part.init += [*declared, *state.setup, *changes, *state.build]
    part.forward += state.forward


def _before_definitions(part: Part, state: State, changes: Lines) -> None:
    """Put changes at the top of the module, behind all that they use."""
    part.top = [*state.top, *part.top, *changes]


def _assembled(draft: Draft) -> Program:
    """Put the parts together as the files of a program."""
    assembly = _Assembly(draft.rng)
    for part in draft.parts:
        assembly.add(part)
    files, target = assembly.files_and_target()
    installed = "site-packages" if any(path.startswith("site-packages/") for path in files) else ""
    parts = tuple(tuple(part.tags) for part in draft.parts)
    return Program(files, tuple(draft.decisions), target, installed=installed, parts=parts).pruned()


class _Assembly:
    """A network to which parts are added: into it, into its base class, or as modules of their own."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.top: Lines = []
        self.classes: Lines = []
        self.members: Lines = []
        self.init: Lines = []
        self.forward: Lines = []
        self.files: dict[str, str] = {}
        self.base = "nn.Module"

    def add(self, part: Part) -> None:
        """Add a part where its home is."""
        self.files.update(part.files)
        home = part.home or self.rng.choice(["network", "network", "block", "file", "base"])
        if any("extras" in line for line in part.forward) or (home == "base" and self.base != "nn.Module"):
            home = "network"
        part.tag(f"home: {home}")
        if home in ("network", "base"):
            self._add_inside(part, home == "base")
        else:
            self._add_block(part, home == "file")

    def _add_inside(self, part: Part, in_base: bool) -> None:
        self.top += part.top
        self.members += part.members
        self.forward += part.forward
        if not in_base:
            self.init += part.init
            return
        self.base = f"Base{part.number}"
        started = block("def __init__(self):", ["super().__init__()", *part.init])
        self.classes += block(f"class {self.base}(nn.Module):", started)

    def _add_block(self, part: Part, in_file: bool) -> None:
        i = part.number
        lines = _block_class(part)
        self.init.append(f"self.block{i} = Block{i}()")
        self.forward.append(f"x = self.block{i}(x)")
        if in_file:
            self.files[f"blocks{i}.py"] = _file([*part.top, *lines])
            self.top.append(f"from blocks{i} import Block{i}")
        else:
            self.top += part.top
            self.classes += lines

    def files_and_target(self) -> tuple[dict[str, str], str]:
        """Return all files, and what is shown of them."""
        text = "\n".join(self.forward)
        started = [line for line, name in (("extras = {}", "extras"), ("inputs = x", "inputs")) if name in text]
        body = [
            *self.members,
            *block("def __init__(self):", ["super().__init__()", *self.init]),
            *block("def forward(self, x):", [*started, *self.forward, *_returned(self.rng, self.forward)]),
        ]
        network = block(f"class Net({self.base}):", body)
        source, target = _target(self.rng, [*self.top, *self.classes, *network])
        return {**self.files, "model.py": source}, target


def _block_class(part: Part) -> Lines:
    body = [
        *part.members,
        *block("def __init__(self):", ["super().__init__()", *part.init]),
        *block(
            "def forward(self, x):",
            [*(["inputs = x"] if "x = inputs" in part.forward else []), *part.forward, "return x"],
        ),
    ]
    return block(f"class Block{part.number}(nn.Module):", body)


def _returned(rng: random.Random, forward: Lines) -> Lines:
    if any("extras" in line for line in forward):
        return ["return x, extras"]
    return [rng.choice(["return x", "return x", "return x, torch.relu(x)", 'return {"out": x}'])]


def _target(rng: random.Random, lines: Lines) -> tuple[str, str]:
    """Return the source of the program, and what is shown of it."""
    way = rng.random()
    if way < 0.75:
        return _file(lines), "model.py::Net"
    if way < 0.88:
        made = rng.choice(["Net()", "Net()", "Net().eval()", "Net().train()"])
        return _file([*lines, f"net = {made}"]), "model.py::net"
    return _file([*lines, *block("def build():", ["return Net()"])]), "model.py::build"


def _file(lines: Lines) -> str:
    """Return the source of a file with the imports that it needs."""
    text = "\n".join(lines)
    imports = [f"import {name}" for name in MODULES if re.search(rf"(?<![\w.]){re.escape(name)}\.", text)]
    return "\n".join([*imports, "import torch", "from torch import nn", "", *lines, ""])
