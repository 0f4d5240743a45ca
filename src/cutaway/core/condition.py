"""Conditions that a program leaves open, in its own words, and how they are decided in one run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from cutaway.core.pattern import pattern
from cutaway.core.place import Place
from cutaway.core.record import dataclass, field

CONFIGURATION, MODE, DATA, ENVIRONMENT = "configuration", "mode", "data", "environment"
KINDS = (CONFIGURATION, MODE, DATA, ENVIRONMENT)
"""What a condition depends on: an argument of the constructor or of forward, training or evaluation, numbers in tensors, the machine."""

IS_TRAINING = "self.training"
"""How an assumption names the mode of the network."""

_NAME = pattern(r"[\w.]+")
_PLAIN_TYPES = (int, float, str, bool, type(None))
SAME_TRUTH = pattern(r"bool|time_\d+")
"""Calls that are written around a condition: its truth value, the time that it is tested."""
_OPPOSITE = {"==": "!=", "is": "is not", "in": "not in", "<": ">=", ">": "<="}
_RELATIONS = {
    **{positive: (positive, False) for positive in _OPPOSITE},
    **{negative: (positive, True) for positive, negative in _OPPOSITE.items()},
}
_NEGATED = {**_OPPOSITE, **{negative: positive for positive, negative in _OPPOSITE.items()}}
_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.Lt: "<",
    ast.GtE: ">=", ast.Gt: ">", ast.LtE: "<=",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Term:
    """What an undetermined value is, in the user's words: an argument, or an expression of arguments.

    A comparison has its `subject`, its `relation` and what it compares with; its text may be written otherwise. An `inverted` one is the opposite of
    its text. A term without text depends on something that has no name: the numbers in a tensor. A `plain` one
    is not a part of a network, whatever its value.
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
        """Return the term of an attribute of the value."""
        return Term(f"{parenthesized(self.text)}.{name}", self.kind, plain=self.plain) if self._is_value else None

    def item(self, key: object) -> Term | None:
        """Return the term of an item of the value."""
        if not self._is_value or type(key) not in (int, str):
            return None
        return Term(f"{parenthesized(self.text)}[{key!r}]", self.kind, plain=self.plain)

    def combined(self, sign: str, other: object, swapped: bool = False) -> Term | None:
        """Return the term of an operation with a plain value or another term; None where that can't be expressed."""
        text = words(other)
        if not self._is_value or text is None:
            return None
        left, right = (text, parenthesized(self.text)) if swapped else (parenthesized(self.text), text)
        if sign not in _RELATIONS:
            return Term(f"{left} {sign} {right}", self.kind, plain=True)
        positive, inverted = _RELATIONS[sign]
        plain = all(type(item) in _PLAIN_TYPES for item in (other if type(other) is tuple else (other,)))
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


SOMETHING = Term("", ENVIRONMENT)
"""What depends on the machine, the time or chance, and has no name."""


def words(value: object) -> str | None:
    """Return how a value is written in a condition; None where that would not identify it."""
    term = getattr(value, "term", None)
    if isinstance(term, Term):
        return parenthesized(str(term)) if term.text else None
    if isinstance(value, tuple):
        items = [words(item) for item in value]
        return None if None in items else f"({', '.join(map(str, items))})"
    return repr(value) if type(value) in _PLAIN_TYPES else None


def parenthesized(text: str) -> str:
    """Put an expression into parentheses, unless it is a name."""
    return text if _NAME.fullmatch(text) or text.endswith(("]", ")")) else f"({text})"


@lru_cache(maxsize=1 << 12)
def negated(text: str) -> str:
    """Return the text of the opposite of a condition."""
    try:
        expression = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"not ({text})"
    if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.Not):
        inner = text[len("not ") :]
        return inner[1:-1] if f"({ast.unparse(expression.operand)})" == inner else inner
    compared = expression
    while isinstance(compared, ast.Call) and isinstance(compared.func, ast.Name) and len(compared.args) == 1:
        if not SAME_TRUTH.fullmatch(compared.func.id):
            break
        compared = compared.args[0]
    if isinstance(compared, ast.Compare) and len(compared.ops) == 1:
        encoded = text.encode()
        start, end = compared.left.end_col_offset or 0, compared.comparators[0].col_offset
        left, sign, right = (part.decode() for part in (encoded[:start], encoded[start:end], encoded[end:]))
        written = _SIGNS[type(compared.ops[0])]
        return left + sign.replace(written, _NEGATED[written], 1) + right
    is_operand = isinstance(expression, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    return f"not {text}" if is_operand else f"not ({text})"


def _either_way(text: str) -> str:
    """Return what a condition and its opposite have in common, so that occurrences of both are counted together."""
    return min(text, negated(text))


_LATER = pattern(r"time_\d+\((.*)\)")


def decided_both_ways(taken: Mapping[str, Decision]) -> list[str]:
    """Return the conditions that occur more than once and are decided differently."""
    truths: dict[str, set[bool]] = {}
    for text, decision in taken.items():
        later = _LATER.fullmatch(text)
        written = later[1] if later else text
        common = _either_way(written)
        truths.setdefault(common, set()).add(bool(decision.holds) is (written == common))
    both = [text for text, decided in truths.items() if len(decided) > 1]
    return [negated(text) if text.startswith("not ") else text for text in both]


@dataclass(frozen=True, slots=True)
class Decision:
    """A condition that is decided in a run; `preferred` is how it is decided by default."""

    text: str
    kind: str
    place: Place | None
    holds: bool | None
    preferred: bool


@dataclass(slots=True)
class _Range:
    """What the decisions so far imply for one value: what it is, what it is not, and its bounds."""

    known: list[Any] = field(default_factory=list)
    excluded: list[Any] = field(default_factory=list)
    low: float = float("-inf")
    high: float = float("inf")


MAX_CONDITIONS = 40
"""How many conditions are decided in one run."""


_RESUMED = ("taken", "unwritten", "tensors", "choices", "_truths", "_ranges", "_occurrences", "_drawn")


_OF_CLASSES = ("isinstance(", "issubclass(")
"""Tests whose answer a program does not choose, so that an open one may be impossible."""


class InputSeconds:
    """The processor time that is left for the search for inputs; the runs of one network share it.

    So do the networks of one run: `networks` are those that still need a part of it. What runs share, too, is which classes
    were looked for in vain in the project, `without_builder`.
    """

    def __init__(self) -> None:
        self.left = 10.0
        self.networks = 1
        self.without_builder: set[str] = set()


class Decisions:
    """How conditions are decided in one run: as prescribed, or else so that the test holds.

    One that does not follow conditions is the first look at a program: `left_open` tells afterwards that there were some.
    """

    def __init__(
        self, prescribed: Mapping[str, bool] | None = None, follows: bool = True, most: int = MAX_CONDITIONS
    ) -> None:
        self.prescribed: dict[str, bool] = dict(prescribed or {})
        self.given: Mapping[str, bool] = {}  # what the user has decided
        self.taken: dict[str, Decision] = {}
        self.unwritten: dict[str, None] = {}  # conditions that are no test of the program: whether something raises
        self.unfounded: set[str] = set()  # conditions on unknown classes: they may be impossible
        self.follows = follows
        self._most = most  # conditions that are decided, but for those on arguments of constructors
        self.undecided_depth = 0
        self.active = 0
        self.left_open = False  # a condition was left open that could be followed
        self.raised = False  # forward ends with an exception
        self.restarts = False  # the run has to start over, with another plan for a loop
        self.kinds: dict[str, str] = {}  # kinds of arguments, by name
        self.used: set[str] = set()  # prescribed decisions that were needed
        self.plans: dict[str, Any] = {}  # how loops of symbolic length are run, by their keys
        self.loops: set[str] = set()  # the keys of the loops of symbolic length that were met
        self.tensors: dict[Any, tuple[Any, Any]] = {}  # a tensor's identity and number -> the tensor, its truth value
        self.command_lines: list[tuple[str, ...]] = []  # with each value that a required argument may have
        self.input_seconds = InputSeconds()
        self.choices: dict[int, tuple[Any, Any]] = {}  # what unknown values are taken to be, by identity
        self._truths: dict[int, tuple[Any, bool]] = {}  # of unknown values, by identity
        self._ranges: dict[str, _Range] = {}
        self._drawn: dict[int, tuple[Any, list[int]]] = {}  # by identity, what is drawn, and what it may still be
        self._occurrences: dict[str, int] = {}
        self._before_call: dict[str, int] | None = None

    def decide(self, term: Term, place: Place | None, prefer: bool = True) -> bool | None:
        """Return whether a term holds in this run; None where it stays undecided."""
        if not self.active or self.undecided_depth or not term.text:
            return None
        if not self.follows:
            self.left_open = True
        return self._decided(term, place, prefer)

    def saved(self) -> dict[str, Any]:
        """Return the decisions so far, for runs that continue from here."""
        return {name: _copied(getattr(self, name)) for name in _RESUMED}

    def resume(self, saved: Mapping[str, Any]) -> bool:
        """Continue from decisions of another run; False where this run decides one of them differently."""
        for text, decision in saved["taken"].items():
            if self.prescribed.get(text, decision.preferred) is not decision.holds:
                return False
        for name, value in saved.items():
            getattr(self, name).update(_copied(value))
        self.used.update(text for text in self.taken if text in self.prescribed)
        return True

    def known_truth(self, term: Term | None) -> bool | None:
        """Return whether a term holds by the decisions so far, None where they leave it open."""
        if term is None or not term.text:
            return None
        taken = self.taken.get(term.text)
        holds = self._implied(term) if taken is None else taken.holds
        return None if holds is None else holds is not term.inverted

    def rules_out(self, term: Term, value: Any) -> bool:
        """Tell whether a value of a term contradicts the decisions so far."""
        possible = self._ranges.get(term.text)
        return possible is not None and (
            any(type(known) is not type(value) or known != value for known in possible.known)
            or any(type(no) is type(value) and no == value for no in possible.excluded)
        )

    def assumed_value(self, term: Term | None, usual: Any) -> tuple[Any] | None:
        """Return what something is that is used by its value, the usual one unless decisions so far say another.

        None means that these rule the usual value out, and leave open which other one it is. What is decided later is
        decided for the value that is returned.
        """
        if term is None or not term.text:
            return (usual,)
        if term.relation:
            holds = self.known_truth(term)
            return (usual if holds is None else holds,)
        possible = self._ranges.setdefault(term.text, _Range())
        if possible.known:
            return (possible.known[0],)
        if self.rules_out(term, usual):
            return None
        possible.known.append(usual)
        return (usual,)

    @contextmanager
    def forgotten(self) -> Iterator[None]:
        """Forget the decisions that are made inside, and what they imply."""
        saved = self.saved()
        try:
            yield
        finally:
            for name, value in saved.items():
                setattr(self, name, value)

    def settle(self, unknown: Any, text: str, place: Place | None, prefer: bool = True) -> bool | None:
        """Return whether an unknown value is true in this run; None where that stays undecided.

        It is decided once. `text` is how the program writes it, for a value that has no name of its own.
        """
        inverted = False
        while unknown.negation is not None:
            unknown, inverted = unknown.negation, not inverted
        known = self._truths.get(id(unknown))
        if known is not None:
            return known[1] is not inverted
        if unknown.draw is not None:
            truths = {bool(unknown.draw.values[at]) for at in self._left(unknown.draw.origin)}
            if len(truths) == 1:
                return truths.pop() is not inverted
        term: Term | None = unknown.term
        prefer = prefer is not inverted if unknown.usual is None else bool(unknown.usual.value)
        if term is not None and term.text:
            holds = self.decide(term, place, prefer)
        else:
            written = negated(text) if inverted else text
            holds = self._occurrence(written, ENVIRONMENT if term is None else term.kind, place, prefer)
            if term is None and written.startswith(_OF_CLASSES):
                self.unfounded.add(self._occurrence_name(written))
        if holds is None:
            return None
        self._truths[id(unknown)] = unknown, holds
        if unknown.draw is not None:
            left = self._left(unknown.draw.origin)
            left[:] = [at for at in left if bool(unknown.draw.values[at]) is holds]
        return holds is not inverted

    def draw(self, draw: Any, place: Place | None) -> tuple[Any] | None:
        """Return which of a few values something is in this run; None where that stays undecided."""
        origin, left = draw.origin, self._left(draw.origin)
        while len(left) > 1 and any(draw.values[at] is not draw.values[left[0]] for at in left):
            holds = self._occurrence(f"{origin.text} == {origin.names[left[0]]}", ENVIRONMENT, place, True)
            if holds is None:
                return None
            left[:] = left[:1] if holds else left[1:]
        return (draw.values[left[0]],)

    def _left(self, origin: Any) -> list[int]:
        """Return the numbers of the values that something drawn may still be."""
        return self._drawn.setdefault(id(origin), (origin, list(range(len(origin.values)))))[1]

    def occurrence(self, text: str, kind: str, place: Place | None, prefer: bool = True) -> bool | None:
        """Decide a condition that the program does not test, and that may differ each time it occurs."""
        known = set(self.taken)
        holds = self._occurrence(text, kind, place, prefer)
        self.unwritten.update((new, None) for new in self.taken if new not in known)
        return holds

    def _occurrence(self, text: str, kind: str, place: Place | None, prefer: bool) -> bool | None:
        counted = _either_way(text)
        self._occurrences[counted] = self._occurrences.get(counted, 0) + 1
        return self.decide(Term(self._occurrence_name(text), kind), place, prefer)

    def _occurrence_name(self, text: str) -> str:
        count = self._occurrences[_either_way(text)]
        return text if count == 1 else f"time_{count}({text})"

    def start_call(self) -> None:
        """Count occurrences from the start of the call: a network may be called again in the same run."""
        if self._before_call is None:
            self._before_call = dict(self._occurrences)
        self._occurrences = dict(self._before_call)

    def loop_key(self, place: Place | None) -> str:
        """Return the key of a loop: its place, and how often it occurred before in this run."""
        count = self._occurrences[str(place)] = self._occurrences.get(str(place), 0) + 1
        key = f"{place}#{count}"
        self.loops.add(key)
        return key

    def _decided(self, term: Term, place: Place | None, prefer: bool) -> bool | None:
        known = self.taken.get(term.text)
        if known is not None:
            return known.holds is not term.inverted
        holds = self._implied(term)
        if holds is None:
            preferred = prefer is not term.inverted
            holds = self.prescribed.get(term.text, preferred)
            if term.text in self.prescribed:
                self.used.add(term.text)
            if len(self.taken) >= MAX_CONDITIONS or (term.kind != CONFIGURATION and self._is_full()):
                return None
            self.taken[term.text] = Decision(term.text, term.kind, place, holds, preferred)
            self._learn(term, holds)
        return holds is not term.inverted

    def _is_full(self) -> bool:
        return sum(decision.kind != CONFIGURATION for decision in self.taken.values()) >= self._most

    def _implied(self, term: Term) -> bool | None:
        """Return what the decisions so far imply for a term, None where they leave it open."""
        if term.relation == "is not":
            holds = self._implied(_positive(term))
            return None if holds is None else not holds
        possible = self._ranges.get(term.subject or term.text)
        if possible is None:
            return None
        if possible.known:
            return _compared(possible.known[0], term)
        other = term.other
        if not term.relation:
            return None
        if term.relation in ("==", "is") and any(type(no) is type(other) and no == other for no in possible.excluded):
            return False
        if isinstance(other, (int, float)) and not isinstance(other, bool):
            if term.relation == "<" and (possible.high < other or possible.low >= other):
                return possible.high < other
            if term.relation == ">" and (possible.low > other or possible.high <= other):
                return possible.low > other
            if term.relation == "==" and not possible.low <= other <= possible.high:
                return False
        return None

    def _learn(self, term: Term, holds: bool) -> None:
        if term.relation == "is not":
            self._learn(_positive(term), not holds)
            return
        possible = self._ranges.setdefault(term.subject or term.text, _Range())
        other = term.other
        is_number = isinstance(other, (int, float)) and not isinstance(other, bool)
        if not term.relation:
            possible.excluded += [None, False, 0, ""] if holds else [True]
        elif term.relation in ("==", "is"):
            (possible.known if holds else possible.excluded).append(other)
        elif is_number and term.relation == "<":
            possible.high, possible.low = (
                (min(possible.high, other - 1), possible.low)
                if holds
                else (
                    possible.high,
                    max(possible.low, other),
                )
            )
        elif is_number and term.relation == ">":
            possible.low, possible.high = (
                (max(possible.low, other + 1), possible.high)
                if holds
                else (
                    possible.low,
                    min(possible.high, other),
                )
            )


def _positive(term: Term) -> Term:
    """Return the comparison that a term whose text says the opposite is about."""
    return Term(term.text, term.kind, term.subject, "is", term.other)


def _copied(decided: dict[Any, Any]) -> dict[Any, Any]:
    """Return a copy that later decisions leave as it is."""
    return {key: _copied_item(item) for key, item in decided.items()}


def _copied_item(item: Any) -> Any:
    if type(item) is _Range:
        return _Range(list(item.known), list(item.excluded), item.low, item.high)
    return (item[0], list(item[1])) if type(item) is tuple and type(item[1]) is list else item


def _compared(value: Any, term: Term) -> bool | None:
    """Return whether a term holds for a known value."""
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
