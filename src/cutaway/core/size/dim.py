"""Sizes: integers, and exact symbolic expressions over named integers.

A `Dim` is a polynomial with integer coefficients whose atoms are symbols and functions of other
polynomials (`core/size/atom.py`). Expressions without atoms are plain `int`s, never `Dim`s. `==` is structural; meaning is
asked through `equal` and `less`, which answer True, False or None (it depends on the symbols), and which
take into account what was learned of the symbols (`core/size/facts.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import gcd
from typing import Any, TypeAlias

from cutaway.core.size.atom import FLOORDIV, MAX, MIN, MOD, POWER, QUOTIENT, Atom, Func, Monomial, Symbol, depth, order
from cutaway.core.size.bounds import both, bounds
from cutaway.core.size.monomial import divided, floored, joined, place, shared
from cutaway.core.size.relation import Relation
from cutaway.core.unknown import Undecidable, Unknown

Size: TypeAlias = "int | Dim"

# Beyond these an expression says nothing to anyone, and takes long to compute with.
_HIGHEST_POWER = 64
_MOST_TERMS = 1 << 8
_MOST_PRODUCTS = 1 << 12
_DEEPEST = 32
_MOST_ARGUMENTS = 6


class Dim:
    """A symbolic size; build one with `symbol` and arithmetic."""

    __slots__ = ("_hash", "_written", "terms")

    terms: dict[Monomial, int]

    def __init__(self, terms: dict[Monomial, int]) -> None:
        self.terms = terms
        self._hash = hash(frozenset(terms.items()))
        self._written: str | None = None

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self.terms == other.terms

    def __str__(self) -> str:
        if self._written is None:
            from cutaway.core.size.writer import written

            self._written = written(self)
        return self._written

    def __repr__(self) -> str:
        return f"Dim({self})"

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
        return _combine(self, other, 1) if _is_size(other) else _fraction(self, "+", other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _combine(self, other, -1) if _is_size(other) else _fraction(self, "-", other)

    def __rsub__(self, other: Any) -> Any:
        return _combine(other, self, -1) if _is_size(other) else _fraction(self, "-", other, True)

    def __mul__(self, other: Any) -> Any:
        return _product(self, other) if _is_size(other) else _fraction(self, "*", other)

    __rmul__ = __mul__

    def __neg__(self) -> Size:
        return _product(self, -1)

    def __pos__(self) -> Size:
        return self

    def __abs__(self) -> Any:
        return self if _less(self, 0) is False else _foreign(self, None)

    def __pow__(self, other: Any) -> Any:
        if isinstance(other, Dim):
            return _power(self, other)
        if not isinstance(other, int) or not 0 <= other <= _HIGHEST_POWER:
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
    return _replaced(size, lambda atom: values.get(atom.name) if isinstance(atom, Symbol) else None)


_rules: dict[Atom, Size] = {}
_rewritten: dict[Dim, Size] = {}
_MOST_KEPT = 1 << 14


def use(rules: dict[Atom, Size]) -> dict[Atom, Size]:
    """Take atoms to be what rules say, and return the rules that were in use before."""
    global _rules
    before, _rules = _rules, rules
    _rewritten.clear()
    return before


def rewritten(size: Size) -> Size:
    """Return a size in the simplest form that what was learned allows."""
    if not _rules or isinstance(size, int):
        return size
    found = _rewritten.get(size)
    if found is None:
        if len(_rewritten) > _MOST_KEPT:
            _rewritten.clear()
        found = size
        for _ in range(_DEEPEST):
            before, found = found, _replaced(found, _rules.get, whole=True)
            if found == before:
                break
        _rewritten[size] = found
    return found


def _replaced(size: Size, find: Callable[[Atom], Size | None], whole: bool = False) -> Size:
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
                left, right = _replaced(atom.left, find, whole), _replaced(atom.right, find, whole)
                if left is not atom.left or right is not atom.right:
                    if atom.kind == POWER:
                        coefficient, right = _drawn(coefficient, left, right, power)
                    value = _FUNCTIONS[atom.kind](left, right)
                    if whole and not is_known(value) and is_known(Dim({((atom, 1),): 1})):
                        value = None  # a divisor is not known not to be 0 in its new form
            changed = changed or value is not None
            product = product * (Dim({((atom, 1),): 1}) if value is None else value) ** power
        total = total + coefficient * product
    return total if changed else size


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
    """Tell the same without asking anyone else."""
    plain = _combine(left, right, -1)
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
    answer = _less(left, right)
    return _ask("less", left, right) if answer is None and _ask is not None else answer


def _less(left: Size, right: Size) -> bool | None:
    """Tell the same without asking anyone else."""
    plain = _combine(right, left, -1)
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
            return _anonymous(None)
        return _floor(left, right) if right > 0 else floordiv(-left, -right)
    quotient, rest = divide(left, right)
    if rest == 0:
        return quotient
    if _equal(right, 0) is not False:
        return _anonymous(None)
    inner = as_atom(left)
    if isinstance(inner, Func) and inner.kind == FLOORDIV and _less(0, right) is True and _less(0, inner.right) is True:
        return floordiv(inner.left, _gathered(inner.right * right))
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
        return _combine(whole, quotient(atom.left, atom.right * right), 1)
    return _combine(whole, Dim({((Func(QUOTIENT, rest, right), 1),): 1}), 1)


def minimum(left: Size, right: Size) -> Size:
    """Return the smaller size."""
    return _extreme(MIN, left, right)


def maximum(left: Size, right: Size) -> Size:
    """Return the larger size."""
    return _extreme(MAX, left, right)


def ceildiv(left: Size, right: Size) -> Size:
    """Return `left / right` rounded up."""
    return -floordiv(-left, right)


def product(sizes: Iterable[Size]) -> Size:
    """Return the product of sizes, 1 for none."""
    result: Size = 1
    for size in sizes:
        result = result * size
    return result


def primitive(terms: dict[Monomial, int]) -> tuple[Dim, int, int] | None:
    """Return `(p, f, k)` of a size `f*p + k`, with p free of constants and common factors; None for a number."""
    factor = gcd(*(c for m, c in terms.items() if m))
    if not factor:
        return None
    ordered = sorted((m for m in terms if m), key=place)
    if terms[ordered[0]] < 0:
        factor = -factor
    return Dim({m: c // factor for m, c in terms.items() if m}), factor, terms.get((), 0)


def _extreme(kind: str, left: Size, right: Size) -> Size:
    """Return the least or the greatest of two sizes: those of their arguments that may be it."""
    kept: list[Size] = []
    for size in (*arguments(kind, left), *arguments(kind, right)):
        if any(size == other or _surpassed(kind, size, other) for other in kept):
            continue
        kept = [other for other in kept if not _surpassed(kind, other, size)]
        kept.append(size)
    if len(kept) > _MOST_ARGUMENTS:
        return _anonymous(None)
    numbers = [size for size in kept if isinstance(size, int)]
    kept = [*sorted((size for size in kept if isinstance(size, Dim)), key=order), *numbers]
    found = kept.pop()
    while kept:
        found = _function(kind, kept.pop(), found)
    return found


def _surpassed(kind: str, size: Size, other: Size) -> bool:
    """Tell whether `other` is never worse than `size` where the best of both is looked for."""
    return _less(size, other) is False if kind == MIN else _less(other, size) is False


def arguments(kind: str, size: Size) -> list[Size]:
    """Return the sizes of which a size is the least or the greatest; itself, if it is not of that kind."""
    atom = as_atom(size)
    if isinstance(atom, Func) and atom.kind == kind:
        return [*arguments(kind, atom.left), *arguments(kind, atom.right)]
    return [size]


def as_atom(size: Size) -> Atom | None:
    """Return the atom that a size is, if it is one."""
    if isinstance(size, int) or len(size.terms) != 1:
        return None
    ((monomial, coefficient),) = size.terms.items()
    return monomial[0][0] if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1 else None


def _floor(left: Dim, divisor: int) -> Size:
    """Return `left // divisor` for a divisor above 0, simplified."""
    if divisor == 1:
        return left
    whole, rest, sign, divisor = floored(left.terms, divisor)
    return _combine(_from(whole), _nested_floor(_from(rest), divisor), sign) if rest else _from(whole)


def _nested_floor(left: Size, divisor: int) -> Size:
    """Return `left // divisor`, where a division or a least or greatest size in `left` is drawn out, if there is one."""
    assert isinstance(left, Dim)
    for monomial, coefficient in left.terms.items():
        if len(monomial) != 1 or abs(coefficient) != 1 or monomial[0][1] != 1:
            continue
        atom = monomial[0][0]
        if not isinstance(atom, Func):
            continue
        if atom.kind == FLOORDIV and (isinstance(atom.right, int) or _less(0, atom.right) is True):
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
            return _anonymous(None)
        if _less(left, right) is True and _less(left, 0) is False:
            return 0 if kind == FLOORDIV else left
        if kind == FLOORDIV and isinstance(right, int):
            low, high = bounds(rewritten(left))
            if low is not None and high is not None and low // right == high // right:
                return low // right
    if max(depth(left), depth(right)) >= _DEEPEST:
        return _anonymous(None)
    return Dim({((Func(kind, left, right), 1),): 1})


def _raised(base: Size, exponent: Size) -> Size:
    from cutaway.core.size.power import raised

    return raised(base, exponent)


def _drawn(coefficient: int, base: Size, exponent: Size, times: int) -> tuple[int, Size]:
    from cutaway.core.size.power import drawn

    return drawn(coefficient, base, exponent, times)


def _gathered(size: Size) -> Size:
    from cutaway.core.size.power import gathered

    return gathered(size)


def _power(base: Size, exponent: Size) -> Any:
    from cutaway.core.size.power import power

    found = power(base, exponent)
    if found is None:
        return Unknown(f"{base} to the power of {exponent} need not be whole", kind=float)
    return found


_FUNCTIONS = {FLOORDIV: floordiv, MOD: mod, MIN: minimum, MAX: maximum, QUOTIENT: quotient, POWER: _raised}


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
        from cutaway.core.size.ratio import Ratio

        made = Ratio(dim, 1).combined(sign, other, swapped)
        if made is not None:
            return made
    return _foreign(dim, other)


def _decide(answer: bool | None, kind: str, left: Size, right: Size) -> bool:
    if answer is None:
        raise Undecidable(undecided(Relation(kind, left, right)))
    return answer


def undecided(relation: Relation) -> Unknown:
    """Return the unknown truth of a relation that depends on the symbols."""
    return Unknown(f"whether {relation} depends on the input's size", about=relation)


def _terms(size: Size) -> dict[Monomial, int]:
    if isinstance(size, Dim):
        return size.terms
    return {(): size} if size else {}


def _from(terms: dict[Monomial, int]) -> Size:
    if 0 in terms.values():
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
    if isinstance(left, int):
        left, right = right, left
    if isinstance(right, int):
        if right == 1:
            return left
        return Dim({m: c * right for m, c in left.terms.items()}) if right and isinstance(left, Dim) else 0
    assert isinstance(left, Dim)
    if len(left.terms) * len(right.terms) > _MOST_PRODUCTS:
        return _anonymous(None)
    terms: dict[Monomial, int] = {}
    for left_monomial, left_coefficient in left.terms.items():
        for right_monomial, right_coefficient in right.terms.items():
            monomial = joined(left_monomial, right_monomial)
            terms[monomial] = terms.get(monomial, 0) + left_coefficient * right_coefficient
    return _from(terms)


def divide(left: Size, right: Size) -> tuple[Size, Size]:
    """Split `left` into a multiple of `right` and a rest: left == quotient * right + rest."""
    quotient, rest = divided(_terms(left), _terms(right))
    return _from(quotient), _from(rest)


def cancelled(left: Size, right: Size) -> tuple[Size, Size]:
    """Cancel what all terms of two sizes have in common, which must not be 0."""
    common = shared([*_terms(left).items(), *_terms(right).items()])
    by = _from(dict([common]))
    return (left, right) if by == 1 else (divide(left, by)[0], divide(right, by)[0])
