"""Sequences of symbolic length: items, and groups of items that come a symbolic number of times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from cutaway.core.protocols import is_resizable
from cutaway.core.record import dataclass
from cutaway.core.size.atom import Symbol
from cutaway.core.size.dim import Dim, Size, equal, less, substitute, symbol, symbols, unknown_size
from cutaway.core.unknown import Interruption, Undecidable, Unknown, decisions

INDICES = "ijklmn"
"""The names that count repeats, the outermost first."""


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """A group of items that comes `count` times; `index` is what counts them, from 0."""

    items: tuple[Any, ...]
    count: Any
    index: str = INDICES[0]

    def at(self, index: Size) -> list[Any]:
        """Return the items of the iteration of this index."""
        return [shifted(item, self.index, index) for item in self.items]


class Series:
    """A sequence of symbolic length, as its parts: plain items, and repeats."""

    def __init__(self, parts: Iterable[Any] = (), reason: str = "") -> None:
        self.parts: list[Any] = list(parts)
        self.reason = reason

    def __iter__(self) -> Iterator[Any]:
        self.refuse()

    def __len__(self) -> int:
        self.refuse()

    def __getitem__(self, index: Any) -> Any:
        item = self.at(index) if type(index) is int else None
        if item is None:
            self.refuse()
        return item

    def __setitem__(self, index: Any, value: Any) -> None:
        """Lose the items: any of them may be the one that is replaced."""
        unknown = Unknown(f"an item of a sequence of {self.length} items is replaced")
        self.parts = [Repeat((unknown,), self.length)]

    def at(self, index: int) -> Any:
        """Return the item at an index; None where that is not known to be before, or behind, what is repeated."""
        steps = index if index >= 0 else -index - 1
        for part in self.parts if index >= 0 else reversed(self.parts):
            if isinstance(part, Repeat):
                return None
            if steps == 0:
                return part
            steps -= 1
        return None

    def refuse(self) -> NoReturn:
        """Tell that the items can't be followed one by one."""
        raise Undecidable(Unknown(self.reason or f"a sequence of {self.length} items"))

    @property
    def every(self) -> list[Any]:
        """The items, each of those that repeat once."""
        return [item for part in self.parts for item in (part.items if isinstance(part, Repeat) else (part,))]

    @property
    def length(self) -> Size:
        """The number of items."""
        total: Size = 0
        for part in self.parts:
            if isinstance(part, Repeat) and part.count is None:
                return unknown_size()
            total = total + (len(part.items) * part.count if isinstance(part, Repeat) else 1)
        return total

    def append(self, item: Any) -> None:
        """Add an item behind the last."""
        self.parts.append(item)

    def extend(self, items: Any) -> None:
        """Add items behind the last."""
        self.parts.extend(items.parts if isinstance(items, Series) else items)

    def mapped(self, make: Callable[[Any, Size], Any]) -> Series:
        """Return what a function makes of each item and its position."""
        parts: list[Any] = []
        position: Size = 0
        for part in self.parts:
            if isinstance(part, Repeat):
                width, start, index = len(part.items), position, symbol(part.index, 0)
                items = [make(item, start + width * index + at) for at, item in enumerate(part.items)]
                parts.append(Repeat(tuple(items), part.count, part.index))
                position = position + width * part.count
            else:
                parts.append(make(part, position))
                position = position + 1
        return Series(parts, self.reason)

    def backwards(self) -> Series:
        """Return the items from the last to the first."""
        parts: list[Any] = []
        for part in reversed(self.parts):
            if isinstance(part, Repeat):
                items = part.at(part.count - 1 - symbol(part.index, 0))
                part = Repeat(tuple(reversed(items)), part.count, part.index)
            parts.append(part)
        return Series(parts, self.reason)

    def __add__(self, other: Any) -> Series:
        return Series([*self.parts, *(other.parts if isinstance(other, Series) else other)])

    def __radd__(self, other: Any) -> Series:
        return Series([*other, *self.parts])

    __iadd__ = __add__

    def _unknown(self, *_arguments: Any) -> Unknown:
        return Unknown(self.reason or f"a sequence of {self.length} items")

    index = count = membership = __mul__ = __rmul__ = _unknown

    def copy(self) -> Series:
        return Series(self.parts, self.reason)

    def _changed(self, *_arguments: Any, **_options: Any) -> NoReturn:
        raise Undecidable(Unknown(self.reason or f"a sequence of {self.length} items"), self)

    insert = pop = remove = clear = sort = reverse = __delitem__ = _changed


def numbers(start: Size, stop: Size, step: int) -> Series:
    """Return the numbers of a range of symbolic length."""
    count = stop - start if step == 1 else -((start - stop) // step)
    item = start + step * symbol(INDICES[0], 0)
    return Series([Repeat((item,), count)], f"a range of symbolic length {stop}")


def zipped(several: list[Any]) -> Series | None:
    """Return the tuples of sequences, some of symbolic length; None where these are not of one form."""
    first = next(s for s in several if isinstance(s, Series))
    rows: list[list[Any]] = []
    for one in several:
        parts = one.parts if isinstance(one, Series) else list(one) if isinstance(one, (list, tuple)) else None
        if parts is None or len(parts) != len(first.parts):
            return None
        rows.append(parts)
    columns: list[Any] = []
    for column in zip(*rows):
        repeats = [part for part in column if isinstance(part, Repeat)]
        if not repeats:
            columns.append(tuple(column))
            continue
        one = repeats[0]
        if len(repeats) < len(column) or any(
            other.count != one.count or len(other.items) != len(one.items) for other in repeats
        ):
            return None
        items = [other.at(symbol(one.index, 0)) for other in repeats]
        columns.append(Repeat(tuple(zip(*items)), one.count, one.index))
    return Series(columns, first.reason)


def mentions(value: Any, name: str) -> bool:
    """Tell whether a size of this name is in a value, or in the items of a list or tuple."""
    if isinstance(value, Dim):
        return any(one.name == name for one in symbols(value))
    return isinstance(value, (list, tuple)) and any(mentions(item, name) for item in value)


def shifted(value: Any, index: str, by: Size) -> Any:
    """Return a value of which a repeat's index has become another size."""
    if isinstance(value, Dim):
        return substitute(value, {index: by})
    if type(value) is tuple:
        return tuple([shifted(item, index, by) for item in value])
    if is_resizable(value):
        shape = value.reference().shape
        return value.with_sizes(shifted(tuple(shape), index, by)) if mentions(shape, index) else value
    if by != symbol(index, 0):
        refuse_differing(value, index)
    return value


def refuse_differing(value: Any, index: str) -> None:
    """Give up on an object that has what counts its repeat in its sizes, where another iteration of it is asked for."""
    differs = getattr(type(value), "mentions_size", None)
    if differs is not None and differs(value, index):
        raise Undecidable(
            Unknown("what is repeated differs from iteration to iteration, and one of them is not followed by itself")
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """How a loop of symbolic length is followed: which iterations apart, and what it carries in closed form.

    In a `trial` the first iterations show how what they carry grows; `up` is how it is rounded where both fit.
    """

    first: int = 0
    last: int = 0
    trial: bool = False
    forms: tuple[tuple[str, Any], ...] = ()
    up: bool = False
    lost: bool = False

    def split(self) -> Plan:
        """Return the plan that follows another iteration apart from the others."""
        order = {(0, 0): (1, 0), (1, 0): (0, 1), (0, 1): (1, 1)}
        both = order.get((self.first, self.last))
        return Plan(lost=True) if both is None else Plan(*both)

    def after_first(self) -> Plan:
        """Return the plan that follows the first iteration apart."""
        return Plan(lost=True) if self.first else Plan(1, self.last)


class Restart(Interruption):
    """A loop is to be followed in another way, from the start of the program."""

    def __init__(self) -> None:
        super().__init__(Unknown("a loop of symbolic length is followed in another way"))


@dataclass(frozen=True, slots=True)
class Iterations:
    """A repeat in progress: its loop, how often it runs, and what counts that."""

    key: str
    count: Any
    index: str


@dataclass(frozen=True, slots=True)
class Span:
    """Operations and calls that took place in one iteration, from the first to before the last, and how often it runs."""

    operations: tuple[int, int]
    calls: tuple[int, int]
    count: Any


def replan(key: str, plan: Plan) -> NoReturn:
    """Follow a loop in another way, from the start."""
    decisions().plans[key] = plan
    decisions().restarts = True
    raise Restart


def compared(turns: list[Iterations], sign: str, left: Size, right: Size) -> bool | None:
    """Compare sizes that mention the index of a repeat in progress, which stays below its count.

    Where it can't be determined for all iterations alike, the loop is followed in another way.
    """
    names = {one.name for one in symbols(left) | symbols(right)}
    for turn in reversed(turns):
        if turn.index not in names:
            continue
        ends = [_at_end(turn, end, left, right) for end in (0, turn.count - 1 if turn.count is not None else None)]
        answers = {None if end is None else _compare(sign, *end) for end in ends}
        answer = answers.pop() if len(answers) == 1 else None
        if answer is not None and _is_linear(left - right, turn.index):
            return bool(answer[0])
        replan(turn.key, decisions().plans.get(turn.key, Plan()).split())
    return None


def _at_end(turn: Iterations, end: Any, left: Size, right: Size) -> tuple[Size, Size] | None:
    """Return two sizes at one end of a repeat that runs at least once."""
    if end is None:
        return None
    values: dict[str, Size] = {}
    if isinstance(turn.count, Dim):
        named = [one for one in symbols(turn.count) if not one.anonymous]
        if len(named) == 1:
            rest = turn.count - Dim({((named[0], 1),): 1})
            if isinstance(rest, int):
                values[named[0].name] = Dim({((Symbol(named[0].name, 1), 1),): 1}) - rest
    sizes = [substitute(size, {turn.index: end}) for size in (left, right)]
    return substitute(sizes[0], values), substitute(sizes[1], values)


def _compare(sign: str, left: Size, right: Size) -> Any:
    """Return what a comparison gives at one end: for `==`, on which side it fails."""
    if sign in ("==", "!="):
        if less(left, right) is True:
            return sign == "!=", "below"
        if less(right, left) is True:
            return sign == "!=", "above"
        return (sign == "==", "at") if equal(left, right) is True else None
    if sign in (">", "<="):
        left, right = right, left
    answer = less(left, right)
    return None if answer is None else (answer is not (sign in (">=", "<=")), "")


def _is_linear(size: Size, index: str) -> bool:
    if not isinstance(size, Dim):
        return True
    for monomial in size.terms:
        for atom, power in monomial:
            if isinstance(atom, Symbol):
                if atom.name == index and power > 1:
                    return False
            elif index in {one.name for one in symbols(atom.left) | symbols(atom.right)}:
                return False
    return True
