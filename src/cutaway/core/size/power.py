"""Powers whose exponent is symbolic, in normal form: `2**i`, `growth**(depth - 1)`."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.atom import POWER, Func
from cutaway.core.size.polynomial import P, Polynomial, as_atom, of_atom, product

_HIGHEST = 64
_LARGEST_ROOT = 1 << 20


def raised(base: int | P, exponent: P) -> int | P:
    """Return `base ** exponent`, which is known to be whole.

    What a sum in the exponent means is written as a product, so that `2**(i + 1)` is `2 * 2**i`.
    """
    if base == 1:
        return 1
    if isinstance(base, int):
        base, times = _root(base)
        return _split(base, exponent * times)
    atom = as_atom(base)
    if isinstance(atom, Func) and atom.kind == POWER:
        inner: Any = atom.left
        return raised(inner, atom.right * exponent)
    if atom is None and len(base.terms) == 1:
        ((monomial, coefficient),) = base.terms.items()
        if coefficient > 0:
            factors = [raised(of_atom(one, type(exponent)), exponent * times) for one, times in monomial]
            return product([raised(coefficient, exponent), *factors])
    return _split(base, exponent)


def absorb_factor(coefficient: int, base: int | P, exponent: int | P, times: int) -> tuple[int, int | P]:
    """Draw what a number has of a base into an exponent that is lowered: `2 * 2**(n - 1)` is `2**n`."""
    if isinstance(base, int) and not isinstance(exponent, int):
        lowered = -exponent.terms.get((), 0)
        while lowered > 0 and coefficient % base**times == 0:
            coefficient, exponent, lowered = coefficient // base**times, exponent + 1, lowered - 1
    return coefficient, exponent


def with_factors_absorbed(size: int | P) -> int | P:
    """Return a size in which numbers are drawn into powers that are lowered."""
    if isinstance(size, int):
        return size
    total: int | P = 0
    for monomial, coefficient in size.terms.items():
        factors: list[int | P] = []
        for atom, times in monomial:
            if isinstance(atom, Func) and atom.kind == POWER:
                base: Any = atom.left
                coefficient, exponent = absorb_factor(coefficient, base, atom.right, times)
                assert not isinstance(exponent, int), "a power of a number is a number"
                factors.append(raised(base, exponent) ** times)
            else:
                factors.append(type(size)({((atom, times),): 1}))
        total = total + coefficient * product(factors)
    return total


def _split(base: int | P, exponent: P) -> int | P:
    """Return a power as a product, with a factor for each term of the exponent."""
    kind = type(exponent)
    constant = exponent.terms.get((), 0)
    most = _HIGHEST if isinstance(base, Polynomial) else _HIGHEST // base.bit_length() if base > 0 else 0
    if not 0 <= constant <= most or any(not 0 < times <= _HIGHEST for m, times in exponent.terms.items() if m):
        return of_atom(_power(base, exponent), kind)
    parts = [
        kind({((_power(base, kind({monomial: 1})), times),): 1})
        for monomial, times in exponent.terms.items()
        if monomial
    ]
    return product([base**constant, *parts])


def _power(base: Any, exponent: Any) -> Func:
    return Func(POWER, base, exponent)


def _root(base: int) -> tuple[int, int]:
    """Return the least number that a number is a power of, and which: 2 and 3 of 8."""
    if 1 < base <= _LARGEST_ROOT:
        for root in range(2, int(base**0.5) + 1):
            rest, times = base, 0
            while rest % root == 0:
                rest, times = rest // root, times + 1
            if rest == 1:
                return root, times
            if times:
                break
    return base, 1
