"""Operators of the target on host objects, refusing results that would not fit in memory."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.dim import Dim, equal, less
from cutaway.core.unknown import Unknown
from cutaway.interp.budget import BITS, ELEMENTS

def _too_large(what: str) -> Unknown:
    return session.current().unknown(f"{what} would be too large to build")


def multiply(left: Any, right: Any) -> Any:
    """`left * right`, refusing to repeat a sequence beyond the budget."""
    for sequence, count in ((left, right), (right, left)):
        if isinstance(sequence, (str, bytes, list, tuple, bytearray)):
            if isinstance(count, Dim):
                return Unknown(f"a sequence repeated {count} times")
            if isinstance(count, int) and count * len(sequence) > ELEMENTS:
                return _too_large("a repeated sequence")
            break
    else:
        if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right.bit_length() > BITS:
            return _too_large("an integer")
    return left * right


def power(left: Any, right: Any) -> Any:
    """`left ** right`, refusing integers beyond the budget."""
    if isinstance(left, int) and isinstance(right, int) and right > 0 and left.bit_length() * right > BITS:
        return _too_large("an integer")
    return left**right


def shift(left: Any, right: Any) -> Any:
    """`left << right`, refusing integers beyond the budget."""
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right > BITS:
        return _too_large("an integer")
    return left << right


def add(left: Any, right: Any) -> Any:
    """`left + right`, refusing sequences beyond the budget."""
    if isinstance(left, (str, bytes, list, tuple)) and type(right) is type(left) and len(left) + len(right) > ELEMENTS:
        return _too_large("a joined sequence")
    return left + right


def add_in_place(left: Any, right: Any) -> Any:
    """`left += right`, refusing sequences beyond the budget."""
    if isinstance(left, (str, bytes, list, tuple)) and hasattr(right, "__len__"):
        if len(left) + len(right) > ELEMENTS:
            return _too_large("a joined sequence")
    return operator.iadd(left, right)


def modulo(left: Any, right: Any) -> Any:
    """`left % right`; formatting of a string with unknown values is unknown text."""
    if isinstance(left, str):
        items = right if isinstance(right, tuple) else (right,)
        if any(isinstance(item, Unknown) for item in items):
            return Unknown("text made of an unknown value")
        if any(isinstance(item, int) and abs(item) > ELEMENTS for item in items) and "*" in left:
            return _too_large("a formatted text")
    return left % right


def _sized(decide: Callable[[Any, Any], bool | None], plain: Callable[[Any, Any], Any], invert: bool = False) -> Any:
    def compare(left: Any, right: Any) -> Any:
        if type(left) is Dim or type(right) is Dim:
            if isinstance(left, (int, Dim)) and isinstance(right, (int, Dim)):
                answer = decide(left, right)
                if answer is None:
                    return Unknown(f"how {left} compares with {right} depends on the input's size")
                return answer is not invert
        return plain(left, right)

    return compare


COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": _sized(equal, operator.eq),
    "NotEq": _sized(equal, operator.ne, invert=True),
    "Lt": _sized(less, operator.lt),
    "Gt": _sized(lambda a, b: less(b, a), operator.gt),
    "LtE": _sized(lambda a, b: less(b, a), operator.le, invert=True),
    "GtE": _sized(less, operator.ge, invert=True),
}


def identical(left: Any, right: Any) -> Any:
    """`left is right`, unknown where one side is."""
    if type(left) is Unknown:
        return left
    if type(right) is Unknown:
        return right
    return left is right


def contains(item: Any, container: Any) -> Any:
    """`item in container`, unknown where that can't be told."""
    if type(container) is Unknown:
        return container
    if type(item) is Unknown:
        return item
    return item in container


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": add,
    "Sub": operator.sub,
    "Mult": multiply,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": modulo,
    "Pow": power,
    "LShift": shift,
    "RShift": operator.rshift,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "BitAnd": operator.and_,
    "MatMult": operator.matmul,
}

IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    **BINARY,
    "Add": add_in_place,
    "Sub": operator.isub,
    "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv,
    "Mod": lambda a, b: modulo(a, b) if isinstance(a, str) else operator.imod(a, b),
    "BitOr": operator.ior,
    "BitXor": operator.ixor,
    "BitAnd": operator.iand,
    "MatMult": operator.imatmul,
    "Mult": lambda a, b: multiply(a, b) if isinstance(a, (int, float, str, list, tuple)) else operator.imul(a, b),
}

UNARY: dict[str, Callable[[Any], Any]] = {
    "UAdd": operator.pos,
    "USub": operator.neg,
    "Invert": operator.invert,
}
