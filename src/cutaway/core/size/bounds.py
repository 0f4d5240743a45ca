"""Between which integers a size lies, whatever its symbols are.

A size is taken apart into functions of one product of symbols each, such as `3*H - 2*floor((H + 1)/4)`. Each of
these is a line with a ripple that repeats, so its least and greatest value are found by looking at one period. What
is not such a function gets bounds by interval arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd, lcm
from typing import TypeAlias

from cutaway.core.record import dataclass
from cutaway.core.size.atom import FLOORDIV, MAX, MIN, MOD, POWER, Atom, Func, Monomial, Symbol
from cutaway.core.size.knowledge import known
from cutaway.core.size.monomial import joined
from cutaway.core.size.polynomial import Polynomial, primitive

Bounds: TypeAlias = tuple[int | None, int | None]
"""The least and the greatest value; None where there is none."""

ANYTHING: Bounds = (None, None)
_LONGEST_PERIOD = 1 << 10
_MOST_TERMS = 12
_MOST_KEPT = 1 << 14
_MOST_BITS = 1 << 10


def learn(of: Polynomial | Atom, low: int | None, high: int | None) -> bool:
    """Take a size without constant, or an atom, to lie between two integers; False where there are none between."""
    here = known()
    range_ = here.ranges.get(of, ANYTHING)
    narrower = both(range_, (low, high))
    if narrower != range_:
        here.ranges[of] = narrower
        here.bounds.clear()
    return narrower[0] is None or narrower[1] is None or narrower[0] <= narrower[1]


def replace(learned: dict[Polynomial | Atom, Bounds]) -> dict[Polynomial | Atom, Bounds]:
    """Make other bounds the known ones, and return those that they replace."""
    here = known()
    before, here.ranges = here.ranges, learned
    here.bounds.clear()
    return before


def bounds(size: int | Polynomial) -> Bounds:
    """Return bounds that hold for all values of the symbols."""
    if isinstance(size, int):
        return size, size
    kept = known().bounds
    limits: Bounds | None = kept.get(size)
    if limits is None:
        if len(kept) > _MOST_KEPT:
            kept.clear()
        limits = kept[size] = _bounds(size)
    return limits


def _bounds(size: Polynomial) -> Bounds:
    terms = size.terms
    limits = _by_parts(terms)
    if None in limits and 1 < len(terms) <= _MOST_TERMS:
        low, high = limits
        if low is None:
            low = _above(terms)
        if high is None:
            above = _above({monomial: -coefficient for monomial, coefficient in terms.items()})
            high = None if above is None else -above
        limits = (low, high)
    return _with_learned(size, limits) if known().ranges else limits


def _by_parts(terms: dict[Monomial, int]) -> Bounds:
    """Add up the bounds of the functions of one variable that a size consists of."""
    waves: dict[Monomial, list[tuple[int, _Wave]]] = {}
    rippled: set[Monomial] = set()
    total: Bounds = (0, 0)
    for monomial, coefficient in terms.items():
        if not monomial:
            total = _add(total, (coefficient, coefficient))
            continue
        wave = _wave(monomial)
        waves.setdefault(wave.variable, []).append((coefficient, wave))
        if wave.period > 1 or wave.growth != 1:
            rippled.add(wave.variable)
    for variable, parts in waves.items():
        within = _monomial(variable)
        if variable in rippled:
            total = _add(total, _summed(parts, within))
        else:
            total = _add(total, _scaled(within, sum(coefficient for coefficient, _ in parts)))
    return total


@dataclass(frozen=True, slots=True)
class _Wave:
    """A function of one variable that grows by `growth` with each `period`; `direction` is 1 or -1 if it never changes direction."""

    variable: Monomial
    value: Callable[[int], int]
    period: int
    growth: int
    direction: int


def _wave(monomial: Monomial) -> _Wave:
    """Return a monomial as a function: of what it rounds, or of itself."""
    itself = _Wave(monomial, lambda x: x, 1, 1, 1)
    if len(monomial) != 1:
        return itself
    atom, power = monomial[0]
    if not isinstance(atom, Func) or power != 1 or atom.kind != FLOORDIV:
        return itself
    if not isinstance(atom.right, int) or atom.right <= 0 or isinstance(atom.left, int):
        return itself
    inner = [(coefficient, _wave(m)) for m, coefficient in atom.left.terms.items() if m]
    if len({wave.variable for _, wave in inner}) != 1:
        return itself
    constant, divisor = atom.left.terms.get((), 0), atom.right
    period = lcm(*(wave.period for _, wave in inner))
    growth = sum(coefficient * wave.growth * (period // wave.period) for coefficient, wave in inner)
    steps = divisor // gcd(growth, divisor)
    return _Wave(
        inner[0][1].variable,
        lambda x: (constant + sum(coefficient * wave.value(x) for coefficient, wave in inner)) // divisor,
        period * steps,
        growth * steps // divisor,
        _direction(inner),
    )


def _direction(parts: list[tuple[int, _Wave]]) -> int:
    ways = {wave.direction * (1 if coefficient > 0 else -1) for coefficient, wave in parts}
    return ways.pop() if len(ways) == 1 else 0


def _summed(parts: list[tuple[int, _Wave]], within: Bounds) -> Bounds:
    """Return the bounds of a sum of functions of one variable that lies within bounds."""
    low, high = within

    def value(x: int) -> int:
        return sum(coefficient * wave.value(x) for coefficient, wave in parts)

    direction = _direction(parts)
    if direction:
        ends = (None if low is None else value(low)), (None if high is None else value(high))
        return ends if direction > 0 else ends[::-1]
    period = lcm(*(wave.period for _, wave in parts))
    if period > _LONGEST_PERIOD:
        return _summed_one_by_one(parts, within)
    growth = sum(coefficient * wave.growth * (period // wave.period) for coefficient, wave in parts)
    start = low if low is not None else (0 if high is None else high - period + 1)
    first = [value(x) for x in range(start, start + period if high is None else min(start + period, high + 1))]
    if low is not None and high is not None and high - low < period:
        return min(first, default=None), max(first, default=None)
    last = first if high is None else [value(x) for x in range(high - period + 1, high + 1)]
    starts, stops = (first, last) if growth >= 0 else (last, first)
    has_start, has_stop = (low, high) if growth >= 0 else (high, low)
    least = min(starts) if growth == 0 or has_start is not None else None
    return least, (max(stops) if growth == 0 or has_stop is not None else None)


def _summed_one_by_one(parts: list[tuple[int, _Wave]], within: Bounds) -> Bounds:
    """Return bounds of a sum of functions of one variable, as if each had a variable of its own."""
    total: Bounds = (0, 0)
    for coefficient, wave in parts:
        one = _summed([(1, wave)], within) if wave.direction else ANYTHING
        total = _add(total, _scaled(one, coefficient))
    return total


def _monomial(monomial: Monomial) -> Bounds:
    low: int | None = 1
    high: int | None = 1
    for atom, power in monomial:
        atom_low, atom_high = _atom(atom)
        if atom_low is None or atom_low < 0:
            if power % 2:
                return (atom_low, atom_high) if len(monomial) == 1 and power == 1 else ANYTHING
            atom_low, atom_high = 0, None
        low = None if low is None else low * atom_low**power
        high = None if high is None or atom_high is None else high * atom_high**power
    return low, high


def _atom(atom: Atom) -> Bounds:
    learned: Bounds = known().ranges.get(atom, ANYTHING)
    if isinstance(atom, Symbol):
        return both(learned, (atom.least, None))
    (left_low, left_high), (right_low, right_high) = left, right = bounds(atom.left), bounds(atom.right)
    if atom.kind == MIN:
        low = None if left_low is None or right_low is None else min(left_low, right_low)
        limits: Bounds = (low, both((None, left_high), (None, right_high))[1])
    elif atom.kind == MAX:
        high = None if left_high is None or right_high is None else max(left_high, right_high)
        limits = (both((left_low, None), (right_low, None))[0], high)
    elif atom.kind == POWER:
        limits = _raised(left, right)
    elif right_low is None or right_low <= 0:
        limits = ANYTHING
    elif atom.kind == MOD:
        limits = (0, None if right_high is None else right_high - 1)
    else:
        limits = _divided(left, right)
        if atom.kind != FLOORDIV and right_low == right_high:
            # A quotient without a rest: what is above 2 and divisible by 4 is at least 4.
            low = None if left_low is None else -(-left_low // right_low)
            limits = (low, limits[1])
    return both(learned, limits)


def _raised(base: Bounds, exponent: Bounds) -> Bounds:
    """Return the bounds of a power; nothing is said of one whose exponent may be below 0."""
    (low, high), (least, most) = base, exponent
    if low is None or low < 1 or least is None or least < 0:
        return ANYTHING
    if high is None or most is None or high.bit_length() * most > _MOST_BITS:
        top = None
    else:
        top = high**most
    return low**least if low.bit_length() * least <= _MOST_BITS else low, top


def _divided(left: Bounds, right: Bounds) -> Bounds:
    """Return the bounds of a quotient, rounded down, by what is at least 1."""
    (left_low, left_high), (right_low, right_high) = left, right
    assert right_low is not None
    low = high = None
    if left_low is not None:
        low = left_low // right_low if left_low < 0 else (left_low // right_high if right_high else 0)
    if left_high is not None:
        high = left_high // right_low if left_high >= 0 else (left_high // right_high if right_high else -1)
    return low, high


_HIGHEST_DEGREE = 12  # each factor doubles the terms of the polynomial that is moved


def _above(terms: dict[Monomial, int]) -> int | None:
    """Return a lower bound of a polynomial: what it is where its atoms are least, if it grows with each of them."""
    least: dict[Atom, int] = {}
    for monomial in terms:
        if sum(power for _, power in monomial) > _HIGHEST_DEGREE:
            return None
        for atom, _ in monomial:
            low = _atom(atom)[0]
            if low is None:
                return None
            least[atom] = low
    moved: dict[Monomial, int] = {}
    for monomial, coefficient in terms.items():
        expanded: dict[Monomial, int] = {(): coefficient}
        for atom, power in monomial:
            for _ in range(power):
                longer: dict[Monomial, int] = {}
                for factors, amount in expanded.items():
                    longer[factors] = longer.get(factors, 0) + amount * least[atom]
                    more = joined(factors, ((atom, 1),))
                    longer[more] = longer.get(more, 0) + amount
                expanded = longer
        for factors, amount in expanded.items():
            moved[factors] = moved.get(factors, 0) + amount
    constant = moved.pop((), 0)
    return constant if all(amount >= 0 for amount in moved.values()) else None


def _with_learned(size: Polynomial, limits: Bounds) -> Bounds:
    """Narrow bounds by what was learned of the same size but for a constant and a factor."""
    parts = primitive(size)
    if parts is None:
        return limits
    part, factor, constant = parts
    learned = known().ranges.get(part)
    return limits if learned is None else both(limits, _add(_scaled(learned, factor), (constant, constant)))


def _scaled(of: Bounds, factor: int) -> Bounds:
    low, high = of
    if factor == 0:
        return 0, 0
    if factor < 0:
        low, high = high, low
    return None if low is None else low * factor, None if high is None else high * factor


def _add(left: Bounds, right: Bounds) -> Bounds:
    low = None if left[0] is None or right[0] is None else left[0] + right[0]
    return low, None if left[1] is None or right[1] is None else left[1] + right[1]


def both(left: Bounds, right: Bounds) -> Bounds:
    """Return the bounds of what lies within both."""
    low = left[0] if right[0] is None else right[0] if left[0] is None else max(left[0], right[0])
    return low, left[1] if right[1] is None else right[1] if left[1] is None else min(left[1], right[1])
