"""Quotients of sizes that a program computes with floating point, until it rounds them: `int(h / 2)`, `math.ceil(h / s)`.

Rounding a quotient of floating-point numbers gives what rounding the exact quotient gives: it is a whole number, and
then exact, or far from one. Only steps for which that stays so are followed; for sizes up to 2**50 it does.
"""

from __future__ import annotations

from math import gcd
from typing import Any

from cutaway.core.record import dataclass
from cutaway.core.size.dim import Dim, Size, ceildiv, equal, floordiv, less, undecided
from cutaway.core.size.relation import Relation
from cutaway.core.unknown import Unknown

_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Ratio:
    """`above / below`, where `below` is above 0."""

    above: Size
    below: Size

    def rounded(self, way: str) -> Size | None:
        """Return what `floor`, `ceil` or `trunc` makes of it; None where that can't be told."""
        if way == "floor" or (way == "trunc" and less(self.above, 0) is False):
            return floordiv(self.above, self.below)
        return ceildiv(self.above, self.below) if way == "ceil" or less(0, self.above) is False else None

    def combined(self, sign: str, other: Any, swapped: bool) -> Any:
        """Return what an operator makes of it and another number; None where that is not followed."""
        right = _ratio(other)
        if right is None:
            return None
        left = self
        if swapped:
            left, right = right, left
        match sign:
            case "+" | "-":
                return left._added(right, 1 if sign == "+" else -1)
            case "*":
                return left._times(right)
            case "/":
                return left._over(right)
            case "//":
                exact = isinstance(right.below, int) and right.below == 1 and less(0, right.above) is True
                return fraction(floordiv(left.above, left.below * right.above), 1) if exact else None
            case "==" | "!=" | "<" | "<=" | ">" | ">=":
                return left._compared(sign, right)
        return None

    def _added(self, other: Ratio, sign: int) -> Any:
        if self.below == other.below:
            return fraction(self.above + sign * other.above, self.below)
        if not (_is_binary(self.below) or self.below == 1) and other.below != 1:
            return None
        if not (_is_binary(other.below) or other.below == 1) and self.below != 1:
            return None
        return fraction(self.above * other.below + sign * other.above * self.below, self.below * other.below)

    def _times(self, other: Ratio) -> Any:
        """Multiply, where nothing that the division rounded off could be made whole again by it."""
        one, many = (self, other) if other.below == 1 else (other, self)
        if _is_binary(one.below) and _is_binary(many.below):
            return fraction(one.above * many.above, one.below * many.below)
        if many.below != 1 or not isinstance(many.above, int) or not isinstance(one.below, int):
            return None
        return fraction(one.above * many.above, one.below) if gcd(many.above, one.below) == 1 else None

    def _over(self, other: Ratio) -> Any:
        if other.below != 1 or less(0, other.above) is not True:
            return None
        if not isinstance(self.below, int) or (not isinstance(other.above, int) and self.below != 1):
            return None
        return fraction(self.above, self.below * other.above)

    def _compared(self, sign: str, other: Ratio) -> Any:
        left, right = self.above * other.below, other.above * self.below
        if sign in ("==", "!="):
            answer = equal(left, right)
        elif sign in ("<", ">="):
            answer = less(left, right)
        else:
            answer = less(right, left)
        if answer is None:
            return undecided(Relation(sign, left, right))
        return answer if sign in ("==", "<", ">") else not answer


def fraction(above: Size, below: Size) -> Any:
    """Return the value of a quotient: a number where it is one, otherwise an unknown one that can be rounded."""
    if isinstance(above, int) and isinstance(below, int):
        return above / below
    text = f"({above})/({below})" if below != 1 else f"{above}, as a number with a fraction,"
    return Unknown(f"the number {text} depends on the input's size", kind=float, ratio=Ratio(above, below))


def _ratio(value: Any) -> Ratio | None:
    """Return a number as a quotient of sizes, if it is exactly one of moderate ones."""
    if isinstance(value, Unknown):
        return value.ratio
    if isinstance(value, (int, Dim)):
        return Ratio(value, 1)
    if isinstance(value, float) and value - value == 0:
        above, below = value.as_integer_ratio()
        return Ratio(above, below) if max(abs(above), below) <= _LARGEST else None
    return None


def _is_binary(size: Size) -> bool:
    return isinstance(size, int) and size & (size - 1) == 0
