"""Expressions in one unknown size, as exact functions of the positive integers.

A `Sequence` has its first values one by one, and from there on a polynomial on each residue class.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd, lcm

from cutaway.core.record import dataclass
from cutaway.solve import polynomial
from cutaway.solve.effort import Unsolved, spend
from cutaway.solve.polynomial import Polynomial
from cutaway.solve.subset import LONGEST, Subset, bits, primes, subset


@dataclass(frozen=True, slots=True)
class Sequence:
    """The values for 1, 2, ...: those of `head`, then, for n = len(head) + 1 + r + t * len(tail), `tail[r]` at t."""

    head: tuple[int, ...]
    tail: tuple[Polynomial, ...]

    def at(self, number: int) -> int:
        """Return the value for a positive integer."""
        if number <= len(self.head):
            return self.head[number - 1]
        t, r = divmod(number - len(self.head) - 1, len(self.tail))
        return polynomial.value(self.tail[r], t)

    def __add__(self, other: Sequence) -> Sequence:
        return _each(self, other, lambda a, b: a + b, polynomial.added)

    def __sub__(self, other: Sequence) -> Sequence:
        return _each(self, other, lambda a, b: a - b, lambda a, b: polynomial.added(a, b, -1))

    def __mul__(self, other: Sequence) -> Sequence:
        return _each(self, other, lambda a, b: a * b, polynomial.multiplied)

    def __floordiv__(self, other: Sequence) -> Sequence:
        return _divided(self, other)

    def __mod__(self, other: Sequence) -> Sequence:
        return self - other * (self // other)

    def smaller(self, other: Sequence) -> Sequence:
        """Return the smaller of two at each number."""
        left, right = _settled(self, other)
        return _each(left, right, min, lambda a, b: a if polynomial.sign(polynomial.added(a, b, -1)) < 0 else b)

    def larger(self, other: Sequence) -> Sequence:
        """Return the larger of two at each number."""
        left, right = _settled(self, other)
        return _each(left, right, max, lambda a, b: a if polynomial.sign(polynomial.added(a, b, -1)) > 0 else b)

    def where(self, holds: Callable[[int], bool]) -> Subset:
        """Return where a condition on the sign holds; it is given the value, or in the long run its sign."""
        spend(len(self.head) + len(self.tail))
        full = _lengthened(self, len(self.head) + max(map(polynomial.settled, self.tail)) * len(self.tail))
        head = bits(i for i, value in enumerate(full.head) if holds(value))
        cycle = bits(r for r, part in enumerate(full.tail) if holds(polynomial.sign(part)))
        return subset(len(full.head), head, len(full.tail), cycle)

    def always_grows(self) -> bool:
        """Tell whether each value is larger than the one before it, so that no two are the same."""
        more = _lengthened(self, len(self.head) + 1)
        return not (Sequence(more.head[1:], more.tail) - self).where(lambda value: value <= 0)

    def normal(self) -> Sequence:
        """Return the one form that all sequences with the same values have."""
        tail = self.tail
        for prime in primes(len(tail)):
            while len(tail) % prime == 0 and (shorter := _shortened(tail, prime)) is not None:
                tail = shorter
        head = list(self.head)
        while head and polynomial.value(tail[-1], -1) == head[-1]:
            head.pop()
            tail = (polynomial.composed(tail[-1], 1, -1), *tail[:-1])
        return Sequence(tuple(head), tail)


def _shortened(tail: tuple[Polynomial, ...], times: int) -> tuple[Polynomial, ...] | None:
    """Return a tail with a period that is so many times shorter, None where there is none."""
    period = len(tail) // times
    parts = []
    for r in range(period):
        if any(coefficient % times**power for power, coefficient in enumerate(tail[r])):
            return None
        part = tuple(coefficient // times**power for power, coefficient in enumerate(tail[r]))
        if any(polynomial.composed(part, times, k) != tail[r + k * period] for k in range(1, times)):
            return None
        parts.append(part)
    return tuple(parts)


NUMBERS = Sequence((), ((1, 1),))
"""The unknown itself: 1, 2, ..."""


def fixed(number: int) -> Sequence:
    """Return a number, whatever the unknown is."""
    return Sequence((), (polynomial.constant(number),))


def _lengthened(held: Sequence, length: int) -> Sequence:
    """Return the same with more of the values one by one."""
    if length > LONGEST:
        raise Unsolved(f"sizes would have to be looked at one by one up to {length:,}")
    before, period = len(held.head), len(held.tail)
    if length <= before:
        return held
    more = length - before
    spend(more + period)
    head = (*held.head, *(held.at(n) for n in range(before + 1, length + 1)))
    moved = (divmod(more + r, period) for r in range(period))
    return Sequence(head, tuple(polynomial.composed(held.tail[r], 1, k) for k, r in moved))


def _stretched(held: Sequence, period: int) -> Sequence:
    """Return the same with a period that is a multiple of its own."""
    own = len(held.tail)
    if period == own:
        return held
    if period > LONGEST:
        raise Unsolved(f"sizes repeat only after {period:,}")
    times = period // own
    spend(period)
    return Sequence(held.head, tuple(polynomial.composed(held.tail[r % own], times, r // own) for r in range(period)))


def aligned(left: Sequence, right: Sequence) -> tuple[Sequence, Sequence]:
    """Return both with as many values one by one and the same period."""
    length, period = max(len(left.head), len(right.head)), lcm(len(left.tail), len(right.tail))
    return _stretched(_lengthened(left, length), period), _stretched(_lengthened(right, length), period)


def _each(
    left: Sequence,
    right: Sequence,
    number: Callable[[int, int], int],
    part: Callable[[Polynomial, Polynomial], Polynomial],
) -> Sequence:
    left, right = aligned(left, right)
    spend(len(left.head) + len(left.tail))
    return Sequence(tuple(map(number, left.head, right.head)), tuple(map(part, left.tail, right.tail)))


def _settled(left: Sequence, right: Sequence) -> tuple[Sequence, Sequence]:
    """Return both from where on the larger of them is the larger in the long run."""
    difference = left - right
    length = len(difference.head) + max(map(polynomial.settled, difference.tail)) * len(difference.tail)
    return _lengthened(left, length), _lengthened(right, length)


def _divided(left: Sequence, right: Sequence) -> Sequence:
    left, right = aligned(left, right)
    times = 1
    for a, b in zip(left.tail, right.tail):
        if len(b) == 1:
            by = abs(b[0])
            times = lcm(times, by // gcd(by, *a[1:]) if len(a) <= 2 else by)
    left, right = _stretched(left, len(left.tail) * times), _stretched(right, len(right.tail) * times)
    length = len(left.head)
    for a, b in zip(left.tail, right.tail):
        if len(b) > 1 and (split := polynomial.quotient(a, b)) is not None:
            rest = split[1]
            far = max(map(polynomial.settled, (rest, b, polynomial.added(rest, b), polynomial.added(rest, b, -1))))
            length = max(length, len(left.head) + far * len(left.tail))
    left, right = aligned(_lengthened(left, length), _lengthened(right, length))
    if 0 in right.head:
        raise Unsolved("a size is divided by one that may be 0")
    return Sequence(
        tuple(a // b for a, b in zip(left.head, right.head)),
        tuple(_quotient(a, b) for a, b in zip(left.tail, right.tail)),
    )


def _quotient(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return the rounded quotient of polynomials in the long run."""
    if not right:
        raise Unsolved("a size is divided by one that may be 0")
    if len(right) == 1:
        by = right[0]
        if any(coefficient % by for coefficient in left[1:]):
            raise Unsolved("a quotient that does not repeat")
        return polynomial.trimmed([coefficient // by for coefficient in left])
    split = polynomial.quotient(left, right)
    if split is None:
        raise Unsolved("a quotient of two sizes that grow at different rates")
    whole, rest = split
    is_below = polynomial.sign(rest) * polynomial.sign(right) < 0  # a remainder of the other sign rounds down to -1
    return polynomial.added(whole, polynomial.constant(-1 if is_below else 0))
