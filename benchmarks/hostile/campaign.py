"""Campaigns: programs that are generated from the inventory or mutated from real ones, each run in a child process."""

from __future__ import annotations

import json
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import cutaway
from benchmarks.hostile.inventory import Inventory
from cutaway.core.record import compile_initialisers
from cutaway.knowledge.base import registry
from tests.hostile.apart import Lost, apart
from tests.hostile.snapshot import changed, state
from tests.hostile.watch import watching

_OBJECTS = """
import textwrap
class Text(str):
    def __str__(self):
        return '__globals__'
class Thing:
    _fields = __match_args__ = __slotnames__ = __all__ = ('__globals__', '__class__', '__subclasses__')
    def __init__(self, *args, **kwargs):
        for value in (*args, *kwargs.values()):
            loot(value)
    def __call__(self, *args, **kwargs):
        for value in (*args, *kwargs.values()):
            loot(value)
        return textwrap.dedent
    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return textwrap.dedent
    def __iter__(self):
        return iter([textwrap.dedent, '__globals__', object])
    def __reduce_ex__(self, version):
        return (lambda: textwrap.dedent, (), {'hostile_mark': 1})
    def __len__(self):
        return 3
    def __getitem__(self, key):
        loot(key)
        return textwrap.dedent
    def keys(self):
        return ['__globals__']
class Items(list, metaclass=type('Meta', (type,), {'__mro_entries__': None})):
    __array_interface__ = {'data': (4096, False), 'shape': (4,), 'typestr': '|u1', 'version': 3}
VALUES = [Thing(), Thing, Items([1]), Text('x'), textwrap.dedent, object, '__globals__', lambda *a, **k: loot(a), 1, [], {}]
def attack(function):
    for one in VALUES:
        for args in ((one,), (one, '__globals__'), (textwrap.dedent, one), (object, one, 1)):
            try:
                result = function(*args)
                loot(result)
                for item in result:
                    loot(item)
            except Exception as error:
                loot(getattr(error, 'obj', None))
"""
_NETWORK = """
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
    def forward(self, x):
        return self.fc(x)
"""
_WAY = re.compile(r"[A-Za-z_][\w.]*")
_PER_PROGRAM = 4
_CODE = re.compile(r"```py(?:thon)?\n(.*?)```", re.DOTALL)
_PIECES = (
    "__import__('os').system('touch HERE')", "().__class__.__base__.__subclasses__()", "(lambda: 1).__globals__", "None",
    "[]", "-1", "10 ** 9", "'x' * 10", "{}", "type", "object()", "getattr(type, '__dict__')", "yield", "...", "1 / 0",
)  # fmt: skip


def sources_of_inventory() -> list[str]:
    """Return programs that call every native callable which has a name, with objects that do something."""
    ways = sorted(way for way in Inventory().walk().callables.values() if _WAY.fullmatch(way))
    sources = []
    for start in range(0, len(ways), _PER_PROGRAM):
        lines = []
        for way in ways[start : start + _PER_PROGRAM]:
            module = way.partition(".")[0]
            lines.append(f"try:\n    import {module}\nexcept ImportError:\n    pass")
            lines.append(f"try:\n    attack({way})\nexcept Exception:\n    pass")
        sources.append(_OBJECTS + "\n".join(lines) + _NETWORK)
    return sources


def real_sources(folder: Path) -> list[str]:
    """Return the programs in the literate cases."""
    return [text for file in sorted(folder.glob("*.md")) for text in _CODE.findall(file.read_text(encoding="utf-8"))]


def mutated(source: str, chance: random.Random) -> str:
    """Return a program with some of its lines or words changed."""
    lines = source.splitlines() or [""]
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(lines))
        kind = chance.randrange(4)
        if kind == 0:
            lines[at] = ""
        elif kind == 1:
            lines.insert(at, lines[chance.randrange(len(lines))])
        elif words := re.findall(r"\w+", lines[at]):
            word = chance.choice(words)
            new = chance.choice(_PIECES) if kind == 2 else chance.choice(re.findall(r"\w+", source) or ["x"])
            lines[at] = lines[at].replace(word, new, 1)
    return "\n".join(lines)


def effects(source: str, seconds: float) -> list[str]:
    """Return what a program does to its host while it is analysed."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.py"
        model.write_text(source.replace("HERE", folder), encoding="utf-8", errors="replace")
        compile_initialisers()
        before = state()
        with watching() as watch, suppress(cutaway.CutawayError):
            cutaway.show(str(model), timeout=seconds, isolated=False)
        acts = [act for act in watch.acts if folder not in act]
        return [*acts, *watch.escaped(), *changed(before, state())]


def outcome(source: str, seconds: float = 5.0) -> str:
    """Run a program in a child process; return how that ends: "nothing", or what is wrong."""
    try:
        found = apart(effects, source, seconds, seconds=seconds + 10)
    except Lost as lost:
        return f"lost: {lost}"
    except AssertionError as error:
        return f"traceback: {str(error).strip().splitlines()[-1][:200]}"
    return f"effect: {found[0][:200]}" if found else "nothing"


def programs(seed: int) -> Iterator[tuple[str, str]]:
    """Yield kinds of programs and programs, without end: those of the inventory first, then mutations."""
    chance = random.Random(seed)
    generated = sources_of_inventory()
    chance.shuffle(generated)
    real = real_sources(Path(__file__).parents[2] / "tests" / "cases")
    for at, source in enumerate(generated):
        yield "of the inventory", source
        yield "mutated", mutated(real[at % len(real)], chance)
    while True:
        yield "mutated", mutated(chance.choice(real), chance)
        yield "mutated of the inventory", mutated(chance.choice(generated), chance)


def run(seconds: float, seed: int, file: Path | None) -> int:
    """Run programs for a time, print the counts; 1 if one of them did something."""
    registry.load_all()
    counts: Counter[str] = Counter()
    wrong: list[dict[str, str]] = []
    end = time.monotonic() + seconds
    for kind, source in programs(seed):
        ending = outcome(source)
        counts[f"{kind}: {ending.partition(':')[0]}"] += 1
        if ending != "nothing":
            wrong.append({"kind": kind, "outcome": ending, "source": source})
            print(f"{kind}: {ending}")
        if time.monotonic() > end:
            break
    for name, count in sorted(counts.items()):
        print(f"{count:6}  {name}")
    if file is not None:
        file.write_text(json.dumps({"counts": counts, "wrong": wrong}, indent=1), encoding="utf-8")
    return 1 if wrong else 0
