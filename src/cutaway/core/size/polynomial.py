"""Polynomials with integer coefficients over atoms: the normal form of sizes, with sums, products and exact division.

Results have the class of the operands, so what is computed from a `Dim` is a `Dim`. A polynomial without atoms is a
plain `int`, never a `Polynomial`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from math import gcd
from typing import Any, TypeVar

from cutaway.core.size.atom import Atom, Func, Monomial, Symbol
from cutaway.core.size.monomial import divided, joined, place, shared

# Beyond these an expression says nothing to anyone, and takes long to compute with.
HIGHEST_POWER = 64
_MOST_TERMS = 1 << 8
_MOST_PRODUCTS = 1 << 12


class Polynomial:
    """A sum of products of atoms; `terms` has the coefficient of each product. Equality is structural.

    `string` is how it is written, where that is known.
    """

    __slots__ = ("_hash", "_string", "terms")

    terms: dict[Monomial, int]

    def __init__(self, terms: dict[Monomial, int], string: str | None = None) -> None:
        self.terms = terms
        self._hash = hash(frozenset(terms.items()))
        self._string = string

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.terms, self._string)  # hashes differ from process to process

    def __add__(self, other: Any) -> Any:
        return combine(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return combine(self, other, -1)

    def __rsub__(self, other: Any) -> Any:
        return combine(other, self, -1)

    def __mul__(self, other: Any) -> Any:
        return multiply(self, other)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return multiply(self, -1)

    def __pow__(self, exponent: Any) -> Any:
        result: Any = 1
        for _ in range(exponent):
            result = self * result
        return result


P = TypeVar("P", bound=Polynomial)

_NUMBERS = itertools.count(1)  # of anonymous symbols


def anonymous(least: int | None, kind: type[P]) -> P:
    """Return a polynomial of which nothing is known but its least value; each call gives a different one."""
    return kind({((Symbol(f"?{next(_NUMBERS)}", least, True), 1),): 1})


def of_atom(atom: Atom, kind: type[P]) -> P:
    """Return the polynomial that is an atom."""
    return kind({((atom, 1),): 1})


def of_terms(terms: dict[Monomial, int], kind: type[P]) -> int | P:
    """Return the sum of terms: a number where no atom is left."""
    if 0 in terms.values():
        terms = {m: c for m, c in terms.items() if c}
    if not terms:
        return 0
    if len(terms) == 1 and () in terms:
        return terms[()]
    return kind(terms)


def terms_of(size: int | Polynomial) -> dict[Monomial, int]:
    """Return the terms of a polynomial or of a number."""
    if isinstance(size, Polynomial):
        return size.terms
    return {(): size} if size else {}


def symbols(size: int | Polynomial) -> set[Symbol]:
    """Return the symbols that a size mentions."""
    mentioned: set[Symbol] = set()
    if isinstance(size, Polynomial):
        for monomial in size.terms:
            for atom, _ in monomial:
                if isinstance(atom, Symbol):
                    mentioned.add(atom)
                else:
                    mentioned |= symbols(atom.left) | symbols(atom.right)
    return mentioned


def is_known(size: int | Polynomial) -> bool:
    """Tell whether the size has no anonymous part: an int or an expression in named symbols."""
    return isinstance(size, int) or not any(s.anonymous for s in symbols(size))


def as_atom(size: int | Polynomial) -> Atom | None:
    """Return the atom that a size is, if it is one."""
    if isinstance(size, int) or len(size.terms) != 1:
        return None
    ((monomial, coefficient),) = size.terms.items()
    return monomial[0][0] if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1 else None


def arguments(kind: str, size: int | P) -> list[int | P]:
    """Return the sizes of which a size is the least or the greatest; itself, if it is not of that kind."""
    atom = as_atom(size)
    if isinstance(atom, Func) and atom.kind == kind:
        sides: tuple[Any, Any] = (atom.left, atom.right)
        return [*arguments(kind, sides[0]), *arguments(kind, sides[1])]
    return [size]


def _kind(left: int | P, right: int | P) -> Any:
    """Return the class of what is computed from two sizes; it is not used where both are numbers."""
    return type(right) if isinstance(left, int) else type(left)


def combine(left: int | P, right: int | P, sign: int) -> int | P:
    """Return `left + sign*right`."""
    if isinstance(left, int) and isinstance(right, int):
        return left + sign * right
    kind = _kind(left, right)
    terms = dict(terms_of(left))
    for monomial, coefficient in terms_of(right).items():
        terms[monomial] = terms.get(monomial, 0) + sign * coefficient
    return of_terms(terms, kind) if len(terms) <= _MOST_TERMS else anonymous(None, kind)


def multiply(left: int | P, right: int | P) -> int | P:
    """Return `left * right`."""
    if isinstance(left, int):
        left, right = right, left
    if isinstance(right, int):
        if right == 1:
            return left
        if isinstance(left, int):
            return left * right
        return type(left)({m: c * right for m, c in left.terms.items()}) if right else 0
    assert not isinstance(left, int)
    if len(left.terms) * len(right.terms) > _MOST_PRODUCTS:
        return anonymous(None, type(left))
    terms: dict[Monomial, int] = {}
    for left_monomial, left_coefficient in left.terms.items():
        for right_monomial, right_coefficient in right.terms.items():
            monomial = joined(left_monomial, right_monomial)
            terms[monomial] = terms.get(monomial, 0) + left_coefficient * right_coefficient
    return of_terms(terms, type(left))


def product(sizes: Iterable[int | P]) -> int | P:
    """Return the product of sizes, 1 for none."""
    result: int | P = 1
    for size in sizes:
        result = result * size
    return result


def divide(left: int | P, right: int | P) -> tuple[int | P, int | P]:
    """Split `left` into a multiple of `right` and a rest: left == quotient * right + rest."""
    quotient, rest = divided(terms_of(left), terms_of(right))
    kind = _kind(left, right)
    return of_terms(quotient, kind), of_terms(rest, kind)


def cancelled(left: int | P, right: int | P) -> tuple[int | P, int | P]:
    """Cancel what all terms of two sizes have in common, which must not be 0."""
    monomial, factor = shared([*terms_of(left).items(), *terms_of(right).items()])
    by: int | P = of_terms({monomial: factor}, _kind(left, right))
    return (left, right) if by == 1 else (divide(left, by)[0], divide(right, by)[0])


def primitive(size: P) -> tuple[P, int, int] | None:
    """Return `(p, f, k)` of a size `f*p + k`, with p free of constants and common factors; None for a number."""
    terms = size.terms
    factor = gcd(*(c for m, c in terms.items() if m))
    if not factor:
        return None
    ordered = sorted((m for m in terms if m), key=place)
    if terms[ordered[0]] < 0:
        factor = -factor
    return type(size)({m: c // factor for m, c in terms.items() if m}), factor, terms.get((), 0)
