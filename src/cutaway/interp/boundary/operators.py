"""Operators on host objects; results that would not fit in memory are refused."""

from __future__ import annotations

import operator
from array import array
from collections import UserList, UserString, deque
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.open_sizes import (
    COMPARED,
    compare_open,
    found_in,
    is_open,
    may_match_openly,
    same,
    undecided_comparison,
    unknown_of,
    why_not_distinct,
)
from cutaway.core.pattern import pattern
from cutaway.core.protocols import has_no_numbers
from cutaway.core.size.dim import Dim, equal, less
from cutaway.core.unknown import Unknown, assumed
from cutaway.interp.boundary.gate import is_host_class
from cutaway.interp.boundary.string_limits import is_wide, size_in_string, text_of
from cutaway.interp.run.budget import BITS, ELEMENTS, build
from cutaway.interp.run.choice import drawn
from cutaway.interp.run.iteration import counted
from cutaway.knowledge.base.registry import ARRAYS


def _too_large(result: str) -> Unknown:
    return session.current().unknown(f"{result} would be too large to build")


# How large operands really are: a class of the target may say anything of its objects, or answer differently each time.

_SEQUENCES = (str, bytes, bytearray, list, tuple, deque, array, UserList, UserString)


def length(sequence: Any) -> int:
    """Return the length of a sequence as its built-in base has it."""
    kind = type(sequence)
    if issubclass(kind, (UserList, UserString)):
        data = object.__getattribute__(sequence, "__dict__").get("data", ())
        return length(data) if issubclass(type(data), _SEQUENCES) else 0
    for base in _SEQUENCES:
        if issubclass(kind, base):
            return base.__len__(sequence)
    return len(sequence)


def as_index(value: Any) -> Any:
    """Return the number for which an object of the target stands, asked once; anything else as it is."""
    kind = type(value)
    if kind is int or is_host_class(kind):
        return value
    if issubclass(kind, int):
        return int.__int__(value)
    defines = any(
        "__index__" in type.__getattribute__(base, "__dict__") for base in type.__getattribute__(kind, "__mro__")
    )
    return operator.index(value) if defines else value


# What would be too large to build, if two operands are combined; None if the result is small enough.

_bits = int.bit_length


def _positive(number: int) -> bool:
    return int.__gt__(number, 0)


def _product_limit(left: Any, right: Any) -> str | None:
    if isinstance(left, int) and isinstance(right, int):
        return "an integer" if _bits(left) + _bits(right) > BITS else None
    sequence, count = (left, right) if isinstance(left, _SEQUENCES) else (right, left)
    if isinstance(sequence, _SEQUENCES) and isinstance(count, int) and _positive(count):
        return _element_limit(length(sequence) * int.__int__(count), "a repeated sequence")
    return None


def _power_limit(left: Any, right: Any) -> str | None:
    if (
        isinstance(left, int)
        and isinstance(right, int)
        and _positive(right)
        and _bits(left) * int.__int__(right) > BITS
    ):
        return "an integer"
    return None


def _shift_limit(left: Any, right: Any) -> str | None:
    if isinstance(left, int) and isinstance(right, int) and _bits(left) + int.__int__(right) > BITS:
        return "an integer"
    return None


def _division_limit(left: Any, right: Any) -> str | None:
    """Dividing integers costs time rather than memory, so only far larger ones than those that are built are refused."""
    if isinstance(left, int) and isinstance(right, int) and _bits(left) > 16 * BITS:
        return "the quotient of an integer"
    if isinstance(left, (str, bytes)):
        items = right if isinstance(right, tuple) else (right,)
        template = left if isinstance(left, str) else bytes.decode(left, "latin-1")
        if is_wide(template):
            return "a formatted string"
        if any(isinstance(item, int) and int.__abs__(item) > ELEMENTS for item in items) and "*" in str.__str__(
            template
        ):
            return "a formatted string"
        return _element_limit(
            sum(length(item) for item in items if isinstance(item, (str, bytes, list, tuple))), "a formatted string"
        )
    return None


def _sum_limit(left: Any, right: Any) -> str | None:
    if isinstance(left, _SEQUENCES) and isinstance(right, _SEQUENCES):
        return _element_limit(length(left) + length(right), "a joined sequence")
    return None


def _element_limit(elements: int, result: str) -> str | None:
    if elements > ELEMENTS:
        return result
    if elements > _FEW_ELEMENTS:
        build(elements)
    return None


_FEW_ELEMENTS = 1 << 10
_LIMITS: dict[str, Callable[[Any, Any], str | None]] = {
    "Mult": _product_limit,
    "Pow": _power_limit,
    "LShift": _shift_limit,
    "Add": _sum_limit,
    "Mod": _division_limit,
    "FloorDiv": _division_limit,
}


def too_large_result(name: str, left: Any, right: Any) -> Unknown | None:
    """Return an unknown in place of the result of an operator that would be too large; None if it is not."""
    limit = _LIMITS.get(name)
    reason = limit(left, right) if limit is not None else None
    return None if reason is None else _too_large(reason)


def _limited(name: str, plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return an operator that refuses results that are too large."""
    limit = _LIMITS.get(name)

    def operate(left: Any, right: Any) -> Any:
        if type(left) in ARRAYS or type(right) in ARRAYS:
            return _on_arrays(name, plain)(left, right)
        if limit is not None:
            reason = limit(left, right)
            if reason is not None:
                return _too_large(reason)
        if isinstance(left, _SETS) and isinstance(right, _SETS):
            unknown = why_not_distinct([*left, *right])
            return plain(left, right) if unknown is None else unknown
        return plain(left, right)

    return operate


_SETS = (set, frozenset, dict)


def _on_arrays(name: str, plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    from cutaway.knowledge.numpy.call import operator as bounded  # late: numpy is imported only if a target needs it

    return bounded(name, plain)


def _multiply(plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`*`; a sequence repeated a symbolic number of times is unknown."""
    limited = _limited("Mult", plain)

    def multiply(left: Any, right: Any) -> Any:
        if isinstance(left, _SEQUENCES):
            right = _count(drawn(right), "__rmul__")
        elif isinstance(right, _SEQUENCES):
            left = _count(drawn(left), "__mul__")
        if type(left) is Dim or type(right) is Dim:
            count, sequence = (left, right) if type(left) is Dim else (right, left)
            if isinstance(sequence, _SEQUENCES):
                return Unknown(f"a sequence repeated {count} times")
        return limited(left, right)

    return multiply


def _count(value: Any, own: str) -> Any:
    """Return how often a sequence is repeated, unless a class of the target has an operator of its own."""
    kind = type(value)
    if (
        kind is int
        or kind is Dim
        or kind is Unknown
        or any(own in vars(base) for base in kind.__mro__[:-1] if base is not int)
    ):
        return value
    return as_index(value)


def _modulo(plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`%`; a string that is formatted with unknown values is unknown."""
    limited = _limited("Mod", plain)

    def modulo(left: Any, right: Any) -> Any:
        if isinstance(left, str):
            items = tuple(map(drawn, right if isinstance(right, tuple) else (right,)))
            right = items if isinstance(right, tuple) else items[0]
            if any(isinstance(item, Unknown) or has_no_numbers(item) for item in items):
                return Unknown("a string built from an unknown value")
            if any(type(item) is Dim for item in items):
                return _with_sizes(left, items)
            return text_of(lambda values: limited(left, values), right)
        return limited(left, right)

    return modulo


def _with_sizes(template: str, items: tuple[Any, ...]) -> Any:
    """Return a string formatted with `%`, where sizes are among the values."""
    if _OTHER_FORMATS.search(template) or not all(type(item) in (int, str, Dim) for item in items):
        return Unknown("a formatted string of a symbolic size")
    plain = template.replace("%d", "%s").replace("%i", "%s")
    return plain % tuple(size_in_string(item) if type(item) is Dim else item for item in items)


_OTHER_FORMATS = pattern(r"%(?![sdi%])")


def _size_comparison(
    sign: str, decide: Callable[[Any, Any], bool | None], plain: Callable[[Any, Any], Any], invert: bool = False
) -> Any:
    def compare(left: Any, right: Any) -> Any:
        if type(left) is Dim or type(right) is Dim:
            if isinstance(left, (int, Dim)) and isinstance(right, (int, Dim)):
                answer = decide(left, right)
                if answer is None:
                    return undecided_comparison(sign, left, right)
                return answer is not invert
        kind = type(left)
        if kind is str and type(right) is str:
            may_be_open = "{" in left or "{" in right
        else:
            may_be_open = COMPARED[kind] and COMPARED[type(right)]
        if may_be_open and (is_open(left) or is_open(right)):
            return compare_open(sign, left, right, plain)
        if type(left) in ARRAYS or type(right) in ARRAYS:
            return _on_arrays(plain.__name__, plain)(left, right)
        return plain(left, right)

    return compare


COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": _size_comparison("==", equal, operator.eq),
    "NotEq": _size_comparison("!=", equal, operator.ne, invert=True),
    "Lt": _size_comparison("<", less, operator.lt),
    "Gt": _size_comparison(">", lambda a, b: less(b, a), operator.gt),
    "LtE": _size_comparison("<=", lambda a, b: less(b, a), operator.le, invert=True),
    "GtE": _size_comparison(">=", less, operator.ge, invert=True),
}


def identical(left: Any, right: Any) -> Any:
    """`left is right`, unknown if one side is."""
    for one, other in ((left, right), (right, left)):
        if type(one) is Unknown:
            usual = None if one.usual is None else one.usual.compared("is", other)
            named = one.term is not None and one.term.text
            term = one.term.combined("is", other) if one.term is not None and named else one.term
            return Unknown(one.reason, one.place, kind=bool, term=term, usual=usual)
    if (type(left) is Dim and isinstance(right, (int, Dim))) or (type(right) is Dim and isinstance(left, int)):
        return same(left, right)
    if left is not right and type(left) is type(right) and type(left) in _CONSTANTS and left == right:
        return Unknown("whether equal constants are one object differs between versions of Python", kind=bool)
    return left is right


_CONSTANTS = frozenset((str, bytes, int, float, complex))


def _found_openly(item: Any, container: Any) -> Any:
    """Tell whether an item is in a container where sizes may decide that, None where they don't."""
    kind = type(container)
    if kind in _SEARCHED or isinstance(container, tuple):
        if not may_match_openly(item, container):
            return None
        found = found_in(item, container)
        if type(found) is Unknown and type(item) is Dim and not any(map(is_open, container)):
            return contains(unknown_of(item), container)
        return found
    if kind is range and type(item) is Dim:
        return found_in(item, container) if len(container) <= _LISTED else unknown_of(item)
    if kind is str and type(item) is str and (is_open(item) or is_open(container)):
        return unknown_of(item)
    return None


def contains(item: Any, container: Any) -> Any:
    """`item in container`, unknown where that can't be determined."""
    kind = type(container)
    if kind is Unknown:
        if container.usual is not None:
            return contains(item, assumed(container))
        return Unknown(container.reason, container.place, kind=bool)
    if type(item) is Unknown:
        usual = None if item.usual is None else item.usual.compared("in", container)
        if item.term is None or not item.term.text:
            return Unknown(item.reason, item.place, kind=bool, term=item.term, usual=usual)
        items = None
        if kind in (tuple, list, dict):
            items = tuple(container)
        elif kind in (set, frozenset):
            items = tuple(sorted(container, key=repr))
        term = None if items is None else item.term.combined("in", items)
        return Unknown(item.reason, item.place, kind=bool, term=term, usual=usual)
    found = _found_openly(item, container)
    if found is not None:
        return found
    if (
        kind is dict
        or kind is list
        or kind is tuple
        or hasattr(kind, "__contains__")
        or not (hasattr(kind, "__iter__") or hasattr(kind, "__getitem__"))
    ):
        return container.membership(item) if hasattr(kind, "membership") else item in container
    return item in counted(container)


_LISTED = 64
_SEARCHED = frozenset((dict, list, set, frozenset, deque))


def _operators(**plain: Callable[[Any, Any], Any]) -> dict[str, Callable[[Any, Any], Any]]:
    special = {"Mult": _multiply, "Mod": _modulo}
    operators = {name: special[name](op) if name in special else _limited(name, op) for name, op in plain.items()}
    return {**operators, **{name: _skip_limits_for_small_numbers(plain[name], operators[name]) for name in _ARITHMETIC}}


_ARITHMETIC = ("Add", "Sub", "Mult", "Div", "FloorDiv", "Mod")
PLAIN: dict[str, Callable[[Any, Any], Any]] = {"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul}
"""Arithmetic that needs no size limits for small integers."""
_SMALL_NUMBER = 1 << 60


def _skip_limits_for_small_numbers(
    plain: Callable[[Any, Any], Any], limited: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    """Skip the size limits for small numbers, whose results are never too large."""

    def operate(left: Any, right: Any) -> Any:
        kind = type(left)
        if (kind is int and -_SMALL_NUMBER < left < _SMALL_NUMBER) or kind is float:
            kind = type(right)
            if (kind is int and -_SMALL_NUMBER < right < _SMALL_NUMBER) or kind is float:
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
