"""What a generated program is put together from: lines of source, a part of a network, and the program as it grows."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from benchmarks.soundness import decisions
from benchmarks.soundness.program import Decision

Lines = list[str]
MOST_DECISIONS = 3


def block(header: str, body: Lines) -> Lines:
    """Return a compound statement."""
    return [header, *indented(body or ["pass"])]


def indented(lines: Lines) -> Lines:
    """Return lines one level deeper."""
    return [f"    {line}" for line in lines]


@dataclass
class State:
    """Something that a decision may change and that the network is built from.

    `setup` makes it, `build` makes layers from it, `forward` calls them; `opening` stands before
    changes in `forward`. It lives in `__init__`, at the top of the module
    or in `forward`, as `site` says. `objects` are what a function has to be given to change it; `rebinds` is a name that
    changes rebind, which a function has to declare. `changes` are ways to change it, by name; `§` in one stands for
    a number that is open.
    """

    name: str
    changes: dict[str, Lines]
    setup: Lines = field(default_factory=list)
    build: Lines = field(default_factory=list)
    opening: Lines = field(default_factory=list)
    forward: Lines = field(default_factory=list)
    top: Lines = field(default_factory=list)
    members: Lines = field(default_factory=list)
    site: str = "init"
    objects: tuple[str, ...] = ()
    rebinds: str = ""
    unseen: tuple[str, str] | None = None
    files: dict[str, str] = field(default_factory=dict)


class Part:
    """A part of a network as it is written: lines at the top of the module, members, and the two methods."""

    def __init__(self, draft: Draft, number: int) -> None:
        self.draft, self.number = draft, number
        self.rng = draft.rng
        self.top: Lines = []
        self.members: Lines = []
        self.init: Lines = []
        self.forward: Lines = []
        self.files: dict[str, str] = {}
        self.tags: list[str] = []
        self.home = ""
        self._names = 0

    def name(self, word: str) -> str:
        """Return a new name that belongs to this part."""
        self._names += 1
        letter = "" if self._names == 1 else "abcdefghijklmnopqrstuvwxyz"[(self._names - 2) % 26]
        return f"{word}_{letter}{self.number}" if letter else f"{word}_{self.number}"

    def tag(self, text: str) -> None:
        """Note a construct that the part contains."""
        if text not in self.tags:
            self.tags.append(text)

    def test(self, site: str) -> str:
        """Return an expression that is open; it may be one that is used already."""
        draft = self.draft
        if draft.flags and (len(draft.decisions) >= MOST_DECISIONS or self.rng.random() < 0.1):
            return self.rng.choice(draft.flags)
        decision = decisions.boolean(self.rng, len(draft.decisions) + 1, site == "forward")
        self.decide(decision)
        way = self.rng.random()
        if decision.kind == "data" or way < 0.6:
            if decision.kind != "data":
                draft.flags.append(decision.text)
            return decision.text
        return self._kept(decision.text, way)

    def _kept(self, text: str, way: float) -> str:
        """Return an open expression under a name at the top of the module, or as a function's result."""
        name = self.name("flag" if way < 0.85 else "wanted")
        if way < 0.85:
            self.top.insert(0, f"{name.upper()} = {text}")
            self.tag("open: kept in a global")
            return name.upper()
        self.top[:0] = block(f"def {name}():", [f"return {text}"])
        self.tag("open: returned by a function")
        return f"{name}()"

    def count(self) -> str:
        """Return an expression that is an open number."""
        decision = decisions.numeric(self.rng, len(self.draft.decisions) + 1)
        self.decide(decision)
        return decision.text

    def decide(self, decision: Decision) -> Decision:
        """Enter a decision."""
        self.draft.decisions.append(decision)
        self.tag(f"open: {decision.kind}")
        return decision


class Draft:
    """A program as it is written."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.decisions: list[Decision] = []
        self.flags: list[str] = []
        self.parts: list[Part] = []

    def is_full(self) -> bool:
        """Tell whether no more decisions are to be added."""
        return len(self.decisions) >= MOST_DECISIONS
