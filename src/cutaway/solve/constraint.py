"""Conditions on sizes, solved: where two sizes are equal, or one is less than the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import gcd, isqrt

from cutaway.core.size.atom import FLOORDIV, MOD, Func, Monomial, Symbol
from cutaway.core.size.dim import Dim, Size
from cutaway.solve.effort import Unsolved, spend
from cutaway.solve.region import EVERYWHERE, NOWHERE, Region, where
from cutaway.solve.sequence import NUMBERS, Sequence, aligned, fixed
from cutaway.solve.subset import ALL

_MOST_STEPS = 1 << 12
_MOST_RESIDUES = 64
_DIVISORS_AT_ONCE = 1 << 10


class Literals:
    """Solves conditions; keeps what it has found, and which function of an unknown a symbol stands for."""

    def __init__(self) -> None:
        self._defined: dict[Symbol, tuple[Symbol, Sequence]] = {}
        self._names: dict[tuple[Sequence, Symbol, int | None], Dim] = {}
        self._meant: dict[str, str] = {}
        self._sequences: dict[Size, Sequence] = {}
        self._solved: dict[tuple[str, Size], Region | Unsolved] = {}

    def name(self, size: Dim, of: Symbol, least: int | None) -> Dim:
        """Return a symbol that stands for a size of one unknown, at least `least`; it is the same for the same function."""
        what = self.sequence(size)
        if what == NUMBERS:
            return Dim({((of, 1),): 1})
        symbol = self._names.get((what, of, least))
        if symbol is None:
            name = Symbol(f"{of.name}.{len(self._names) + 1}", least)
            self._defined[name] = of, what
            self._meant[name.name] = str(size)
            symbol = self._names[what, of, least] = Dim({((name, 1),): 1})
        return symbol

    def explained(self, text: str) -> str:
        """Return a string with what the symbols in it stand for in their place."""
        for name, meant in reversed(self._meant.items()):
            if name in text:
                text = re.sub(rf"{re.escape(name)}(?!\d)", meant if meant.isalnum() else f"({meant})", text)
        return text

    def unknowns(self, size: Size) -> set[Symbol]:
        """Return the unknowns that a size is a function of."""
        if not isinstance(size, Dim):
            return set()
        return {name for monomial in size.terms for atom, _ in monomial for name in self._of(atom)}

    def _of(self, atom: Symbol | Func) -> set[Symbol]:
        if isinstance(atom, Func):
            return self.unknowns(atom.left) | self.unknowns(atom.right)
        return {self._defined[atom][0] if atom in self._defined else atom}

    def sequence(self, size: Size) -> Sequence:
        """Return a size of one unknown as a function of it."""
        if isinstance(size, int):
            return fixed(size)
        values = self._sequences.get(size)
        if values is None:
            values = fixed(0)
            for monomial, coefficient in size.terms.items():
                term = fixed(coefficient)
                for atom, power in monomial:
                    for _ in range(power):
                        term = term * self._atom(atom)
                values = values + term
            values = self._sequences[size] = values.normal()
        return values

    def _atom(self, atom: Symbol | Func) -> Sequence:
        if isinstance(atom, Symbol):
            return self._defined[atom][1] if atom in self._defined else NUMBERS
        left, right = self.sequence(atom.left), self.sequence(atom.right)
        match atom.kind:
            case "floordiv" | "quotient":
                return left // right
            case "mod":
                return left % right
            case "min":
                return left.smaller(right)
            case "max":
                return left.larger(right)
        raise Unsolved(f"{atom.kind} of sizes")

    def solve(self, relation: str, left: Size, right: Size) -> Region:
        """Return where `left == right` (equal) or `left < right` (less); raise `Unsolved` where that can't be determined."""
        difference = _stripped(left - right)
        key = relation, difference
        region = self._solved.get(key)
        if region is None:
            try:
                region = self._equal(difference) if relation == "equal" else self._negative(difference)
            except Unsolved as reason:
                region = reason
            self._solved[key] = region
        if isinstance(region, Unsolved):
            raise region
        return region

    def _equal(self, size: Size) -> Region:
        """Return where a size is 0."""
        if isinstance(size, int):
            return NOWHERE if size else EVERYWHERE
        names = self.unknowns(size)
        if any(name.anonymous for name in names):
            raise Unsolved("a size is not known")
        if len(names) == 1:
            return where(names.pop().name, self.sequence(size).where(lambda value: value == 0))
        remainder = _remainder(size)
        if remainder is not None:
            return self._function_equal(*remainder)
        lone = self._lone(size)
        if lone is not None:
            atom, coefficient, rest = lone
            return NOWHERE if rest % coefficient else self._function_equal(atom, -rest // coefficient)
        pair = self._pair(size)
        if pair is not None:
            return pair
        factors, right = self._factors(size)
        return self._product_equal([(name, part) for name, part in factors.items()], right)

    def _negative(self, size: Size) -> Region:
        """Return where a size is less than 0."""
        if isinstance(size, int):
            return EVERYWHERE if size < 0 else NOWHERE
        names = self.unknowns(size)
        if any(name.anonymous for name in names):
            raise Unsolved("a size is not known")
        if len(names) == 1:
            return where(names.pop().name, self.sequence(size).where(lambda value: value < 0))
        lone = self._lone(size)
        if lone is not None:
            atom, coefficient, rest = lone
            if coefficient > 0:  # atom < -rest / coefficient, rounded up
                return self._function_less(atom, -(rest // coefficient))
            return EVERYWHERE - self._function_less(atom, rest // -coefficient + 1)
        factors, right = self._factors(size)
        return self._product_less([(name, part) for name, part in factors.items()], right)

    def _lone(self, size: Dim) -> tuple[Func, int, int] | None:
        """Return a function of several unknowns, its coefficient and the number that is added, where that is all."""
        terms = [(monomial, c) for monomial, c in size.terms.items() if monomial]
        if len(terms) != 1 or len(terms[0][0]) != 1:
            return None
        (atom, power), coefficient = terms[0][0][0], terms[0][1]
        return (atom, coefficient, size.terms.get((), 0)) if isinstance(atom, Func) and power == 1 else None

    def _function_equal(self, atom: Func, value: int) -> Region:
        left, right = atom.left, atom.right
        if atom.kind == "floordiv" and isinstance(right, int) and right > 0:
            return self.solve("less", left, (value + 1) * right) - self.solve("less", left, value * right)
        if atom.kind == "mod" and isinstance(right, int) and right > 0:
            if not 0 <= value < right:
                return NOWHERE
            factors, over = self._factors(left)
            return self._congruent(list(factors.items()), (value + over) % right, right)
        if atom.kind in ("min", "max"):
            below, at_most = self._function_less(atom, value), self._function_less(atom, value + 1)
            return at_most - below
        raise Unsolved(f"{Dim({((atom, 1),): 1})} depends on more than one size")

    def _function_less(self, atom: Func, value: int) -> Region:
        left, right = atom.left, atom.right
        if atom.kind == "floordiv" and isinstance(right, int) and right > 0:
            return self.solve("less", left, value * right)
        if atom.kind == "mod" and isinstance(right, int) and 0 < right <= _MOST_RESIDUES:
            region = NOWHERE
            for residue in range(min(value, right)):
                region |= self._function_equal(atom, residue)
            return region
        if atom.kind == "min":
            return self.solve("less", left, value) | self.solve("less", right, value)
        if atom.kind == "max":
            return self.solve("less", left, value) & self.solve("less", right, value)
        raise Unsolved(f"{Dim({((atom, 1),): 1})} depends on more than one size")

    def _pair(self, size: Dim) -> Region | None:
        """Return where two products are equal of which one is at least the other for each unknown; None if they are not.

        They are equal where the parts are, unknown for unknown, or where one is 0: `h * w == 49 * (h // 7) * (w // 7)`.
        """
        if len(size.terms) != 2 or () in size.terms:
            return None
        (first, a), (second, b) = size.terms.items()
        if a * b > 0:
            return None
        parts = [self._split(monomial) for monomial in (first, second)]
        names = set(parts[0]) | set(parts[1])
        if any(len(region) > 1 for monomial in (first, second) for atom, _ in monomial for region in [self._of(atom)]):
            return None
        sides = [{name: self.sequence(_dim(part.get(name, ()))) for name in names} for part in parts]
        region = self._same(sides[0], sides[1], abs(a), abs(b))
        return self._same(sides[1], sides[0], abs(b), abs(a)) if region is None else region

    def _same(
        self, large: Mapping[Symbol, Sequence], small: Mapping[Symbol, Sequence], over: int, under: int
    ) -> Region | None:
        region, nothing = EVERYWHERE, NOWHERE
        ratio_over, ratio_under = over, under
        for name, sequence in large.items():
            sequence, other = aligned(sequence, small[name])
            a, b = sequence.tail[0], other.tail[0]
            if len(a) != len(b) or not a:
                return None
            common = gcd(a[-1], b[-1])
            scaled, against = sequence * fixed(b[-1] // common), other * fixed(a[-1] // common)
            ratio_over, ratio_under = ratio_over * (a[-1] // common), ratio_under * (b[-1] // common)
            difference = scaled - against
            if difference.where(lambda value: value < 0) or against.where(lambda value: value < 0):
                return None
            region &= where(name.name, difference.where(lambda value: value == 0))
            nothing |= where(name.name, scaled.where(lambda value: value == 0))
        return region | nothing if ratio_over == ratio_under else None

    def _split(self, monomial: Monomial) -> dict[Symbol, Monomial]:
        """Return the parts of a monomial by the unknown that each is a function of."""
        factors: dict[Symbol, Monomial] = {}
        for atom, power in monomial:
            names = self._of(atom)
            if len(names) != 1:
                raise Unsolved(f"{Dim({((atom, 1),): 1})} depends on more than one size")
            (name,) = names
            factors[name] = (*factors.get(name, ()), (atom, power))
        return factors

    def _factors(self, size: Size) -> tuple[dict[Symbol, Size], int]:
        """Return functions of one unknown each and a number, so that the size is their product less the number."""
        if isinstance(size, int):
            return {}, 1 - size
        names = sorted(self.unknowns(size), key=lambda name: name.name)
        if len(names) == 1:
            return {names[0]: size}, 0
        chosen = names[0]
        groups: dict[Monomial, dict[Monomial, int]] = {}
        for monomial, coefficient in size.terms.items():
            parts = self._split(monomial)
            own = parts.pop(chosen, ())
            rest = tuple(item for name in names for item in parts.get(name, ()))
            groups.setdefault(rest, {})[own] = coefficient
        alone = groups.pop((), {})
        if not groups or any(set(group) == {()} for group in groups.values()):
            raise Unsolved(f"{size} is not a product of sizes")
        pivot = next(iter(groups.values()))
        common = gcd(*pivot.values())
        own_part = {monomial: c // common for monomial, c in pivot.items()}
        rest_part: dict[Monomial, int] = {}
        for rest, group in groups.items():
            rest_part[rest] = _ratio(group, own_part, size)
        free = alone.pop((), 0)
        varying = {monomial: c for monomial, c in own_part.items() if monomial}
        ratio = _ratio(alone, varying, size) if alone else 0
        if ratio:
            rest_part[()] = ratio
        over = ratio * own_part.get((), 0) - free
        others = Dim(rest_part)
        factors, more = self._factors(others)
        if more:
            raise Unsolved(f"{size} is not a product of sizes")
        return {chosen: Dim(own_part), **factors}, over

    def _product_equal(self, factors: list[tuple[Symbol, Size]], value: int) -> Region:
        (name, part), *rest = factors
        own = self.sequence(part)
        if not rest:
            return where(name.name, (own - fixed(value)).where(lambda v: v == 0))
        if value == 0:
            zero = where(name.name, own.where(lambda v: v == 0))
            return zero | self._product_equal(rest, 0)
        region = NOWHERE
        signs = (1, -1) if own.where(lambda v: v < 0) else (1,)
        for divisor in _divisors(value):
            for signed in (sign * divisor for sign in signs):
                here = where(name.name, (own - fixed(signed)).where(lambda v: v == 0))
                if here:
                    region |= here & self._product_equal(rest, value // signed)
        return region

    def _product_less(self, factors: list[tuple[Symbol, Size]], value: int) -> Region:
        (name, part), *rest = factors
        own = self.sequence(part)
        if not rest:
            return where(name.name, (own - fixed(value)).where(lambda v: v < 0))
        region = where(name.name, own.where(lambda v: v == 0)) if value > 0 else NOWHERE
        for sign in (1, -1):
            signed = own * fixed(sign)
            if not signed.where(lambda v: v > 0):
                continue
            others = rest if sign > 0 else [(rest[0][0], rest[0][1] * -1), *rest[1:]]
            for low, high, bound in _steps(value):
                held = signed.where(lambda v: v > 0) & (signed - fixed(low)).where(lambda v: v >= 0)
                if high is not None:
                    held &= (signed - fixed(high)).where(lambda v: v <= 0)
                if held:
                    region |= where(name.name, held) & self._product_less(others, bound)
        return region

    def _congruent(self, factors: list[tuple[Symbol, Size]], value: int, modulus: int) -> Region:
        """Return where a product leaves a remainder."""
        if not factors:
            return EVERYWHERE if 1 % modulus == value else NOWHERE
        (name, part), *rest = factors
        own = self.sequence(part)
        if not rest:
            return where(name.name, (own % fixed(modulus) - fixed(value)).where(lambda v: v == 0))
        region = NOWHERE
        if value == 0:
            for divisor in _divisors(modulus):
                divisible = ALL if divisor == 1 else (own % fixed(divisor)).where(lambda v: v == 0)
                region |= where(name.name, divisible) & self._congruent(rest, 0, modulus // divisor)
            return region
        if modulus > _MOST_RESIDUES:
            raise Unsolved(f"a remainder of {value} after division by {modulus}")
        for residue in range(modulus):
            here = where(name.name, (own % fixed(modulus) - fixed(residue)).where(lambda v: v == 0))
            if not here:
                continue
            for other in range(modulus):
                if residue * other % modulus == value:
                    region |= here & self._congruent(rest, other, modulus)
        return region


def _remainder(size: Dim) -> tuple[Func, int] | None:
    """Return a remainder and what it has to be for a size to be 0; None for a size that is not a remainder.

    Sizes have `n - d * (n // d)` for `n % d`.
    """
    for monomial, coefficient in size.terms.items():
        atom = monomial[0][0] if len(monomial) == 1 and monomial[0][1] == 1 else None
        if not isinstance(atom, Func) or atom.kind != FLOORDIV or not isinstance(atom.right, int):
            continue
        times, over = divmod(-coefficient, atom.right)
        if over or not times:
            continue
        rest = size - times * (atom.left - atom.right * Dim({monomial: 1}))
        if isinstance(rest, int):
            return Func(MOD, atom.left, atom.right), -rest // times if rest % times == 0 else -1
    return None


def _stripped(size: Size) -> Size:
    """Return a size without the positive factors that are in all of its terms: where it is 0 or negative stays the same."""
    if not isinstance(size, Dim):
        return size
    first, *others = (dict(monomial) for monomial in size.terms)
    common: dict[Symbol | Func, int] = {
        atom: min(power, *(other.get(atom, 0) for other in others)) if others else power
        for atom, power in first.items()
        if isinstance(atom, Symbol) and not atom.anonymous and atom.least is not None and atom.least > 0
    }
    common = {atom: power for atom, power in common.items() if power}
    if not common:
        return size
    terms = {
        tuple((atom, rest) for atom, power in monomial if (rest := power - common.get(atom, 0))): c
        for monomial, c in size.terms.items()
    }
    return terms[()] if set(terms) == {()} else Dim(terms)


def _ratio(group: Mapping[Monomial, int], of: Mapping[Monomial, int], size: Size) -> int:
    """Return by which whole number one sum is a multiple of another."""
    if set(group) != set(of):
        raise Unsolved(f"{size} is not a product of sizes")
    first = next(iter(of))
    ratio, over = divmod(group[first], of[first])
    if over or any(group[monomial] != ratio * c for monomial, c in of.items()):
        raise Unsolved(f"{size} is not a product of sizes")
    return ratio


def _dim(monomial: Monomial) -> Size:
    return Dim({monomial: 1}) if monomial else 1


def _divisors(number: int) -> Iterator[int]:
    """Yield the positive divisors, the smallest first."""
    number = abs(number)
    large = []
    for small in range(1, isqrt(number) + 1):
        if small % _DIVISORS_AT_ONCE == 0:
            spend(_DIVISORS_AT_ONCE)
        if number % small == 0:
            yield small
            if small * small != number:
                large.append(number // small)
    yield from reversed(large)


def _steps(value: int) -> Iterator[tuple[int, int | None, int]]:
    """Yield ranges of a positive factor with what the other must be less than, so that the product is less."""
    low, count = 1, 0
    while True:
        count += 1
        if count > _MOST_STEPS:
            raise Unsolved(f"a product of sizes below {value:,}")
        bound = -(-value // low)
        if value > 0 and low >= value:
            yield low, None, 1
            return
        if value <= 0 and low > -value:
            yield low, None, 0
            return
        # The largest factor that gives the same bound.
        high = (value - 1) // (bound - 1) if value > 0 else (-value // -bound if bound else -value)
        yield low, high, bound
        low = high + 1
