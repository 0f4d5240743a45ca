"""Polynomials in one variable with integer coefficients, lowest first, and what they are in the long run."""

from __future__ import annotations

from typing import TypeAlias

Polynomial: TypeAlias = tuple[int, ...]
"""Coefficients, lowest first; the highest is not 0, and there is none in 0."""


def constant(number: int) -> Polynomial:
    """Return a number as a polynomial."""
    return (number,) if number else ()


def trimmed(coefficients: list[int]) -> Polynomial:
    """Return coefficients without the highest ones that are 0."""
    while coefficients and not coefficients[-1]:
        coefficients.pop()
    return tuple(coefficients)


def added(left: Polynomial, right: Polynomial, factor: int = 1) -> Polynomial:
    """Return `left + factor * right`."""
    total = [*left, *[0] * (len(right) - len(left))]
    for power, coefficient in enumerate(right):
        total[power] += factor * coefficient
    return trimmed(total)


def multiplied(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return the product."""
    if not left or not right:
        return ()
    total = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            total[i + j] += a * b
    return trimmed(total)


def composed(outer: Polynomial, step: int, start: int) -> Polynomial:
    """Return `outer(step * t + start)` as a polynomial in t."""
    if len(outer) < 2:
        return outer
    result: Polynomial = ()
    for coefficient in reversed(outer):
        result = added(multiplied(result, trimmed([start, step])), constant(coefficient))
    return result


def value(polynomial: Polynomial, at: int) -> int:
    """Return the value at a number."""
    total = 0
    for coefficient in reversed(polynomial):
        total = total * at + coefficient
    return total


def sign(polynomial: Polynomial) -> int:
    """Return the sign that it has in the long run: -1, 0 or 1."""
    return 0 if not polynomial else (1 if polynomial[-1] > 0 else -1)


def settled(polynomial: Polynomial) -> int:
    """Return a number from which on it keeps the sign that it has in the long run.

    That is behind the root of a linear one. For others it is Cauchy's bound: no root is further out than 1 plus the
    largest ratio of a coefficient to the highest.
    """
    if len(polynomial) < 2:
        return 0
    highest = polynomial[-1]
    if polynomial[0] * highest > 0 and all(coefficient * highest >= 0 for coefficient in polynomial):
        return 0
    if len(polynomial) == 2:
        return abs(polynomial[0]) // abs(highest) + 1
    return 2 + max(map(abs, polynomial[:-1])) // abs(highest)


def quotient(left: Polynomial, right: Polynomial) -> tuple[Polynomial, Polynomial] | None:
    """Return q and r with `left = q * right + r` and r of a lower degree; None where q is not of integers."""
    result = [0] * max(0, len(left) - len(right) + 1)
    rest = left
    while len(rest) >= len(right):
        factor, over = divmod(rest[-1], right[-1])
        if over:
            return None
        shift = len(rest) - len(right)
        result[shift] = factor
        rest = added(rest, (*[0] * shift, *right), -factor)
    return trimmed(result), rest
