"""Numbers of small tensors, which may become sizes: what operators make of them, as exactly as a run does.

A number is an `int`, a `bool`, a `float`, a symbolic size, or a quotient of sizes (`Unknown.ratio`); None where it is
not known. None is also the answer where it is not certain what a run would compute.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

from cutaway.core.size.dim import Dim, equal, floordiv, is_known, less, maximum, minimum, mod, product
from cutaway.core.unknown import Unknown

_WIDEST = 63
_REALS = {"float32": "f", "float16": "e", "float64": "d"}
_BITS = {"int8": 7, "int16": 15, "int32": 31, "int64": 63, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}


def combined(
    function: Callable[..., Any], operands: Sequence[tuple[Sequence[Any], Sequence[Any]]], dtype: str | None
) -> tuple[Any, ...] | None:
    """Return what an operator makes of numbers that are broadcast; operands are pairs of shape and numbers."""
    shapes = [shape for shape, _ in operands]
    if any(not isinstance(size, int) for shape in shapes for size in shape):
        return None
    rank = max(len(shape) for shape in shapes)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    out = [max(sizes) if 0 not in sizes else 0 for sizes in zip(*padded)]
    count = product(out)
    results = []
    for place in range(count if isinstance(count, int) else 0):
        arguments = [numbers[_source(place, out, shape)] for shape, (_, numbers) in zip(padded, operands)]
        results.append(applied(function, arguments, dtype))
    return tuple(results)


def _source(place: int, out: Sequence[int], shape: Sequence[Any]) -> int:
    """Return which number of an operand belongs to a place of the result."""
    index, stride = 0, 1
    for size, own in zip(reversed(out), reversed(shape)):
        place, here = divmod(place, size)
        if own != 1:
            index += here * stride
        stride *= own
    return index


def applied(function: Callable[..., Any], arguments: Sequence[Any], dtype: str | None) -> Any:
    """Return what a function makes of numbers, rounded to an element type; None where that is not known."""
    if any(argument is None for argument in arguments):
        return None
    try:
        return fitted(function(*arguments), dtype)
    except (ArithmeticError, ValueError, TypeError):
        return None


def fitted(number: Any, dtype: str | None) -> Any:
    """Return a number as an element type holds it; None where it can't, or where that is not known."""
    if number is None or dtype is None:
        return None
    if isinstance(number, str):
        return number
    if isinstance(number, Unknown):
        return number if number.ratio is not None and dtype in _REALS else None
    if isinstance(number, Dim):
        return number if is_known(number) and dtype != "bool" else None
    if dtype == "bool":
        return bool(number)
    if dtype in _REALS:
        code = _REALS[dtype]
        try:
            return struct.unpack(code, struct.pack(code, number))[0]
        except OverflowError:
            return None
    if isinstance(number, float):
        if not math.isfinite(number):
            return None
        number = int(number)
    return int(number) if int(number).bit_length() <= _BITS.get(dtype or "", _WIDEST) else None


def cast(number: Any, source: str | None, target: str | None) -> Any:
    """Return a number as another element type; None where that is not known."""
    if number is None or isinstance(number, str) or target == "string":
        return None
    if target == "bool":
        if isinstance(number, (Dim, Unknown)):
            zero = equal(number, 0) if isinstance(number, Dim) else None
            return None if zero is None else not zero
        return bool(number)
    if isinstance(number, Unknown):
        return rounded(number, "trunc") if target not in _REALS else number
    return fitted(number, target)


def rounded(number: Any, way: str) -> Any:
    """Return a number rounded by `floor`, `ceil` or `trunc`."""
    if isinstance(number, Unknown):
        return number.ratio.rounded(way) if number.ratio is not None else None
    if isinstance(number, (int, Dim)):
        return number
    return float(getattr(math, way)(number))


def divide(left: Any, right: Any, whole: bool) -> Any:
    """Return a quotient; that of whole numbers is rounded towards zero."""
    if not whole:
        if isinstance(right, (int, float)) and right == 0:
            return None
        if isinstance(left, Dim) and isinstance(right, float) and right.is_integer():
            right = int(right)
        quotient = left / right
        return quotient
    if isinstance(left, int) and isinstance(right, int):
        quotient = abs(left) // abs(right)
        return quotient if (left < 0) == (right < 0) else -quotient
    if less(left, 0) is False and less(0, right) is True:
        return floordiv(left, right)
    return None


def remainder(left: Any, right: Any, like_c: bool) -> Any:
    """Return a remainder, with the sign of the divisor, or `like_c` with that of the dividend."""
    if isinstance(left, (int, float)) and isinstance(right, (int, float)) and not isinstance(left, bool):
        return math.fmod(left, right) if like_c else left % right
    if less(left, 0) is False and less(0, right) is True:
        return mod(left, right)
    return None


def times(left: Any, right: Any) -> Any:
    """Return a product; a size times a float that is whole is a size."""
    if isinstance(left, (float, int)) and not isinstance(right, (float, int)):
        left, right = right, left
    if isinstance(left, Dim) and isinstance(right, float) and right.is_integer():
        return left * int(right)
    return left * right


def compared(question: str, left: Any, right: Any) -> bool | None:
    """Return whether two numbers are equal, or one less than the other."""
    if isinstance(left, float) and left.is_integer() and isinstance(right, Dim):
        left = int(left)
    if isinstance(right, float) and right.is_integer() and isinstance(left, Dim):
        right = int(right)
    if isinstance(left, (Dim, int)) and isinstance(right, (Dim, int)):
        return equal(left, right) if question == "equal" else less(left, right)
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right if question == "equal" else left < right
    return None


def extreme(left: Any, right: Any, largest: bool) -> Any:
    """Return the larger, or the smaller, of two numbers."""
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return max(left, right) if largest else min(left, right)
    if isinstance(left, (Dim, int)) and isinstance(right, (Dim, int)):
        return maximum(left, right) if largest else minimum(left, right)
    return None
