"""Conditions that a program leaves open, in its own words, and how they are decided in one run of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cutaway.core.place import Place
from cutaway.core.record import dataclass, field

CONFIGURATION, MODE, DATA, ENVIRONMENT = "configuration", "mode", "data", "environment"
KINDS = (CONFIGURATION, MODE, DATA, ENVIRONMENT)
"""What a condition hangs on: an argument of the constructor, training or evaluation, numbers in tensors, the machine."""

_NAME = re.compile(r"[\w.]+")
_PLAIN = (int, float, str, bool, type(None))
_OPPOSITE = {"==": "!=", "is": "is not", "in": "not in", "<": ">=", ">": "<="}
_RELATIONS = {
    **{positive: (positive, False) for positive in _OPPOSITE},
    **{negative: (positive, True) for positive, negative in _OPPOSITE.items()},
}


@dataclass(frozen=True, slots=True)
class Term:
    """What an undetermined value is, in the user's words: an argument, or an expression of arguments.

    A comparison keeps its `subject`, its `relation` and what it compares with. An `inverted` one is the opposite of
    what its text says. A term without text hangs on something that has no name: the numbers in a tensor. A `plain` one
    is no part of a network, whatever it is.
    """

    text: str
    kind: str = CONFIGURATION
    subject: str = ""
    relation: str = ""
    other: Any = field(default=None, compare=False)
    inverted: bool = False
    plain: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return negated(self.text) if self.inverted else self.text

    def opposite(self) -> Term:
        """Return the term that holds where this one does not."""
        return Term(self.text, self.kind, self.subject, self.relation, self.other, not self.inverted, True)

    def attribute(self, name: str) -> Term | None:
        """Return what an attribute of the value is called."""
        return Term(f"{grouped(self.text)}.{name}", self.kind, plain=self.plain) if self._is_value else None

    def item(self, key: object) -> Term | None:
        """Return what an item of the value is called."""
        if not self._is_value or type(key) not in (int, str):
            return None
        return Term(f"{grouped(self.text)}[{key!r}]", self.kind, plain=self.plain)

    def combined(self, sign: str, other: object, swapped: bool = False) -> Term | None:
        """Return the term of an operation with a plain value or another term; None where that has no words."""
        text = words(other)
        if not self._is_value or text is None:
            return None
        left, right = (text, grouped(self.text)) if swapped else (grouped(self.text), text)
        if sign not in _RELATIONS:
            return Term(f"{left} {sign} {right}", self.kind, plain=True)
        positive, inverted = _RELATIONS[sign]
        plain = all(type(item) in _PLAIN for item in (other if type(other) is tuple else (other,)))
        return Term(
            f"{left} {positive} {right}",
            self.kind,
            left if plain else "",
            positive if plain else "",
            other if plain else None,
            inverted,
            True,
        )

    @property
    def _is_value(self) -> bool:
        return bool(self.text) and not self.inverted and not self.relation


def words(value: object) -> str | None:
    """Return how a value is written in a condition; None where that would not say what it is."""
    term = getattr(value, "term", None)
    if isinstance(term, Term):
        return grouped(str(term)) if term.text else None
    if isinstance(value, tuple):
        items = [words(item) for item in value]
        return None if None in items else f"({', '.join(map(str, items))})"
    return repr(value) if type(value) in _PLAIN else None


def grouped(text: str) -> str:
    """Put an expression into brackets, unless it is a name."""
    return text if _NAME.fullmatch(text) or text.endswith(("]", ")")) else f"({text})"


def negated(text: str) -> str:
    """Return the words of the opposite of a condition."""
    for positive, negative in _OPPOSITE.items():
        left, sign, right = text.partition(f" {positive} ")
        if sign and not any(word in text for word in (" and ", " or ", " if ")):
            return f"{left} {negative} {right}"
    return f"not {text}" if _NAME.fullmatch(text) else f"not ({text})"


@dataclass(frozen=True, slots=True)
class Decision:
    """A condition that was decided in a run, in its words; `preferred` is what it is taken for at first."""

    text: str
    kind: str
    place: Place | None
    holds: bool | None
    preferred: bool


@dataclass(slots=True)
class _Range:
    """What the decisions so far say of one value: what it is, what it is not, and its bounds."""

    known: list[Any] = field(default_factory=list)
    excluded: list[Any] = field(default_factory=list)
    low: float = float("-inf")
    high: float = float("inf")


MOST = 40
"""Conditions that are decided in one run."""


class Decisions:
    """How conditions are decided in one run: as they are given, or for the first time, so that the test holds."""

    def __init__(self, given: Mapping[str, bool] | None = None, follows: bool = True) -> None:
        self.given: dict[str, bool] = dict(given or {})
        self.taken: dict[str, Decision] = {}
        self.follows = follows
        self.held = 0
        self.active = 0
        self.dropped: dict[str, Place | None] = {}
        self.wanted = False  # something was left open that could be followed
        self.restarts = False  # a loop is to be followed in another way
        self.kinds: dict[str, str] = {}  # what arguments are like, by name
        self.used: set[str] = set()  # what was given and asked for
        self.plans: dict[str, Any] = {}  # how loops of symbolic length are followed, by their keys
        self._ranges: dict[str, _Range] = {}
        self._met: dict[str, int] = {}
        self._before_call: dict[str, int] | None = None

    def decide(self, term: Term, place: Place | None, prefer: bool = True) -> bool | None:
        """Return whether a term holds in this run; None where it is left open."""
        if not self.active or self.held or not term.text:
            return None
        if not self.follows:
            self.wanted = True
            return None
        return self._decided(term, place, prefer)

    def occurrence(self, text: str, kind: str, place: Place | None) -> bool | None:
        """Decide a condition that may be another one each time it is met."""
        count = self._met[text] = self._met.get(text, 0) + 1
        return self.decide(Term(text if count == 1 else f"time_{count}({text})", kind), place)

    def start_call(self) -> None:
        """Count what is met from here as the first time: a network may be called again in the same run."""
        if self._before_call is None:
            self._before_call = dict(self._met)
        self._met = dict(self._before_call)

    def numbered(self, place: Place | None) -> str:
        """Return the key of a loop: its place, and how often it was met before in this run."""
        count = self._met[str(place)] = self._met.get(str(place), 0) + 1
        return f"{place}#{count}"

    def _decided(self, term: Term, place: Place | None, prefer: bool) -> bool | None:
        known = self.taken.get(term.text)
        if known is not None:
            return known.holds is not term.inverted
        holds = self._implied(term)
        if holds is None:
            preferred = prefer is not term.inverted and term.kind != MODE
            holds = self.given.get(term.text, preferred)
            if term.text in self.given:
                self.used.add(term.text)
            if len(self.taken) >= MOST:
                self.dropped.setdefault(term.text, place)
                return None
            self.taken[term.text] = Decision(term.text, term.kind, place, holds, preferred)
            self._learn(term, holds)
        return holds is not term.inverted

    def _implied(self, term: Term) -> bool | None:
        """Return what the decisions so far say about a term, None where they leave it open."""
        known = self._ranges.get(term.subject or term.text)
        if known is None:
            return None
        if known.known:
            return _compared(known.known[0], term)
        other = term.other
        if not term.relation:
            return None
        if term.relation in ("==", "is") and any(type(no) is type(other) and no == other for no in known.excluded):
            return False
        if isinstance(other, (int, float)) and not isinstance(other, bool):
            if term.relation == "<" and (known.high < other or known.low >= other):
                return known.high < other
            if term.relation == ">" and (known.low > other or known.high <= other):
                return known.low > other
            if term.relation == "==" and not known.low <= other <= known.high:
                return False
        return None

    def _learn(self, term: Term, holds: bool) -> None:
        known = self._ranges.setdefault(term.subject or term.text, _Range())
        other = term.other
        is_number = isinstance(other, (int, float)) and not isinstance(other, bool)
        if not term.relation:
            known.excluded += [None, False, 0, ""] if holds else [True]
        elif term.relation in ("==", "is"):
            (known.known if holds else known.excluded).append(other)
        elif is_number and term.relation == "<":
            known.high, known.low = (
                (min(known.high, other - 1), known.low)
                if holds
                else (
                    known.high,
                    max(known.low, other),
                )
            )
        elif is_number and term.relation == ">":
            known.low, known.high = (
                (max(known.low, other + 1), known.high)
                if holds
                else (
                    known.low,
                    min(known.high, other),
                )
            )


def _compared(value: Any, term: Term) -> bool | None:
    """Return whether a term holds of a known value."""
    other = term.other
    try:
        match term.relation:
            case "":
                return bool(value)
            case "==":
                return bool(value == other)
            case "is":
                return value is other if other is None or isinstance(other, bool) else None
            case "<":
                return bool(value < other)
            case ">":
                return bool(value > other)
            case "in":
                return value in other
    except TypeError:
        return None
    return None
