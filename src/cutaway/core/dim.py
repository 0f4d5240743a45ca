"""Sizes: integers, and exact symbolic expressions over named integers.

A `Dim` is a polynomial with integer coefficients whose atoms are symbols and the functions `//`,
`%`, `min` and `max` of other polynomials. Expressions without atoms are plain `int`s, never `Dim`s.
`==` is structural; meaning is asked through `equal` and `less`, which answer True, False or None
(it depends on the symbols).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import gcd
from typing import Any, TypeAlias

from cutaway.core.record import dataclass, field
from cutaway.core.unknown import Undecidable, Unknown

Size: TypeAlias = "int | Dim"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named integer that is at least `least`, if that is given. An anonymous one stands for an unknown size."""

    name: str
    least: int | None = 1
    anonymous: bool = False

    def __str__(self) -> str:
        return "?" if self.anonymous else self.name


@dataclass(frozen=True, slots=True)
class Func:
    """One of `floordiv`, `mod`, `min`, `max` applied to two sizes."""

    kind: str
    left: Size
    right: Size
    depth: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", 1 + max(_depth(self.left), _depth(self.right)))

    def __str__(self) -> str:
        if self.kind in ("min", "max"):
            return f"{self.kind}({self.left}, {self.right})"
        operator = "//" if self.kind == "floordiv" else "%"
        return f"{_grouped(self.left)}{operator}{_grouped(self.right)}"


# Beyond these an expression says nothing to anyone, and takes long to compute with.
_HIGHEST_POWER = 64
_MOST_TERMS = 1 << 8
_MOST_PRODUCTS = 1 << 12
_DEEPEST = 32


def _depth(size: Size) -> int:
    """Return how many functions are nested in a size."""
    if not isinstance(size, Dim):
        return 0
    return max((atom.depth for monomial in size.terms for atom, _ in monomial if isinstance(atom, Func)), default=0)


Atom: TypeAlias = "Symbol | Func"
Monomial: TypeAlias = "tuple[tuple[Atom, int], ...]"


class Dim:
    """A symbolic size; build one with `symbol` and arithmetic."""

    __slots__ = ("_hash", "terms")

    terms: dict[Monomial, int]

    def __init__(self, terms: dict[Monomial, int]) -> None:
        self.terms = terms
        self._hash = hash(frozenset(terms.items()))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self.terms == other.terms

    def __str__(self) -> str:
        return _text(self)

    def __repr__(self) -> str:
        return f"Dim({self})"

    def __bool__(self) -> bool:
        return not _decide(equal(self, 0), self, "== 0")

    def __lt__(self, other: Any) -> bool:
        return _decide(less(self, other), self, f"< {other}")

    def __gt__(self, other: Any) -> bool:
        return _decide(less(other, self), self, f"> {other}")

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __index__(self) -> int:
        raise Undecidable(Unknown(f"the size {self} is not a known number"))

    def __int__(self) -> Any:
        raise Undecidable(Unknown(f"the size {self} is not a known number"))

    def __add__(self, other: Any) -> Any:
        return _combine(self, other, 1) if _is_size(other) else _foreign(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _combine(self, other, -1) if _is_size(other) else _foreign(self, other)

    def __rsub__(self, other: Any) -> Any:
        return _combine(other, self, -1) if _is_size(other) else _foreign(self, other)

    def __mul__(self, other: Any) -> Any:
        return _product(self, other) if _is_size(other) else _foreign(self, other)

    __rmul__ = __mul__

    def __neg__(self) -> Size:
        return _product(self, -1)

    def __pos__(self) -> Size:
        return self

    def __abs__(self) -> Any:
        return self if _less(self, 0) is False else _foreign(self, None)

    def __pow__(self, other: Any) -> Any:
        if not isinstance(other, int) or not 0 <= other <= _HIGHEST_POWER:
            return _foreign(self, other)
        result: Size = 1
        for _ in range(other):
            result = self * result
        return result

    def __floordiv__(self, other: Any) -> Any:
        return floordiv(self, other) if _is_size(other) else _foreign(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return floordiv(other, self) if _is_size(other) else _foreign(self, other)

    def __mod__(self, other: Any) -> Any:
        return mod(self, other) if _is_size(other) else _foreign(self, other)

    def __rmod__(self, other: Any) -> Any:
        return mod(other, self) if _is_size(other) else _foreign(self, other)

    def __truediv__(self, other: Any) -> Any:
        return _foreign(self, other)

    __rtruediv__ = __truediv__
    __rpow__ = __truediv__


def symbol(name: str, least: int = 1) -> Dim:
    """Return the size that is the named integer."""
    return Dim({((Symbol(name, least), 1),): 1})


_fresh = 0


def unknown_size() -> Dim:
    """Return a size of which nothing is known; each call gives a different one."""
    return _anonymous(0)


def _anonymous(least: int | None) -> Dim:
    global _fresh
    _fresh += 1
    return Dim({((Symbol(f"?{_fresh}", least, True), 1),): 1})


def is_known(size: Size) -> bool:
    """Tell whether the size has no anonymous part: an int or an expression in named symbols."""
    return isinstance(size, int) or not any(s.anonymous for s in symbols(size))


def symbols(size: Size) -> set[Symbol]:
    """Return the symbols that a size mentions."""
    found: set[Symbol] = set()
    if isinstance(size, Dim):
        for monomial in size.terms:
            for atom, _ in monomial:
                if isinstance(atom, Symbol):
                    found.add(atom)
                else:
                    found |= symbols(atom.left) | symbols(atom.right)
    return found


def substitute(size: Size, values: Mapping[str, Size]) -> Size:
    """Replace symbols by name."""
    if not isinstance(size, Dim):
        return size
    total: Size = 0
    for monomial, coefficient in size.terms.items():
        product: Size = coefficient
        for atom, power in monomial:
            value: Size
            if isinstance(atom, Symbol):
                value = values.get(atom.name, Dim({((atom, 1),): 1}))
            else:
                value = _FUNCTIONS[atom.kind](substitute(atom.left, values), substitute(atom.right, values))
            product = product * value**power
        total = total + product
    return total


Ask: TypeAlias = "Callable[[str, Size, Size], bool | None]"
_ask: Ask | None = None


def answer_with(ask: Ask | None) -> Ask | None:
    """Have what `equal` and `less` can't tell asked of `ask`, by name and sizes; return what was asked before."""
    global _ask
    before, _ask = _ask, ask
    return before


def equal(left: Size, right: Size) -> bool | None:
    """Tell whether two sizes are equal for all, for no, or for some symbol values (None)."""
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    answer = _equal(left, right)
    return _ask("equal", left, right) if answer is None and _ask is not None else answer


def _equal(left: Size, right: Size) -> bool | None:
    """Tell the same by the sizes alone, whatever else is known of their symbols."""
    difference = _combine(left, right, -1)
    low, high = _bounds(difference)
    if low == high == 0:
        return True
    if (low is not None and low > 0) or (high is not None and high < 0):
        return False
    if isinstance(difference, Dim):
        constant = difference.terms.get((), 0)
        common = gcd(*(c for m, c in difference.terms.items() if m))
        if common > 1 and constant % common:
            return False
    return None


def has_zero(sizes: Iterable[Size]) -> bool:
    """Tell whether one of the sizes is certainly 0."""
    return any(size == 0 if type(size) is int else equal(size, 0) is True for size in sizes)


def less(left: Size, right: Size) -> bool | None:
    """Tell whether `left < right` for all, for no, or for some symbol values (None)."""
    if isinstance(left, int) and isinstance(right, int):
        return left < right
    answer = _less(left, right)
    return _ask("less", left, right) if answer is None and _ask is not None else answer


def _less(left: Size, right: Size) -> bool | None:
    """Tell the same by the sizes alone, whatever else is known of their symbols."""
    low, high = _bounds(_combine(right, left, -1))
    if low is not None and low > 0:
        return True
    if high is not None and high <= 0:
        return False
    return None


def floordiv(left: Size, right: Size) -> Size:
    """Return `left // right`, simplified where the division is exact."""
    if isinstance(left, int) and isinstance(right, int):
        return left // right
    if right == 1:
        return left
    quotient, rest = _divide(left, right)
    if rest == 0:
        return quotient
    return quotient + _function("floordiv", rest, right)


def mod(left: Size, right: Size) -> Size:
    """Return `left % right`, simplified where parts of it divide."""
    if isinstance(left, int) and isinstance(right, int):
        return left % right
    _, rest = _divide(left, right)
    if rest == 0:
        return 0
    return _function("mod", rest, right)


def minimum(left: Size, right: Size) -> Size:
    """Return the smaller size."""
    if _less(right, left) is False:
        return left
    return _extreme("min", left, right, _less(left, right))


def maximum(left: Size, right: Size) -> Size:
    """Return the larger size."""
    if _less(left, right) is False:
        return left
    return _extreme("max", left, right, _less(right, left))


def ceildiv(left: Size, right: Size) -> Size:
    """Return `left / right` rounded up."""
    return -floordiv(-left, right)


def product(sizes: Iterable[Size]) -> Size:
    """Return the product of sizes, 1 for none."""
    result: Size = 1
    for size in sizes:
        result = result * size
    return result


def _extreme(kind: str, left: Size, right: Size, first: bool | None) -> Size:
    if left == right or first is True:
        return left
    if first is False:
        return right
    return _function(kind, left, right)


def _function(kind: str, left: Size, right: Size) -> Size:
    if kind in ("floordiv", "mod") and _equal(right, 0) is not False:
        return _anonymous(None)
    if max(_depth(left), _depth(right)) >= _DEEPEST:
        return _anonymous(None)
    if kind in ("floordiv", "mod") and _less(left, right) is True and _less(left, 0) is False:
        return 0 if kind == "floordiv" else left
    return Dim({((Func(kind, left, right), 1),): 1})


_FUNCTIONS = {"floordiv": floordiv, "mod": mod, "min": minimum, "max": maximum}


def _is_size(value: object) -> bool:
    return isinstance(value, (int, Dim))


def _foreign(dim: Dim, other: object) -> Any:
    if isinstance(other, Unknown):
        return other
    if other is None or isinstance(other, (int, float, Dim)):
        return Unknown(f"a fractional expression of the size {dim} is not computed")
    return NotImplemented


def _decide(answer: bool | None, dim: Dim, relation: str) -> bool:
    if answer is None:
        raise Undecidable(Unknown(f"whether {dim} {relation} depends on the input's size"))
    return answer


def _terms(size: Size) -> dict[Monomial, int]:
    if isinstance(size, Dim):
        return size.terms
    return {(): size} if size else {}


def _from(terms: dict[Monomial, int]) -> Size:
    terms = {m: c for m, c in terms.items() if c}
    if not terms:
        return 0
    if len(terms) == 1 and () in terms:
        return terms[()]
    return Dim(terms)


def _combine(left: Size, right: Size, sign: int) -> Size:
    if isinstance(left, int) and isinstance(right, int):
        return left + sign * right
    terms = dict(_terms(left))
    for monomial, coefficient in _terms(right).items():
        terms[monomial] = terms.get(monomial, 0) + sign * coefficient
    return _from(terms) if len(terms) <= _MOST_TERMS else _anonymous(None)


def _product(left: Size, right: Size) -> Size:
    if isinstance(left, Dim) and isinstance(right, Dim) and len(left.terms) * len(right.terms) > _MOST_PRODUCTS:
        return _anonymous(None)
    terms: dict[Monomial, int] = {}
    for left_monomial, left_coefficient in _terms(left).items():
        for right_monomial, right_coefficient in _terms(right).items():
            powers: dict[Atom, int] = dict(left_monomial)
            for atom, power in right_monomial:
                powers[atom] = powers.get(atom, 0) + power
            monomial = tuple(sorted(powers.items(), key=lambda item: (str(item[0]), repr(item[0]))))
            terms[monomial] = terms.get(monomial, 0) + left_coefficient * right_coefficient
    return _from(terms)


def _divide(left: Size, right: Size) -> tuple[Size, Size]:
    """Split `left` into a multiple of `right` and a rest: left == quotient * right + rest."""
    quotient: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    divisor = list(_terms(right).items())
    if len(divisor) != 1:
        if left == right:
            return 1, 0
        return 0, left
    by_monomial, by_coefficient = divisor[0]
    by_powers = dict(by_monomial)
    for monomial, coefficient in _terms(left).items():
        powers = dict(monomial)
        if all(powers.get(atom, 0) >= power for atom, power in by_powers.items()):
            whole, left_over = divmod(coefficient, by_coefficient)
            reduced = tuple(
                (atom, power - by_powers.get(atom, 0)) for atom, power in monomial if power > by_powers.get(atom, 0)
            )
            quotient[reduced] = quotient.get(reduced, 0) + whole
            rest[monomial] = rest.get(monomial, 0) + left_over
        else:
            rest[monomial] = rest.get(monomial, 0) + coefficient
    return _from(quotient), _from(rest)


def _bounds(size: Size) -> tuple[int | None, int | None]:
    """Return a lower and an upper bound that hold for all symbol values."""
    if isinstance(size, int):
        return size, size
    low: int | None = 0
    high: int | None = 0
    for monomial, coefficient in size.terms.items():
        term_low, term_high = _monomial_bounds(monomial)
        if coefficient < 0:
            term_low, term_high = term_high, term_low
        low = None if low is None or term_low is None else low + coefficient * term_low
        high = None if high is None or term_high is None else high + coefficient * term_high
    return low, high


def _monomial_bounds(monomial: Monomial) -> tuple[int | None, int | None]:
    low: int | None = 1
    high: int | None = 1
    for atom, power in monomial:
        atom_low, atom_high = _atom_bounds(atom)
        if atom_low is None or atom_low < 0:
            if power % 2 == 0:
                atom_low, atom_high = 0, None
            else:
                return None, None
        low = None if low is None else low * atom_low**power
        high = None if high is None or atom_high is None else high * atom_high**power
    return low, high


def _atom_bounds(atom: Atom) -> tuple[int | None, int | None]:
    if isinstance(atom, Symbol):
        return atom.least, None
    (left_low, left_high), (right_low, right_high) = _bounds(atom.left), _bounds(atom.right)
    if atom.kind == "min":
        low = None if left_low is None or right_low is None else min(left_low, right_low)
        highs = [h for h in (left_high, right_high) if h is not None]
        return low, min(highs) if highs else None
    if atom.kind == "max":
        lows = [b for b in (left_low, right_low) if b is not None]
        high = None if left_high is None or right_high is None else max(left_high, right_high)
        return max(lows) if lows else None, high
    if right_low is None or right_low <= 0:
        return None, None
    if atom.kind == "mod":
        return 0, None if right_high is None else right_high - 1
    low = None
    if left_low is not None:
        low = left_low // right_low if left_low < 0 else (left_low // right_high if right_high else 0)
    high = None
    if left_high is not None:
        high = left_high // right_low if left_high >= 0 else -1
    return low, high


def _grouped(size: Size) -> str:
    text = str(size)
    return text if text.isalnum() else f"({text})"


def _text(dim: Dim) -> str:
    parts: list[str] = []
    for monomial, coefficient in sorted(dim.terms.items(), key=lambda item: (not item[0], str(item[0]))):
        factors = []
        for atom, power in monomial:
            text = str(atom)
            if (
                isinstance(atom, Func)
                and atom.kind in ("floordiv", "mod")
                and (power > 1 or len(monomial) > 1 or coefficient != 1)
            ):
                text = f"({text})"
            factors.append(text if power == 1 else f"{text}**{power}")
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, str(abs(coefficient)))
        sign = "-" if coefficient < 0 else "+"
        joined = "*".join(factors)
        if not parts:
            parts.append(joined if sign == "+" else f"-{joined}")
        else:
            parts.append(f" {sign} {joined}")
    return "".join(parts)
