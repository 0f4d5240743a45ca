"""The value of something that can't be determined: it absorbs every operation and carries its reason."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from cutaway.core.condition import Decisions, Term
from cutaway.core.context import CURRENT, IDLE
from cutaway.core.place import Place
from cutaway.core.record import dataclass, replace

if TYPE_CHECKING:
    from cutaway.core.size.dim import Ratio
    from cutaway.core.size.relation import Statement


class Undecidable(BaseException):
    """A decision depends on an unknown value; not an `Exception`, so a target never catches it.

    `container` is the object that would have been changed, if only that is undecided. If it `is_last`, the program does
    nothing else.
    """

    def __init__(self, unknown: Unknown, container: object = None, is_last: bool = False) -> None:
        super().__init__(unknown.reason)
        self.unknown = derived_unknown(unknown)
        self.container = container
        self.is_last = is_last


class MoreItems(Undecidable):
    """What was iterated over may have more items than those that were yielded."""


class UnknownRaised(BaseException):
    """In this run something unknown raises an exception; `what` is how the program writes it.

    Its class is decided by the handlers that it meets, and `decided` remembers how.
    """

    def __init__(self, what: str, unknown: Unknown) -> None:
        super().__init__(what)
        self.what, self.unknown = what, unknown
        self.decided: dict[type, bool] = {}


class Interruption(BaseException):
    """A run, or the whole analysis, ends here. Only the code that started the run catches it."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.reason)
        self.unknown = unknown


class Exhausted(Interruption):
    """A budget ran out: nothing more of the target is interpreted."""


class StartOver(Interruption):
    """Something was learned that makes the whole run start over."""


def derived_unknown(unknown: Unknown) -> Unknown:
    """Return a different value that is unknown for the same reason: it has no statement, type, name or ratio."""
    term = unknown.term if unknown.term is not None and not unknown.term.text else None
    return Unknown(unknown.reason, unknown.place, term=term)


def assumed(value: Any) -> Any:
    """Return the usual value of something that has one, which is then an assumption; anything else as it is.

    In a run that has decided otherwise, it is what that says.
    """
    if type(value) is not Unknown or value.usual is None:
        return value
    here = CURRENT.get()
    taken = here.decisions.assumed_value(value.term, value.usual.value)
    if taken is None:
        return derived_unknown(value)
    if taken[0] is value.usual.value:
        here.session.suppose(value.usual.assumption)
    return taken[0]


def is_placement(value: Any) -> bool:
    """Tell whether a value is unknown because it depends on the devices of the machine."""
    return type(value) is Unknown and value.usual is not None and value.usual.placement


def placed(test: Unknown, value: Any) -> Unknown:
    """Return the usual one of two values that a test of the machine's devices chooses between."""
    assert test.usual is not None
    return Unknown(test.reason, test.place, kind=type(value), usual=replace(test.usual, value=value))


_PLAIN_TYPES = (int, float, str, bool, type(None))


def _absorb(self: Unknown, *_args: Any, **_kwargs: Any) -> Unknown:
    return derived_unknown(self)


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "is": operator.is_, "in": lambda item, container: item in container,
}  # fmt: skip


def _operator(sign: str, swapped: bool = False) -> Callable[[Unknown, Any], Any]:
    def operate(self: Unknown, other: Any) -> Any:
        if self.ratio is not None:
            result = self.ratio.combined(sign, other, swapped)
            if result is not None:
                return result
        if sign not in COMPARISONS and self.usual is not None:
            first, second = (other, assumed(self)) if swapped else (assumed(self), other)
            return ARITHMETIC[sign](first, second)
        if self.draw is not None and type(other) in _PLAIN_TYPES:
            return _drawn(self, sign, other, swapped)
        if sign not in COMPARISONS and self.kind in _NUMBERS and not _is_plain(other):
            return NotImplemented  # a tensor says itself what it makes of a number
        kind: type | None
        if sign in COMPARISONS:
            kind = bool if self.kind is not None or self.usual is not None else None
        else:
            kind = _kind_of_result(sign, self.kind, other)
        usual = None if self.usual is None else self.usual.compared(sign, other)
        term = self.term if self.term is None or not self.term.text else self.term.combined(sign, other, swapped)
        return Unknown(self.reason, self.place, kind=kind, term=term, usual=usual)

    return operate


def _drawn(unknown: Unknown, sign: str, other: Any, swapped: bool) -> Any:
    """Return an operation of something that is one of a few values with a plain one."""
    function = COMPARISONS.get(sign) or ARITHMETIC[sign]
    compute = (lambda value: function(other, value)) if swapped else (lambda value: function(value, other))
    assert unknown.draw is not None
    draw = unknown.draw.mapped(compute)
    kinds = {type(value) for value in draw.values} if draw is not None else set()
    if draw is not None and len(kinds) == 1 and all(value == draw.values[0] for value in draw.values):
        return draw.values[0]
    kind = kinds.pop() if len(kinds) == 1 and kinds <= {int, float, bool} else None
    return Unknown(unknown.reason, unknown.place, kind=kind, term=unknown.term, draw=draw)


_NUMBERS = (int, float)


def _is_plain(value: object) -> bool:
    """Tell whether a value is a number, a size, a string or unknown, rather than an object that has operators itself."""
    return (
        value is None or isinstance(value, (int, float, complex, str, tuple, list, Unknown)) or hasattr(value, "terms")
    )


def _kind_of_result(sign: str, kind: type | None, other: object) -> type | None:
    """Return the type of a result of arithmetic, None where it is not known to be a number."""
    other_kind = other.kind if isinstance(other, Unknown) else type(other)
    if kind not in _NUMBERS or other_kind not in _NUMBERS:
        return None
    if float in (kind, other_kind):
        return float if sign != "**" else None
    return float if sign == "/" else int if sign != "**" else None


def _negated(self: Unknown) -> Any:
    is_number = self.kind in _NUMBERS or self.ratio is not None
    return _operator("-", swapped=True)(self, 0) if is_number else derived_unknown(self)


def _rounding(way: str) -> Callable[[Unknown], Any]:
    def rounded(self: Unknown) -> Any:
        result = None if self.ratio is None else self.ratio.rounded(way)
        return derived_unknown(self) if result is None else result

    return rounded


def _undecidable(self: Unknown, *_args: Any) -> NoReturn:
    raise Undecidable(self)


@dataclass(frozen=True, slots=True)
class Usual:
    """The value that something has unless the machine is set up specially, and what is assumed where it is used.

    One that is about `placement` says which devices there are. Networks are shown as they are on one of these: both ways
    are not followed, and a device that depends on it changes nothing that a library computes.
    """

    value: Any
    assumption: str
    placement: bool = False

    def compared(self, sign: str, other: Any) -> Usual | None:
        """Return the usual outcome of a comparison."""
        try:
            return replace(self, value=bool(COMPARISONS[sign](self.value, other)))
        except Exception:
            return None  # the program would raise


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """A value that is drawn from a few in each run; `text` is how the program writes that, `names` how it writes them."""

    text: str
    values: tuple[Any, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Draw:
    """What something is for each of the values that it is computed from."""

    origin: Origin
    values: tuple[Any, ...]

    def mapped(self, function: Callable[[Any], Any]) -> Draw | None:
        """Return what a function makes of it; None where it raises an exception for one of the values."""
        try:
            return Draw(self.origin, tuple(map(function, self.values)))
        except Exception:
            return None  # in some run the program raises


class Unknown:
    """An undetermined value. Operations on it return it; decisions on it raise `Undecidable`.

    Each object is one value: whatever it turns out to be, it is that wherever the object occurs, so its truth is decided
    once in a run. `about` is the statement on sizes whose truth value it is, if it is one; what is computed from it has
    another truth value. `kind` is int, float or bool where it is known to be one value of that type. One that has a `term`
    is known by its name: an argument, or an expression of arguments. One that has a `ratio` is known once it is rounded.
    One that is the `negation` of another is decided with it. One that has a `usual` value can be assumed to have it.
    One that has a `draw` is one of a few values.
    """

    __slots__ = ("about", "draw", "kind", "negation", "place", "ratio", "reason", "term", "usual")

    reason: str
    place: Place | None
    about: Statement | None
    kind: type | None
    term: Term | None
    ratio: Ratio | None
    negation: Unknown | None
    usual: Usual | None
    draw: Draw | None

    def __init__(
        self,
        reason: str,
        place: Place | None = None,
        about: Statement | None = None,
        kind: type | None = None,
        term: Term | None = None,
        ratio: Ratio | None = None,
        negation: Unknown | None = None,
        usual: Usual | None = None,
        draw: Draw | None = None,
    ) -> None:
        object.__setattr__(self, "reason", reason)
        object.__setattr__(self, "about", about)
        object.__setattr__(self, "place", place)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "term", term)
        object.__setattr__(self, "ratio", ratio)
        object.__setattr__(self, "negation", negation)
        object.__setattr__(self, "usual", usual)
        object.__setattr__(self, "draw", draw)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if self.usual is not None and self.usual.placement:
            return placed(self, getattr(self.usual.value, name))
        if self.usual is not None:
            return getattr(assumed(self), name)
        if self.term is None or not self.term.text:
            return derived_unknown(self)
        return Unknown(self.reason, self.place, term=self.term.attribute(name))

    def __getitem__(self, key: object) -> Any:
        if self.usual is not None:
            return assumed(self)[key]
        if self.term is None or not self.term.text:
            return derived_unknown(self)
        return Unknown(self.reason, self.place, term=self.term.item(key))

    def __call__(self, *args: Any, **kwargs: Any) -> Unknown:
        CURRENT.get().session.presume_unchanged(self, (*args, *kwargs.values()))
        return derived_unknown(self)

    def __bool__(self) -> bool:
        # A comparison outside of the target's own conditions is a check, which is assumed to pass.
        is_flag = self.term is not None and self.term.text and not self.term.relation
        holds = CURRENT.get().decisions.settle(self, "", self.place) if is_flag else None
        if holds is None:
            raise Undecidable(self)
        return holds

    def __setattr__(self, name: str, value: object) -> None:
        """Writing to an unknown object changes nothing that can be observed."""

    def __delattr__(self, name: str) -> None:
        """Deleting from an unknown object changes nothing that can be observed."""

    def __setitem__(self, key: object, value: object) -> None:
        """Writing to an unknown container changes nothing that can be observed."""

    def __delitem__(self, key: object) -> None:
        """Deleting from an unknown container changes nothing that can be observed."""

    def __repr__(self) -> str:
        return f"Unknown({self.reason!r})"

    def __hash__(self) -> int:
        # Which items of a set, or keys of a dict, it is equal to can't be determined.
        raise Undecidable(self)

    def __eq__(self, other: object) -> Any:
        return _equals(self, other)

    def __ne__(self, other: object) -> Any:
        return _differs(self, other)

    def __exit__(self, *_exc: object) -> Literal[False]:
        return False

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        return (opaque_class(self),)

    def __deepcopy__(self, memo: object) -> Unknown:
        return self

    def __copy__(self) -> Unknown:
        return self


_equals, _differs = _operator("=="), _operator("!=")
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow,
}  # fmt: skip
_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
}

for _name in (
    "matmul rmatmul and rand or ror xor rxor lshift rlshift rshift rrshift pos abs invert round enter divmod rdivmod"
).split():
    setattr(Unknown, f"__{_name}__", _absorb)

Unknown.__neg__ = _negated  # type: ignore[operator]

for _name in ("floor", "ceil", "trunc"):
    setattr(Unknown, f"__{_name}__", _rounding(_name))

for _name, _sign in _SIGNS.items():
    setattr(Unknown, f"__{_name}__", _operator(_sign))
    setattr(Unknown, f"__r{_name}__", _operator(_sign, swapped=True))

for _name, _sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    setattr(Unknown, f"__{_name}__", _operator(_sign))

for _name in "int float index len iter contains complex".split():
    setattr(Unknown, f"__{_name}__", _undecidable)

IDLE.decisions = Decisions(follows=False)


def decisions() -> Decisions:
    """Return how conditions are decided in the current run."""
    return CURRENT.get().decisions


@contextmanager
def conditions_decided() -> Iterator[None]:
    """Decide conditions inside, whatever they are inside of: what is undecided there is undecided in the network."""
    here = decisions()
    here.active += 1
    depth, here.undecided_depth = here.undecided_depth, 0
    try:
        yield
    finally:
        here.active -= 1
        here.undecided_depth = depth


class _ConditionsLeftOpen:
    """A context in which conditions stay undecided."""

    __slots__ = ()

    def __enter__(self) -> None:
        decisions().undecided_depth += 1

    def __exit__(self, *_exc: object) -> None:
        decisions().undecided_depth -= 1


_CONDITIONS_LEFT_OPEN = _ConditionsLeftOpen()


def conditions_left_open() -> _ConditionsLeftOpen:
    """Leave conditions inside undecided."""
    return _CONDITIONS_LEFT_OPEN


class Opaque:
    """Base class that stands for a base class that could not be determined."""

    _opaque_reason: Unknown

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        CURRENT.get().session.presume_unchanged(type(self)._opaque_reason, (*args, *kwargs.values()))

    def __init_subclass__(cls, **_kwargs: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return type(self)._opaque_reason


def opaque_class(unknown: Unknown) -> type:
    """Return a class that stands for an `unknown` base class."""
    return type("Opaque", (Opaque,), {"_opaque_reason": unknown})
