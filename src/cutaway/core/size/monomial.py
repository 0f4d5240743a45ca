"""Products of powers of atoms, the terms of sizes, and the division of sums of them."""

from __future__ import annotations

from math import gcd

from cutaway.core.size.atom import Atom, Monomial


def joined(left: Monomial, right: Monomial) -> Monomial:
    """Return the product of two monomials."""
    if not left or not right:
        return left or right
    powers: dict[Atom, int] = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items(), key=by_order))


def quotient_of(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """Return the quotient of two monomials; None where there is none."""
    powers = dict(monomial)
    for atom, power in divisor:
        left = powers.get(atom, 0) - power
        if left < 0:
            return None
        powers[atom] = left
    return tuple((atom, power) for atom, power in powers.items() if power)


def by_order(factor: tuple[Atom, int]) -> str:
    """Return what the factors of a monomial are ordered by."""
    return factor[0].order


def place(monomial: Monomial) -> tuple[int, list[tuple[str, int]]]:
    """Return what monomials are ordered by: the highest degree first, then the names."""
    return -sum(power for _, power in monomial), [(atom.order, -power) for atom, power in monomial]


_MOST_STEPS = 1 << 8


def divided(left: dict[Monomial, int], right: dict[Monomial, int]) -> tuple[dict[Monomial, int], dict[Monomial, int]]:
    """Split a sum of terms into a multiple of another and a rest; a divisor of several terms leaves all or nothing."""
    if len(right) != 1:
        whole = _whole(left, right) if right else None
        return ({}, left) if whole is None else (whole, {})
    quotient: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    ((by_monomial, by_coefficient),) = right.items()
    for monomial, coefficient in left.items():
        reduced = quotient_of(monomial, by_monomial)
        count, over = (0, coefficient) if reduced is None else divmod(coefficient, by_coefficient)
        if reduced is not None and count:
            quotient[reduced] = count
        if over:
            rest[monomial] = over
    return quotient, rest


def _whole(left: dict[Monomial, int], right: dict[Monomial, int]) -> dict[Monomial, int] | None:
    """Divide by a sum of terms; None where that leaves a rest."""
    quotient: dict[Monomial, int] = {}
    rest = dict(left)
    leading = min(right, key=place)
    for _ in range(_MOST_STEPS):
        if not rest:
            return quotient
        first = min(rest, key=place)
        reduced = quotient_of(first, leading)
        if reduced is None or rest[first] % right[leading]:
            return None
        count = quotient[reduced] = rest[first] // right[leading]
        for monomial, coefficient in right.items():
            term = joined(monomial, reduced)
            rest[term] = rest.get(term, 0) - count * coefficient
            if not rest[term]:
                del rest[term]
    return None


def floored(terms: dict[Monomial, int], divisor: int) -> tuple[dict[Monomial, int], dict[Monomial, int], int, int]:
    """Return `(w, r, s, d)` of a sum divided by a number and rounded down: it is w + s*floor(r/d). No r: it is w.

    Whole multiples are taken out, so that coefficients are at most half of the divisor and the first is positive;
    common factors are cancelled.
    """
    whole: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, coefficient in terms.items():
        count, over = divmod(coefficient, divisor)
        if monomial and (2 * over > divisor or (2 * over == divisor and coefficient < 0)):
            count, over = count + 1, over - divisor
        if count:
            whole[monomial] = count
        if over:
            rest[monomial] = over
    variables = sorted((monomial for monomial in rest if monomial), key=place)
    if not variables:
        return whole, {}, 1, divisor
    sign = 1 if rest[variables[0]] > 0 else -1
    if sign < 0:  # floor(-y/d) == -floor((y + d - 1)/d)
        constant = divisor - 1 - rest.pop((), 0)
        rest = {monomial: -coefficient for monomial, coefficient in rest.items()}
        if constant:
            rest[()] = constant
    for monomial in variables[1:]:
        if 2 * rest[monomial] == -divisor:
            rest[monomial] = -rest[monomial]
            whole[monomial] = whole.get(monomial, 0) - sign
    common = gcd(divisor, *(rest[monomial] for monomial in variables))
    if common > 1:
        rest = {monomial: coefficient // common for monomial, coefficient in rest.items()}
        divisor //= common
    return whole, rest, sign, divisor


def shared(terms: list[tuple[Monomial, int]]) -> tuple[Monomial, int]:
    """Return what all terms have in common."""
    common = dict(terms[0][0])
    for monomial, _ in terms[1:]:
        powers = dict(monomial)
        common = {atom: min(power, powers[atom]) for atom, power in common.items() if atom in powers}
    return tuple(sorted(common.items(), key=by_order)), gcd(*(coefficient for _, coefficient in terms))
