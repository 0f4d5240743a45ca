"""Products of powers of atoms: the terms of sizes, without their coefficients."""

from __future__ import annotations

from cutaway.core.atom import Atom, Monomial


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
