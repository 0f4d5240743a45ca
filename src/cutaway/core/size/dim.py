"""Sizes: integers, and exact symbolic expressions over named integers.

A `Dim` is a polynomial (`core/size/polynomial.py`) whose atoms are symbols and functions of other polynomials
(`core/size/atom.py`). Expressions without atoms are plain `int`s, never `Dim`s. `==` is structural; meaning is
asked through `equal` and `less`, which answer True, False or None (it depends on the symbols), and which
take into account what was learned of the symbols (`core/size/facts.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import gcd
from typing import Any, TypeAlias

from cutaway.core.record import dataclass
from cutaway.core.size.atom import FLOORDIV, MAX, MIN, MOD, POWER, QUOTIENT, Atom, Func, Symbol, depth, order
from cutaway.core.size.bounds import both, bounds
from cutaway.core.size.integer_members import IntegerMembers
from cutaway.core.size.knowledge import known
from cutaway.core.size.monomial import floored
from cutaway.core.size.polynomial import (
    HIGHEST_POWER,
    Polynomial,
    anonymous,
    combine,
    multiply,
    of_atom,
    of_terms,
)
from cutaway.core.size.polynomial import arguments as arguments
from cutaway.core.size.polynomial import as_atom as as_atom
from cutaway.core.size.polynomial import cancelled as cancelled
from cutaway.core.size.polynomial import divide as divide
from cutaway.core.size.polynomial import is_known as is_known
from cutaway.core.size.polynomial import primitive as primitive
from cutaway.core.size.polynomial import product as product
from cutaway.core.size.polynomial import symbols as symbols
from cutaway.core.size.power import absorb_factor, with_factors_absorbed
from cutaway.core.size.power import raised as raised_symbolically
from cutaway.core.size.relation import Relation
from cutaway.core.size.writer import to_string
from cutaway.core.unknown import Undecidable, Unknown

Size: TypeAlias = "int | Dim"

# Beyond these an expression says nothing to anyone, and takes long to compute with.
_DEEPEST = 32
_MOST_ARGUMENTS = 6
_MOST_BITS = 1 << 10


class Dim(IntegerMembers, Polynomial):
    """A symbolic size; build one with `symbol` and arithmetic."""

    __slots__ = ()

    def __str__(self) -> str:
        if self._string is None:
            self._string = to_string(self)
        return self._string

    def __repr__(self) -> str:
        return str(self)

    def __bool__(self) -> bool:
        return not _decide(equal(self, 0), "==", self, 0)

    def __lt__(self, other: Any) -> Any:
        if not _is_size(other):
            return _fraction(self, "<", other)
        return _decide(less(self, other), "<", self, other)

    def __gt__(self, other: Any) -> Any:
        if not _is_size(other):
            return _fraction(self, ">", other)
        return _decide(less(other, self), ">", self, other)

    def __le__(self, other: Any) -> Any:
        if not _is_size(other):
            return _fraction(self, "<=", other)
        return not self > other

    def __ge__(self, other: Any) -> Any:
        if not _is_size(other):
            return _fraction(self, ">=", other)
        return not self < other

    def __index__(self) -> int:
        known = rewritten(self)
        if isinstance(known, int):
            return known
        raise Undecidable(Unknown(f"the size {self} is not a known number"))

    def __int__(self) -> Any:
        return self.__index__()

    def __add__(self, other: Any) -> Any:
        return combine(self, other, 1) if _is_size(other) else _fraction(self, "+", other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return combine(self, other, -1) if _is_size(other) else _fraction(self, "-", other)

    def __rsub__(self, other: Any) -> Any:
        return combine(other, self, -1) if _is_size(other) else _fraction(self, "-", other, True)

    def __mul__(self, other: Any) -> Any:
        return multiply(self, other) if _is_size(other) else _fraction(self, "*", other)

    __rmul__ = __mul__

    def __neg__(self) -> Size:
        return multiply(self, -1)

    def __pos__(self) -> Size:
        return self

    def __abs__(self) -> Any:
        return self if less_unasked(self, 0) is False else _foreign(self, None)

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            return self.of_digits(other)
        if isinstance(other, Dim):
            return _power(self, other)
        if not isinstance(other, int) or not 0 <= other <= HIGHEST_POWER:
            return _foreign(self, other)
        result: Size = 1
        for _ in range(other):
            result = self * result
        return result

    def __floordiv__(self, other: Any) -> Any:
        return floordiv(self, other) if _is_size(other) else _fraction(self, "//", other)

    def __rfloordiv__(self, other: Any) -> Any:
        return floordiv(other, self) if _is_size(other) else _fraction(self, "//", other, True)

    def __mod__(self, other: Any) -> Any:
        return mod(self, other) if _is_size(other) else _foreign(self, other)

    def __rmod__(self, other: Any) -> Any:
        return mod(other, self) if _is_size(other) else _foreign(self, other)

    def __truediv__(self, other: Any) -> Any:
        return _fraction(self, "/", other)

    def __rtruediv__(self, other: Any) -> Any:
        return _fraction(self, "/", other, True)

    def __rpow__(self, other: Any) -> Any:
        return _power(other, self) if isinstance(other, int) else _foreign(self, other)

    def __lshift__(self, other: Any) -> Any:
        return self * 2**other

    def __rlshift__(self, other: Any) -> Any:
        return other * 2**self

    def __rshift__(self, other: Any) -> Any:
        return self // 2**other

    def __rrshift__(self, other: Any) -> Any:
        return other // 2**self


def symbol(name: str, least: int = 1) -> Dim:
    """Return the size that is the named integer."""
    return of_atom(Symbol(name, least), Dim)


def unknown_size() -> Dim:
    """Return a size of which nothing is known; each call gives a different one."""
    return anonymous(0, Dim)


def substitute(size: Size, values: Mapping[str, Size]) -> Size:
    """Replace symbols by name."""
    return replaced(size, lambda atom: values.get(atom.name) if isinstance(atom, Symbol) else None)


_MOST_KEPT = 1 << 14


def use(rules: dict[Atom, Size]) -> dict[Atom, Size]:
    """Take atoms to be what rules say, and return the rules that were in use before."""
    here = known()
    before, here.rules = here.rules, rules
    here.rewritten.clear()
    return before


def rewritten(size: Size) -> Size:
    """Return a size in the simplest form that what was learned allows."""
    if isinstance(size, int):
        return size
    here = known()
    if not here.rules:
        return size
    result: Size | None = here.rewritten.get(size)
    if result is None:
        if len(here.rewritten) > _MOST_KEPT:
            here.rewritten.clear()
        result = size
        for _ in range(_DEEPEST):
            before, result = result, replaced(result, here.rules.get, whole=True)
            if result == before:
                break
        here.rewritten[size] = result
    return result


def replaced(size: Size, find: Callable[[Atom], Size | None], whole: bool = False) -> Size:
    """Put what `find` gives in place of atoms; inside of a quotient only if not taken as a `whole`."""
    if isinstance(size, int):
        return size
    total: Size = 0
    changed = False
    for monomial, coefficient in size.terms.items():
        product: Size = 1
        for atom, power in monomial:
            value = find(atom)
            if value is None and isinstance(atom, Func) and not (whole and atom.kind == QUOTIENT):
                left, right = replaced(atom.left, find, whole), replaced(atom.right, find, whole)
                if left is not atom.left or right is not atom.right:
                    if atom.kind == POWER:
                        coefficient, right = absorb_factor(coefficient, left, right, power)
                    value = _FUNCTIONS[atom.kind](left, right)
                    if whole and not is_known(value) and is_known(of_atom(atom, Dim)):
                        value = None  # a divisor is not known not to be 0 in its new form
            changed = changed or value is not None
            product = product * (of_atom(atom, Dim) if value is None else value) ** power
        total = total + coefficient * product
    return total if changed else size


Ask: TypeAlias = "Callable[[str, Size, Size], bool | None]"


def answer_with(ask: Ask | None) -> Ask | None:
    """Have what `equal` and `less` can't tell asked of `ask`, by name and sizes; return what was asked before."""
    here = known()
    before, here.ask = here.ask, ask
    return before


def equal(left: Size, right: Size) -> bool | None:
    """Tell whether two sizes are equal for all, for no, or for some symbol values (None)."""
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    answer = _equal(left, right)
    return _asked("equal", left, right) if answer is None else answer


def _asked(question: str, left: Size, right: Size) -> bool | None:
    ask = known().ask
    return None if ask is None else ask(question, left, right)


def _equal(left: Size, right: Size) -> bool | None:
    """Tell the same without asking anyone else."""
    plain = combine(left, right, -1)
    difference = rewritten(plain)
    if isinstance(difference, int):
        return difference == 0
    low, high = bounds(difference) if plain is difference else both(bounds(plain), bounds(difference))
    if low == high == 0:
        return True
    if (low is not None and low > 0) or (high is not None and high < 0):
        return False
    constant = difference.terms.get((), 0)
    common = gcd(*(c for m, c in difference.terms.items() if m))
    return False if common > 1 and constant % common else None


def has_zero(sizes: Iterable[Size]) -> bool:
    """Tell whether one of the sizes is certainly 0."""
    return any(size == 0 if type(size) is int else equal(size, 0) is True for size in sizes)


def less(left: Size, right: Size) -> bool | None:
    """Tell whether `left < right` for all, for no, or for some symbol values (None)."""
    if isinstance(left, int) and isinstance(right, int):
        return left < right
    answer = less_unasked(left, right)
    return _asked("less", left, right) if answer is None else answer


def less_unasked(left: Size, right: Size) -> bool | None:
    """Tell the same without asking anyone else."""
    plain = combine(right, left, -1)
    difference = rewritten(plain)
    if isinstance(difference, int):
        return difference > 0
    low, high = bounds(difference) if plain is difference else both(bounds(plain), bounds(difference))
    if low is not None and low > 0:
        return True
    return False if high is not None and high <= 0 else None


def floordiv(left: Size, right: Size) -> Size:
    """Return `left // right`, simplified."""
    if isinstance(right, int):
        if isinstance(left, int):
            return left // right
        if right == 0:
            return anonymous(None, Dim)
        return _floor(left, right) if right > 0 else floordiv(-left, -right)
    quotient, rest = divide(left, right)
    if rest == 0:
        return quotient
    if _equal(right, 0) is not False:
        return anonymous(None, Dim)
    inner = as_atom(left)
    if (
        isinstance(inner, Func)
        and inner.kind == FLOORDIV
        and less_unasked(0, right) is True
        and less_unasked(0, inner.right) is True
    ):
        return floordiv(inner.left, with_factors_absorbed(inner.right * right))
    rest, right = cancelled(rest, right)
    return quotient + (floordiv(rest, right) if isinstance(right, int) else _function(FLOORDIV, rest, right))


def mod(left: Size, right: Size) -> Size:
    """Return `left % right`; by a number it is written as what floor division leaves."""
    if isinstance(left, int) and isinstance(right, int):
        return left % right
    if isinstance(right, int):
        return left - right * floordiv(left, right)
    _, rest = divide(left, right)
    return 0 if rest == 0 else _function(MOD, rest, right)


def quotient(left: Size, right: Size) -> Size:
    """Return `left / right`, which is known to leave no rest."""
    whole, rest = divide(left, right)
    if rest == 0:
        return whole
    if isinstance(right, int) and isinstance(left, Dim) and -abs(right) < left.terms.get((), 0) < 0:
        whole, rest = whole + 1, rest - right  # a number is taken from what is divided, not added to it
    if isinstance(left, int) and isinstance(right, int):
        raise ArithmeticError(f"{left} is not divisible by {right}")
    atom = as_atom(rest)
    if isinstance(right, int) and isinstance(atom, Func) and atom.kind == QUOTIENT:
        return combine(whole, quotient(atom.left, atom.right * right), 1)
    return combine(whole, of_atom(Func(QUOTIENT, rest, right), Dim), 1)


def raised(base: Size, exponent: Size) -> Size:
    """Return `base ** exponent`, which is known to be whole, in normal form."""
    if not isinstance(exponent, int):
        return raised_symbolically(base, exponent)
    if exponent < 0:  # a factor of a whole number that is not whole by itself
        return unknown_size()
    most = HIGHEST_POWER if isinstance(base, Dim) else _MOST_BITS // base.bit_length() if base else exponent
    return base**exponent if exponent <= most else unknown_size()


def power(base: Size, exponent: Size) -> Size | None:
    """Return `base ** exponent`; None unless the base is known to be above 0 and the exponent not to be below it."""
    exponent = rewritten(exponent)
    for size, least in ((base, 1), (exponent, 0)):
        low, _ = bounds(size)
        if low is None or low < least:
            return None
    return raised(base, exponent)


def minimum(left: Size, right: Size) -> Size:
    """Return the smaller size."""
    return _extreme(MIN, left, right)


def maximum(left: Size, right: Size) -> Size:
    """Return the larger size."""
    return _extreme(MAX, left, right)


def ceildiv(left: Size, right: Size) -> Size:
    """Return `left / right` rounded up."""
    return -floordiv(-left, right)


def _extreme(kind: str, left: Size, right: Size) -> Size:
    """Return the least or the greatest of two sizes: those of their arguments that may be it."""
    kept: list[Size] = []
    for size in (*arguments(kind, left), *arguments(kind, right)):
        if any(size == other or _surpassed(kind, size, other) for other in kept):
            continue
        kept = [other for other in kept if not _surpassed(kind, other, size)]
        kept.append(size)
    if len(kept) > _MOST_ARGUMENTS:
        return anonymous(None, Dim)
    numbers = [size for size in kept if isinstance(size, int)]
    kept = [*sorted((size for size in kept if isinstance(size, Dim)), key=order), *numbers]
    result = kept.pop()
    while kept:
        result = _function(kind, kept.pop(), result)
    return result


def _surpassed(kind: str, size: Size, other: Size) -> bool:
    """Tell whether `other` is never worse than `size` where the best of both is looked for."""
    return less_unasked(size, other) is False if kind == MIN else less_unasked(other, size) is False


def _floor(left: Dim, divisor: int) -> Size:
    """Return `left // divisor` for a divisor above 0, simplified."""
    if divisor == 1:
        return left
    whole, rest, sign, divisor = floored(left.terms, divisor)
    multiple = of_terms(whole, Dim)
    return combine(multiple, _nested_floor(of_terms(rest, Dim), divisor), sign) if rest else multiple


def _nested_floor(left: Size, divisor: int) -> Size:
    """Return `left // divisor`, where a division or a least or greatest size in `left` is drawn out, if there is one."""
    assert isinstance(left, Dim)
    for monomial, coefficient in left.terms.items():
        if len(monomial) != 1 or abs(coefficient) != 1 or monomial[0][1] != 1:
            continue
        atom = monomial[0][0]
        if not isinstance(atom, Func):
            continue
        if atom.kind == FLOORDIV and (isinstance(atom.right, int) or less_unasked(0, atom.right) is True):
            rest = left - Dim({monomial: coefficient})
            if coefficient < 0:
                return -floordiv(atom.left + atom.right * (divisor - 1 - rest), atom.right * divisor)
            return floordiv(atom.left + atom.right * rest, atom.right * divisor)
        if atom.kind in (MIN, MAX) and coefficient > 0 and len(left.terms) <= 2:
            rest = left - Dim({monomial: 1})
            if isinstance(rest, int):
                return _extreme(atom.kind, floordiv(atom.left + rest, divisor), floordiv(atom.right + rest, divisor))
    return _function(FLOORDIV, left, divisor)


def _function(kind: str, left: Size, right: Size) -> Size:
    if kind in (FLOORDIV, MOD):
        if _equal(right, 0) is not False:
            return anonymous(None, Dim)
        if less_unasked(left, right) is True and less_unasked(left, 0) is False:
            return 0 if kind == FLOORDIV else left
        if kind == FLOORDIV and isinstance(right, int):
            low, high = bounds(rewritten(left))
            if low is not None and high is not None and low // right == high // right:
                return low // right
    if max(depth(left), depth(right)) >= _DEEPEST:
        return anonymous(None, Dim)
    return of_atom(Func(kind, left, right), Dim)


_FUNCTIONS = {FLOORDIV: floordiv, MOD: mod, MIN: minimum, MAX: maximum, QUOTIENT: quotient, POWER: raised}


def _power(base: Size, exponent: Size) -> Any:
    result = power(base, exponent)
    if result is None:
        return Unknown(f"{base} to the power of {exponent} need not be whole", kind=float)
    return result


def _is_size(value: object) -> bool:
    return isinstance(value, (int, Dim))


def _foreign(dim: Dim, other: object) -> Any:
    if isinstance(other, Unknown):
        return NotImplemented  # it knows better
    if other is None or isinstance(other, (int, float, Dim)):
        return Unknown(f"a fractional expression of the size {dim} is not computed", kind=float)
    return NotImplemented


def _fraction(dim: Dim, sign: str, other: object, swapped: bool = False) -> Any:
    """Return what an operator makes of a size and a number that may have a fraction."""
    if isinstance(other, (int, float, Dim)):
        value = Ratio(dim, 1).combined(sign, other, swapped)
        if value is not None:
            return value
    return _foreign(dim, other)


def _decide(answer: bool | None, kind: str, left: Size, right: Size) -> bool:
    if answer is None:
        raise Undecidable(undecided(Relation(kind, left, right)))
    return answer


def undecided(relation: Relation) -> Unknown:
    """Return the unknown truth of a relation that depends on the symbols."""
    return Unknown(f"whether {relation} depends on the input's size", about=relation)


_LARGEST_PART = 1 << 20


@dataclass(frozen=True, slots=True)
class Ratio:
    """A quotient of sizes that a program computes with floating point, until it rounds it: `int(h / 2)`, `math.ceil(h / s)`.

    It is `above / below`, where `below` is above 0. Rounding a quotient of floating-point numbers gives what rounding
    the exact quotient gives: it is a whole number, and then exact, or far from one. Only steps for which that stays so
    are followed; for sizes up to 2**50 it does.
    """

    above: Size
    below: Size

    def rounded(self, way: str) -> Size | None:
        """Return what `floor`, `ceil` or `trunc` makes of it; None where that can't be determined."""
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
        return Ratio(above, below) if max(abs(above), below) <= _LARGEST_PART else None
    return None


def _is_binary(size: Size) -> bool:
    return isinstance(size, int) and size & (size - 1) == 0
