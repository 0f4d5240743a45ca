"""Powers whose exponent is a size: `2**i`, `growth**(depth - 1)`."""

from __future__ import annotations

from cutaway.core.size.atom import POWER, Func
from cutaway.core.size.bounds import bounds
from cutaway.core.size.dim import Dim, Size, as_atom, product, rewritten, unknown_size

_HIGHEST = 64
_MOST_BITS = 1 << 10
_LARGEST_ROOT = 1 << 20


def power(base: Size, exponent: Size) -> Size | None:
    """Return `base ** exponent`; None unless the base is known to be above 0 and the exponent not to be below it."""
    exponent = rewritten(exponent)
    for size, least in ((base, 1), (exponent, 0)):
        low, _ = bounds(size)
        if low is None or low < least:
            return None
    return raised(base, exponent)


def raised(base: Size, exponent: Size) -> Size:
    """Return `base ** exponent`, which is known to be whole, in normal form.

    What a sum in the exponent means is written as a product, so that `2**(i + 1)` is `2 * 2**i`.
    """
    if isinstance(exponent, int):
        if exponent < 0:
            raise ArithmeticError(f"{base} to the power of {exponent} is not whole")
        most = _HIGHEST if isinstance(base, Dim) else _MOST_BITS // base.bit_length() if base else exponent
        return base**exponent if exponent <= most else unknown_size()
    if base == 1:
        return 1
    if isinstance(base, int):
        base, times = _root(base)
        return _split(base, exponent * times)
    atom = as_atom(base)
    if isinstance(atom, Func) and atom.kind == POWER:
        return raised(atom.left, atom.right * exponent)
    if atom is None and len(base.terms) == 1:
        ((monomial, coefficient),) = base.terms.items()
        if coefficient > 0:
            factors = [raised(Dim({((one, 1),): 1}), exponent * times) for one, times in monomial]
            return product([raised(coefficient, exponent), *factors])
    return _split(base, exponent)


def drawn(coefficient: int, base: Size, exponent: Size, times: int) -> tuple[int, Size]:
    """Draw what a number has of a base into an exponent that is lowered: `2 * 2**(n - 1)` is `2**n`."""
    if isinstance(base, int) and isinstance(exponent, Dim):
        lowered = -exponent.terms.get((), 0)
        while lowered > 0 and coefficient % base**times == 0:
            coefficient, exponent, lowered = coefficient // base**times, exponent + 1, lowered - 1
    return coefficient, exponent


def gathered(size: Size) -> Size:
    """Return a size in which numbers are drawn into powers that are lowered."""
    if isinstance(size, int):
        return size
    total: Size = 0
    for monomial, coefficient in size.terms.items():
        factors: list[Size] = []
        for atom, times in monomial:
            if isinstance(atom, Func) and atom.kind == POWER:
                coefficient, exponent = drawn(coefficient, atom.left, atom.right, times)
                factors.append(raised(atom.left, exponent) ** times)
            else:
                factors.append(Dim({((atom, times),): 1}))
        total = total + coefficient * product(factors)
    return total


def _split(base: Size, exponent: Size) -> Size:
    assert isinstance(exponent, Dim)
    constant = exponent.terms.get((), 0)
    most = _HIGHEST if isinstance(base, Dim) else _HIGHEST // base.bit_length() if base > 0 else 0
    if not 0 <= constant <= most or any(not 0 < times <= _HIGHEST for m, times in exponent.terms.items() if m):
        return Dim({((Func(POWER, base, exponent), 1),): 1})
    parts = [
        Dim({((Func(POWER, base, Dim({monomial: 1})), times),): 1})
        for monomial, times in exponent.terms.items()
        if monomial
    ]
    return product([base**constant, *parts])


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
