"""The value of something that can't be determined: it absorbs every operation and carries its reason."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from cutaway.core.condition import Decisions, Term
from cutaway.core.context import CURRENT, IDLE
from cutaway.core.place import Place
from cutaway.core.record import dataclass

if TYPE_CHECKING:
    from cutaway.core.size.dim import Ratio
    from cutaway.core.size.relation import Statement


class Undecidable(BaseException):
    """A decision depends on an unknown value; not an `Exception`, so a target never catches it.

    `container` is the object that would have been changed, if only that is undecided.
    """

    def __init__(self, unknown: Unknown, container: object = None) -> None:
        super().__init__(unknown.reason)
        self.unknown = derived_unknown(unknown)
        self.container = container


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
    """Return the usual value of something that has one, which is then an assumption; anything else as it is."""
    if type(value) is not Unknown or value.usual is None:
        return value
    CURRENT.get().session.assume(value.usual.assumption, doubt=value.usual.assumption)
    return value.usual.value


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
        kind = bool if sign in COMPARISONS and (self.kind is not None or self.usual is not None) else None
        usual = None if self.usual is None else self.usual.compared(sign, other)
        term = self.term if self.term is None or not self.term.text else self.term.combined(sign, other, swapped)
        return Unknown(self.reason, self.place, kind=kind, term=term, usual=usual)

    return operate


def _rounding(way: str) -> Callable[[Unknown], Any]:
    def rounded(self: Unknown) -> Any:
        result = None if self.ratio is None else self.ratio.rounded(way)
        return derived_unknown(self) if result is None else result

    return rounded


def _undecidable(self: Unknown, *_args: Any) -> NoReturn:
    raise Undecidable(self)


@dataclass(frozen=True, slots=True)
class Usual:
    """The value that something has unless the machine is set up specially, and what is assumed where it is used."""

    value: Any
    assumption: str

    def compared(self, sign: str, other: Any) -> Usual | None:
        """Return the usual outcome of a comparison."""
        try:
            return Usual(bool(COMPARISONS[sign](self.value, other)), self.assumption)
        except Exception:
            return None  # the program would raise


class Unknown:
    """An undetermined value. Operations on it return it; decisions on it raise `Undecidable`.

    Each object is one value: whatever it turns out to be, it is that wherever the object occurs, so its truth is decided
    once in a run. `about` is the statement on sizes whose truth value it is, if it is one; what is computed from it has
    another truth value. `kind` is int, float or bool where it is known to be one value of that type. One that has a `term`
    is known by its name: an argument, or an expression of arguments. One that has a `ratio` is known once it is rounded.
    One that is the `negation` of another is decided with it. One that has a `usual` value can be assumed to have it.
    """

    __slots__ = ("about", "kind", "negation", "place", "ratio", "reason", "term", "usual")

    reason: str
    place: Place | None
    about: Statement | None
    kind: type | None
    term: Term | None
    ratio: Ratio | None
    negation: Unknown | None
    usual: Usual | None

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
    ) -> None:
        object.__setattr__(self, "reason", reason)
        object.__setattr__(self, "about", about)
        object.__setattr__(self, "place", place)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "term", term)
        object.__setattr__(self, "ratio", ratio)
        object.__setattr__(self, "negation", negation)
        object.__setattr__(self, "usual", usual)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
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
        return id(self)

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
    "call matmul rmatmul and rand or ror xor rxor lshift rlshift rshift rrshift neg pos abs invert "
    "round enter divmod rdivmod"
).split():
    setattr(Unknown, f"__{_name}__", _absorb)

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

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    def __init_subclass__(cls, **_kwargs: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if self.usual is not None:
            return getattr(assumed(self), name)
        return type(self)._opaque_reason


def opaque_class(unknown: Unknown) -> type:
    """Return a class that stands for an `unknown` base class."""
    return type("Opaque", (Opaque,), {"_opaque_reason": unknown})
