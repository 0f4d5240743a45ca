"""Operators of the target on host objects, refusing results that would not fit in memory."""

from __future__ import annotations

import operator
from array import array
from collections import UserList, UserString, deque
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.condition import Term
from cutaway.core.loop.series import compared
from cutaway.core.size.dim import Dim, equal, less, symbols, undecided
from cutaway.core.size.relation import Relation
from cutaway.core.unknown import Unknown, other_than_truth
from cutaway.interp.run.budget import BITS, ELEMENTS, build
from cutaway.interp.run.iteration import counted
from cutaway.knowledge.base.registry import ARRAYS


def _too_large(what: str) -> Unknown:
    return session.current().unknown(f"{what} would be too large to build")


# What an operator would make of two operands that is too large, by the operator's name.

_SEQUENCES = (str, bytes, bytearray, list, tuple, deque, array, UserList, UserString)


def _product(left: Any, right: Any) -> str | None:
    if isinstance(left, int) and isinstance(right, int):
        return "an integer" if left.bit_length() + right.bit_length() > BITS else None
    sequence, count = (left, right) if isinstance(left, _SEQUENCES) else (right, left)
    if isinstance(sequence, _SEQUENCES) and isinstance(count, int) and count > 0:
        return _sum_of(len(sequence) * count, "a repeated sequence")
    return None


def _power(left: Any, right: Any) -> str | None:
    if isinstance(left, int) and isinstance(right, int) and right > 0 and left.bit_length() * right > BITS:
        return "an integer"
    return None


def _shift(left: Any, right: Any) -> str | None:
    return (
        "an integer" if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right > BITS else None
    )


def _quotient(left: Any, right: Any) -> str | None:
    """Division of integers that are longer than any that is built here takes long, not much."""
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() > 16 * BITS:
        return "the quotient of an integer"
    if isinstance(left, (str, bytes)):
        from cutaway.interp.boundary.text_limits import is_wide

        items = right if isinstance(right, tuple) else (right,)
        if is_wide(left if isinstance(left, str) else left.decode("latin-1")):
            return "a formatted text"
        if any(isinstance(item, int) and abs(item) > ELEMENTS for item in items) and (
            "*" in left if isinstance(left, str) else b"*" in left
        ):
            return "a formatted text"
        return _sum_of(
            sum(len(item) for item in items if isinstance(item, (str, bytes, list, tuple))), "a formatted text"
        )
    return None


def _sum(left: Any, right: Any) -> str | None:
    if isinstance(left, _SEQUENCES) and isinstance(right, _SEQUENCES):
        return _sum_of(len(left) + len(right), "a joined sequence")
    return None


def _sum_of(elements: int, what: str) -> str | None:
    if elements > ELEMENTS:
        return what
    if elements > _SMALL:
        build(elements)
    return None


_SMALL = 1 << 10
_LIMITS: dict[str, Callable[[Any, Any], str | None]] = {
    "Mult": _product,
    "Pow": _power,
    "LShift": _shift,
    "Add": _sum,
    "Mod": _quotient,
    "FloorDiv": _quotient,
}


def beyond(name: str, left: Any, right: Any) -> Unknown | None:
    """Return the unknown that stands for the result of an operator, if that would be too large."""
    limit = _LIMITS.get(name)
    reason = limit(left, right) if limit is not None else None
    return None if reason is None else _too_large(reason)


def _limited(name: str, plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return an operator that refuses results beyond the limits."""
    limit = _LIMITS.get(name)

    def operate(left: Any, right: Any) -> Any:
        if type(left) in ARRAYS or type(right) in ARRAYS:
            return _on_arrays(name, plain)(left, right)
        if limit is not None:
            reason = limit(left, right)
            if reason is not None:
                return _too_large(reason)
        return plain(left, right)

    return operate


def _on_arrays(name: str, plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    from cutaway.knowledge.numpy.call import operator as bounded

    return bounded(name, plain)


def _multiply(plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`*`; a sequence repeated a symbolic number of times is unknown."""
    limited = _limited("Mult", plain)

    def multiply(left: Any, right: Any) -> Any:
        if type(left) is Dim or type(right) is Dim:
            count, sequence = (left, right) if type(left) is Dim else (right, left)
            if isinstance(sequence, _SEQUENCES):
                return Unknown(f"a sequence repeated {count} times")
        return limited(left, right)

    return multiply


def _modulo(plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`%`; formatting of a text with unknown values is unknown text."""
    limited = _limited("Mod", plain)

    def modulo(left: Any, right: Any) -> Any:
        if isinstance(left, str):
            items = right if isinstance(right, tuple) else (right,)
            if any(isinstance(item, Unknown) or hasattr(type(item), "without_numbers") for item in items):
                return Unknown("text made of an unknown value")
        return limited(left, right)

    return modulo


def _sized(
    sign: str, decide: Callable[[Any, Any], bool | None], plain: Callable[[Any, Any], Any], invert: bool = False
) -> Any:
    def compare(left: Any, right: Any) -> Any:
        if type(left) is Dim or type(right) is Dim:
            if isinstance(left, (int, Dim)) and isinstance(right, (int, Dim)):
                answer = decide(left, right)
                if answer is None:
                    return _open(sign, left, right)
                return answer is not invert
        if type(left) in ARRAYS or type(right) in ARRAYS:
            return _on_arrays(plain.__name__, plain)(left, right)
        return plain(left, right)

    return compare


_SWAPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def _open(sign: str, left: Any, right: Any) -> Unknown | bool:
    """Return the truth of a comparison that sizes leave open; one of arguments alone is known by its words."""
    if type(left) is int or (type(right) is Dim and sign in (">", ">=")):
        left, right, sign = right, left, _SWAPPED.get(sign, sign)
    difference = left - right
    names = {symbol.name for symbol in symbols(difference)}
    here = session.current()
    if here.turns:
        answer = compared(here.turns, sign, left, right)
        if answer is not None:
            return answer
    relation = Relation(sign, left, right)
    if not names <= here.arguments.keys():
        return undecided(relation)
    if type(right) is int and isinstance(difference, Dim):
        constant = difference.terms.get((), 0)
        left, right = difference - constant, -constant
    other = right if type(right) is int else Unknown("", term=Term(str(right)))
    term = Term(str(left)).combined(sign, other)
    return Unknown(f"whether {relation} depends on arguments", about=relation, term=term)


COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": _sized("==", equal, operator.eq),
    "NotEq": _sized("!=", equal, operator.ne, invert=True),
    "Lt": _sized("<", less, operator.lt),
    "Gt": _sized(">", lambda a, b: less(b, a), operator.gt),
    "LtE": _sized("<=", lambda a, b: less(b, a), operator.le, invert=True),
    "GtE": _sized(">=", less, operator.ge, invert=True),
}


def identical(left: Any, right: Any) -> Any:
    """`left is right`, unknown where one side is."""
    for one, other in ((left, right), (right, left)):
        if type(one) is Unknown:
            if one.term is None or not one.term.text:
                return other_than_truth(one)
            return Unknown(one.reason, one.place, term=one.term.combined("is", other))
    return left is right


def contains(item: Any, container: Any) -> Any:
    """`item in container`, unknown where that can't be told."""
    kind = type(container)
    if kind is Unknown:
        return other_than_truth(container)
    if type(item) is Unknown:
        if item.term is None or not item.term.text:
            return other_than_truth(item)
        plain = None
        if kind in (tuple, list, dict):
            plain = tuple(container)
        elif kind in (set, frozenset):
            plain = tuple(sorted(container, key=repr))
        return Unknown(item.reason, item.place, term=None if plain is None else item.term.combined("in", plain))
    if (
        kind is dict
        or kind is list
        or kind is tuple
        or hasattr(kind, "__contains__")
        or not (hasattr(kind, "__iter__") or hasattr(kind, "__getitem__"))
    ):
        return item in container
    return item in counted(container)


def _operators(**plain: Callable[[Any, Any], Any]) -> dict[str, Callable[[Any, Any], Any]]:
    special = {"Mult": _multiply, "Mod": _modulo}
    every = {name: special[name](op) if name in special else _limited(name, op) for name, op in plain.items()}
    return {**every, **{name: _on_small_numbers(plain[name], every[name]) for name in _ARITHMETIC}}


_ARITHMETIC = ("Add", "Sub", "Mult", "Div", "FloorDiv", "Mod")
PLAIN: dict[str, Callable[[Any, Any], Any]] = {"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul}
"""Arithmetic that needs no bounds for small integers."""
_BELOW = 1 << 60


def _on_small_numbers(
    plain: Callable[[Any, Any], Any], limited: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    """Apply arithmetic to plain numbers whose result is never too large at once."""

    def operate(left: Any, right: Any) -> Any:
        kind = type(left)
        if (kind is int and -_BELOW < left < _BELOW) or kind is float:
            kind = type(right)
            if (kind is int and -_BELOW < right < _BELOW) or kind is float:
                return plain(left, right)
        return limited(left, right)

    return operate


BINARY: dict[str, Callable[[Any, Any], Any]] = _operators(
    Add=operator.add,
    Sub=operator.sub,
    Mult=operator.mul,
    Div=operator.truediv,
    FloorDiv=operator.floordiv,
    Mod=operator.mod,
    Pow=operator.pow,
    LShift=operator.lshift,
    RShift=operator.rshift,
    BitOr=operator.or_,
    BitXor=operator.xor,
    BitAnd=operator.and_,
    MatMult=operator.matmul,
)

IN_PLACE: dict[str, Callable[[Any, Any], Any]] = _operators(
    Add=operator.iadd,
    Sub=operator.isub,
    Mult=operator.imul,
    Div=operator.itruediv,
    FloorDiv=operator.ifloordiv,
    Mod=operator.imod,
    Pow=operator.ipow,
    LShift=operator.ilshift,
    RShift=operator.irshift,
    BitOr=operator.ior,
    BitXor=operator.ixor,
    BitAnd=operator.iand,
    MatMult=operator.imatmul,
)
power = BINARY["Pow"]

UNARY: dict[str, Callable[[Any], Any]] = {
    "UAdd": operator.pos,
    "USub": operator.neg,
    "Invert": operator.invert,
}
