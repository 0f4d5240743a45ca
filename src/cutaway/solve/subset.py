"""Sets of positive integers that repeat from some number on: all that sizes of one unknown can be told apart by.

Whatever is built of one unknown with sums, products, rounded quotients, remainders, minima and maxima is, far
enough out, a polynomial on each residue class. So the numbers for which such an expression is 0, or negative, repeat
in the end, and unions, intersections and complements of such sets can be computed exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import lcm

from cutaway.core.record import dataclass
from cutaway.solve.effort import Unsolved, spend

LONGEST = 1 << 17
"""How far out numbers are looked at one by one, and how long a period may be."""
_BITS_OF_A_VALUE = 1 << 10


@dataclass(frozen=True, slots=True)
class Subset:
    """A set of positive integers: bits for 1 to `length`, then `period` bits that repeat.

    It is in normal form, so that equal sets are equal values. Make one with `subset`.
    """

    length: int
    head: int
    period: int
    cycle: int

    def __contains__(self, number: int) -> bool:
        if number <= self.length:
            return number > 0 and bool(self.head >> (number - 1) & 1)
        return bool(self.cycle >> ((number - self.length - 1) % self.period) & 1)

    def __and__(self, other: Subset) -> Subset:
        length, period, (a, b), (c, d) = _aligned(self, other)
        return subset(length, a & b, period, c & d)

    def __or__(self, other: Subset) -> Subset:
        length, period, (a, b), (c, d) = _aligned(self, other)
        return subset(length, a | b, period, c | d)

    def __sub__(self, other: Subset) -> Subset:
        return self & ~other

    def __invert__(self) -> Subset:
        return Subset(
            self.length, self.head ^ ((1 << self.length) - 1), self.period, self.cycle ^ ((1 << self.period) - 1)
        )

    def __bool__(self) -> bool:
        return bool(self.head or self.cycle)

    @property
    def is_all(self) -> bool:
        """Tell whether every positive integer is in it."""
        return not self.length and self.period == 1 and self.cycle == 1

    @property
    def is_finite(self) -> bool:
        """Tell whether it has a largest element."""
        return not self.cycle

    def least(self) -> int:
        """Return the smallest element of a set that is not empty."""
        if self.head:
            return (self.head & -self.head).bit_length()
        return self.length + (self.cycle & -self.cycle).bit_length()

    def members(self) -> Iterator[int]:
        """Yield the elements in order."""
        yield from (place + 1 for place in _places(self.head))
        start = self.length
        while self.cycle:
            yield from (start + place + 1 for place in _places(self.cycle))
            start += self.period

    def intervals(self) -> list[tuple[int, int | None]]:
        """Return the runs of consecutive elements up to where it repeats; one that never ends has no end."""
        intervals: list[tuple[int, int | None]] = []
        number = 1
        while number <= self.length:
            rest = self.head >> (number - 1)
            if not rest:
                break
            first = number + (rest & -rest).bit_length() - 1
            rest >>= first - number
            run = (~rest & (rest + 1)).bit_length() - 1
            intervals.append((first, first + run - 1))
            number = first + run + 1
        if self.period == 1 and self.cycle:
            intervals.append((self.length + 1, None))
        return intervals


def subset(length: int, head: int, period: int, cycle: int) -> Subset:
    """Return the set of these bits in normal form."""
    spend(1 + (length + period) // _BITS_OF_A_VALUE)
    for prime in primes(period):
        while period % prime == 0:
            shorter = period // prime
            part = cycle & ((1 << shorter) - 1)
            if _repeated(part, shorter, period) != cycle:
                break
            period, cycle = shorter, part
    # As far back as the head is what the cycle would have been before it, it belongs to the cycle.
    rotation = length % period
    backwards = (cycle << rotation | cycle >> (period - rotation)) & ((1 << period) - 1)
    kept = (head ^ _repeated(backwards, period, length)).bit_length()
    moved = (length - kept) % period
    cycle = (cycle << moved | cycle >> (period - moved)) & ((1 << period) - 1)
    length, head = kept, head & ((1 << kept) - 1)
    return Subset(length, head, period, cycle)


ALL = Subset(0, 0, 1, 1)
NONE = Subset(0, 0, 1, 0)


def finite(numbers: Iterable[int]) -> Subset:
    """Return the set of these positive integers."""
    head = bits(number - 1 for number in numbers)
    return subset(head.bit_length(), head, 1, 0)


def bits(places: Iterable[int]) -> int:
    """Return the number that has these bits."""
    ones = set(places)
    return int("".join("1" if place in ones else "0" for place in range(max(ones), -1, -1)), 2) if ones else 0


def at_least(number: int) -> Subset:
    """Return the numbers from this one on."""
    return ALL if number <= 1 else subset(number - 1, 0, 1, 1)


def _aligned(left: Subset, right: Subset) -> tuple[int, int, tuple[int, int], tuple[int, int]]:
    length, period = max(left.length, right.length), lcm(left.period, right.period)
    if period > LONGEST:
        raise Unsolved(f"sizes repeat only after {period:,}")
    (a, c), (b, d) = _spread(left, length, period), _spread(right, length, period)
    return length, period, (a, b), (c, d)


def _spread(held: Subset, length: int, period: int) -> tuple[int, int]:
    """Return the bits of a longer head and a longer period."""
    more = length - held.length
    bits = _repeated(held.cycle, held.period, more + period)
    return held.head | (bits & ((1 << more) - 1)) << held.length, bits >> more


def _repeated(part: int, width: int, total: int) -> int:
    """Return `part`, which is `width` bits, again and again, up to `total` bits."""
    if not part:
        return 0
    while width < total:
        part |= part << width
        width *= 2
    return part & ((1 << total) - 1)


def _places(held: int) -> Iterator[int]:
    """Yield which bits a number has, the lowest first."""
    return (place for place, bit in enumerate(reversed(f"{held:b}")) if bit == "1")


def primes(number: int) -> Iterator[int]:
    """Yield the prime factors of a number, each once."""
    prime = 2
    while prime * prime <= number:
        if number % prime == 0:
            yield prime
            while number % prime == 0:
                number //= prime
        prime += 1
    if number > 1:
        yield number
