"""The strings of sizes: `floor((H - 3)/4)`, `ceil(H/32)`, `64*B*(H - 2)*(W - 2)`, `H/32`, as a person would write them.

A size is kept as a sum of products (`core/size/dim.py`). Here it is put together again: products of sums are found,
constants are drawn into roundings, and what a rounding leaves is a remainder. What is written means exactly what the
sum of products means.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, lcm, prod
from typing import TypeAlias

from cutaway.core.pattern import pattern
from cutaway.core.size.atom import FLOORDIV, MAX, MIN, MOD, POWER, QUOTIENT, Atom, Func, Monomial, Symbol, order
from cutaway.core.size.monomial import place
from cutaway.core.size.polynomial import Polynomial, arguments, as_atom, divide, of_atom, product, symbols
from cutaway.core.size.power import with_factors_absorbed

Size: TypeAlias = int | Polynomial

Factors: TypeAlias = list[tuple[Size, int]]
"""Sizes, each with its power."""

Part: TypeAlias = tuple[int, Factors]
"""A number times sizes."""

_MOST_TERMS = 60
_NUMBERS = pattern(r"(\d+)")
_WIDEST_SHIFT = 8
_CEILING = "ceil"
"""A function that is written, and nowhere else."""


def to_string(size: Size) -> str:
    """Return the string of a size."""
    if isinstance(size, int):
        return str(size)
    if len(size.terms) == 1:
        ((monomial, coefficient),) = size.terms.items()
        if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
            return _atom_text(monomial[0][0])
    if _has(POWER, size):
        drawn = with_factors_absorbed(size)
        if isinstance(drawn, int):
            return str(drawn)
        size = drawn
    whole, divisor = _cleared(size) if _has(QUOTIENT, size) else (size, 1)
    return _sum(whole, divisor)


def _has(kind: str, size: Polynomial) -> bool:
    """Tell whether a factor of a term is a function of a kind."""
    return any(isinstance(atom, Func) and atom.kind == kind for monomial in size.terms for atom, _ in monomial)


def _sum(size: Polynomial, divisor: int) -> str:
    """Return the string of a size divided by a number."""
    text = ""
    for negative, part in _signed(size, divisor):
        if not text:
            text = f"-{part}" if negative else part
        else:
            text += f" - {part}" if negative else f" + {part}"
    return text


def _signed(size: Polynomial, divisor: int) -> list[tuple[bool, str]]:
    """Return the strings of what is added or, where the flag says so, subtracted."""
    rounded = _rounded_sum(size) if divisor == 1 else None
    if rounded is not None:
        return [(False, rounded)]
    left, remainders = _remainders(size) if divisor == 1 else (size, [])
    parts = [(coefficient < 0, _times(abs(coefficient), text)) for coefficient, text in remainders]
    products = _products(left) if isinstance(left, Polynomial) else [(left, [])] if left else []
    ranked = sorted(((part, _product(1, part[1])) for part in map(_raised_up, products)), key=_rank)
    for (coefficient, factors), text in ranked:
        text = text if abs(coefficient) == divisor == 1 else _product(abs(coefficient), factors, divisor)
        parts.append((coefficient < 0, text))
    return parts


def _raised_up(part: Part) -> Part:
    """Return a product in which `-floor(-n/d)` is `ceil(n/d)`, where the divisor is not a number."""
    coefficient, factors = part
    for at, (size, power) in enumerate(factors):
        atom = as_atom(size)
        if coefficient > 0 or power != 1 or not isinstance(atom, Func) or atom.kind != FLOORDIV:
            continue
        if isinstance(atom.right, Polynomial) and (
            atom.left < 0 if isinstance(atom.left, int) else _is_below(atom.left)
        ):
            ceiling = _of(Func(_CEILING, -atom.left, atom.right))
            return -coefficient, [*factors[:at], (ceiling, 1), *factors[at + 1 :]]
    return part


def _is_below(size: Polynomial) -> bool:
    return all(coefficient < 0 for monomial, coefficient in size.terms.items() if monomial)


def _rank(product: tuple[Part, str]) -> tuple[int, list[tuple[bool, int, str]]]:
    """Return what products are ordered by: the highest degree first, then as a person counts, `ceil(H/8)` before `ceil(H/16)`.

    Each comes with its text, in which it has no coefficient.
    """
    (_, factors), text = product
    words = _NUMBERS.split(text.replace("(", ""))
    return -sum(power for _, power in factors), [
        (word.isdecimal(), int(word or 0) if word.isdecimal() else 0, word) for word in words
    ]


def _products(size: Polynomial) -> list[Part]:
    """Return products whose sum is a size: as few of them as are found."""
    if len(size.terms) > _MOST_TERMS:
        return [(c, _powers(m)) for m, c in _ordered(size)]
    coefficient, shared, inner = _common(size)
    if isinstance(inner, int):
        return [(coefficient * inner, shared)]
    factors = _factored(inner)
    if len(factors) > 1 or (shared and _is_shift(inner)):
        return [(coefficient, [*shared, *((factor, 1) for factor in factors)])]
    products: list[Part] = []
    rest: Size = inner
    while isinstance(rest, Polynomial):
        times, powers = _group(rest)
        products.append((coefficient * times, [*shared, *powers]))
        rest = rest - times * product(size**power for size, power in powers)
    return [*products, (coefficient * rest, shared)] if rest else products


def _common(size: Polynomial) -> tuple[int, Factors, Size]:
    """Return what all terms have in common, a number and factors, and what is left."""
    first, *others = size.terms
    shared = dict(first)
    for monomial in others:
        powers = dict(monomial)
        shared = {atom: min(power, powers[atom]) for atom, power in shared.items() if atom in powers}
    coefficient = gcd(*size.terms.values())
    if size.terms[min(size.terms, key=place)] < 0:
        coefficient = -coefficient
    powers_of = tuple(shared.items())
    rest, over = divide(size, Polynomial({powers_of: coefficient}) if shared else coefficient)
    assert over == 0, "what all terms have in common divides their sum"
    return coefficient, _powers(powers_of), rest


def _factored(size: Polynomial) -> list[Polynomial]:
    """Return sizes whose product is a size that has no common factor: `(H - 2)` and `(W - 2)`."""
    if _is_shift(size):
        return [size]
    atoms: dict[Atom, int] = {}
    for monomial in size.terms:
        for atom, power in monomial:
            atoms[atom] = max(power, atoms.get(atom, 0))
    for atom, power in atoms.items():
        if power != 1:
            continue
        slope = Polynomial({_without(m, atom): c for m, c in size.terms.items() if any(a == atom for a, _ in m)})
        if set(slope.terms) == {()}:
            continue
        rest = Polynomial({m: c for m, c in size.terms.items() if not any(a == atom for a, _ in m)})
        shift, over = divide(rest, slope) if rest.terms else (0, 0)
        if over == 0:
            return sorted([*_factored(_of(atom) + shift), *_factored(slope)], key=order)
    return [size]


def _is_shift(size: Size) -> bool:
    """Tell whether a size is one atom, to the first power, and a number."""
    return (
        isinstance(size, Polynomial)
        and all(
            not monomial or (len(monomial) == 1 and monomial[0][1] == 1 and abs(coefficient) == 1)
            for monomial, coefficient in size.terms.items()
        )
        and len([monomial for monomial in size.terms if monomial]) == 1
    )


def _group(size: Polynomial) -> Part:
    """Return the product that takes most of a sum away; it is the first term where no better one is found."""
    first = min(size.terms, key=place)
    coefficient = size.terms[first]
    plain: Part = (coefficient, _powers(first))
    movable = [atom for atom, power in first if power == 1]
    below = {atom: size.terms.get(_without(first, atom), 0) for atom in movable}
    moved = [atom for atom in movable if below[atom]]
    if not moved or len(size.terms) < 3:
        return plain
    tries = [coefficient]
    lead = below[moved[0]]
    tries += [lead // shift for s in range(1, _WIDEST_SHIFT) for shift in (s, -s) if lead % shift == 0]
    best, fewest = plain, len(size.terms) - 2
    for times in tries:
        if times * coefficient <= 0 or abs(times) > abs(coefficient) or any(below[atom] % times for atom in moved):
            continue
        factors: Factors = [
            (_of(atom) + below[atom] // times if atom in moved else _of(atom), power) for atom, power in first
        ]
        rest = size - times * product(factor**power for factor, power in factors)
        count = len(rest.terms) if isinstance(rest, Polynomial) else int(rest != 0)
        if count < fewest:
            best, fewest = (times, factors), count
    return best


def _remainders(size: Polynomial) -> tuple[Size, list[tuple[int, str]]]:
    """Find `n - d*floor(n/d)` in a sum, and return the rest of it and each `n % d` with its coefficient."""
    remainders: list[tuple[int, str]] = []
    rest: Size = size
    for monomial in size.terms:
        atom = _single(monomial)
        if atom is None or isinstance(atom.left, int) or not isinstance(rest, Polynomial):
            continue
        for left, right in _divided_by(atom, size):
            times, over = divmod(-rest.terms.get(monomial, 0), right)
            if over or times <= 0:
                continue
            if all(rest.terms.get(m) == times * c for m, c in left.terms.items() if m):
                remainders.append((times, f"{_grouped(left)} % {right}"))
                rest = rest - times * (left - right * _of(atom))
                break
    if len(remainders) == 1 and rest == 0 and remainders[0][0] == 1:
        return 0, remainders
    return rest, [(times, f"({text})") for times, text in remainders]


def _divided_by(atom: Func, size: Polynomial) -> Iterator[tuple[Polynomial, int]]:
    """Yield what a rounded quotient is a quotient of, and by what: `floor(n/28)` also is `floor(floor(n/4)/7)`."""
    assert isinstance(atom.left, Polynomial) and isinstance(atom.right, int)
    yield atom.left, atom.right
    for monomial in size.terms:
        other = _single(monomial)
        if other is None or other == atom or atom.right % other.right:
            continue
        shift, over = divide(atom.left - other.left, other.right)
        if isinstance(shift, int) and over == 0:
            yield _of(other) + shift, atom.right // other.right


def _single(monomial: Monomial) -> Func | None:
    """Return the rounded quotient by a number that a monomial is, if it is one."""
    atom = monomial[0][0] if len(monomial) == 1 and monomial[0][1] == 1 else None
    return atom if isinstance(atom, Func) and atom.kind == FLOORDIV and isinstance(atom.right, int) else None


def _rounded_sum(size: Polynomial) -> str | None:
    """Return a sum with one rounded quotient in it as that; None where it can't be.

    So `floor((H + 1)/4) - 1` is `floor((H - 3)/4)`, and `H - ceil(H/4)` is `floor(3*H/4)`.
    """
    rounded = [monomial for monomial in size.terms if _single(monomial)]
    if len(rounded) != 1 or abs(size.terms[rounded[0]]) != 1 or len(size.terms) < 2:
        return None
    atom = _single(rounded[0])
    assert atom is not None and isinstance(atom.left, Polynomial) and isinstance(atom.right, int)
    sign = size.terms[rounded[0]]
    shift = size.terms.get((), 0)
    others = size - sign * _of(atom) - shift
    if isinstance(others, int):
        return _rounded(atom.left, atom.right, shift) if sign > 0 else None
    if any(monomial not in atom.left.terms for monomial in others.terms):
        return None
    left = atom.left if sign > 0 else atom.right - 1 - atom.left
    return _rounded(left + atom.right * others, atom.right, shift)


def _rounded(left: Size, divisor: Size, shift: int = 0) -> str:
    """Return the string of a quotient, rounded down, and a number."""
    if isinstance(divisor, int) and isinstance(left, Polynomial):
        constant = left.terms.get((), 0)
        above = left - constant
        constant += shift * divisor
        shift = 0
        if abs(constant) >= divisor:
            shift, constant = divmod(constant, divisor)
        if constant == divisor - 1:
            text = f"ceil({_over(above, divisor)})"
        else:
            text = f"floor({_over(above + constant, divisor)})"
    else:
        text = f"floor({_over(left, divisor)})"
    return text if not shift else f"{text} {'-' if shift < 0 else '+'} {abs(shift)}"


def _over(left: Size, right: Size) -> str:
    left = _multiplied_out(left) if isinstance(left, Polynomial) else left  # one term may be a sum then
    sum_above = isinstance(left, Polynomial) and len(left.terms) > 1
    return f"{f'({to_string(left)})' if sum_above else to_string(left)}/{_grouped(right)}"


def _is_fraction(atom: Atom) -> bool:
    """Tell whether an atom is a product divided by a number. What is a sum divided is not that of its terms."""
    if not isinstance(atom, Func) or atom.kind != QUOTIENT or not isinstance(atom.right, int):
        return False
    return isinstance(atom.left, Polynomial) and len(atom.left.terms) == 1


def _multiplied_out(size: Polynomial) -> Polynomial:
    """Return a size in which a quotient times its divisor is what is divided: `heads*(dim/heads)` is `dim`."""
    total: Size = 0
    for monomial, coefficient in size.terms.items():
        term: Size = Polynomial({monomial: coefficient})
        for atom, power in monomial:
            if isinstance(atom, Func) and atom.kind == QUOTIENT and isinstance(atom.right, Polynomial):
                rest, over = divide(term, _of(atom) ** power * atom.right**power)
                if over == 0:
                    term = rest * atom.left**power
        total = total + term
    return total if isinstance(total, Polynomial) else size


def _cleared(size: Polynomial) -> tuple[Polynomial, int]:
    """Return a size without quotients by numbers, and the number that it is divided by then."""
    parts: list[tuple[Size, int]] = []
    size = _multiplied_out(size)
    for monomial, coefficient in size.terms.items():
        above: Size = coefficient
        below = 1
        for atom, power in monomial:
            if _is_fraction(atom):
                assert isinstance(atom, Func) and isinstance(atom.right, int)
                above, below = above * atom.left**power, below * atom.right**power
            else:
                above = above * _of(atom) ** power
        parts.append((above, below))
    divisor = lcm(*(below for _, below in parts))
    total: Size = 0
    for above, below in parts:
        total = total + above * (divisor // below)
    return (total, divisor) if isinstance(total, Polynomial) else (size, 1)


def _product(coefficient: int, factors: Factors, divisor: int = 1) -> str:
    """Return the string of a product, divided by a number; it is one term."""
    powers: dict[Size, int] = {}
    for size, power in factors:
        atom = as_atom(size)
        if isinstance(atom, Func) and atom.kind == QUOTIENT:
            powers[atom.left] = powers.get(atom.left, 0) + power
            powers[atom.right] = powers.get(atom.right, 0) - power
        else:
            powers[size] = powers.get(size, 0) + power
    divisor *= prod(size**-power for size, power in powers.items() if power < 0 and isinstance(size, int))
    common = gcd(coefficient, divisor)
    coefficient, divisor = coefficient // common, divisor // common
    coefficient, powers = _with_base(coefficient, powers)
    ordered = sorted(powers.items(), key=_by_name)
    above = [_power(size, power) for size, power in ordered if power > 0]
    below = [_power(size, -power) for size, power in ordered if power < 0 and isinstance(size, Polynomial)]
    if coefficient != 1 or not above:
        above.insert(0, str(coefficient))
    if divisor != 1:
        below.insert(0, str(divisor))
    text = "*".join(above)
    if not below:
        return text
    return f"{text}/{below[0] if len(below) == 1 else '(' + '*'.join(below) + ')'}"


def _with_base(coefficient: int, powers: dict[Size, int]) -> tuple[int, dict[Size, int]]:
    """Draw a number into the power of the same number: `2*2**i` is `2**(i + 1)`."""
    for size, power in powers.items():
        atom = as_atom(size)
        if isinstance(atom, Func) and atom.kind == POWER and isinstance(atom.left, int) and power > 0:
            if coefficient == atom.left**power:
                raised = _of(Func(POWER, atom.left, atom.right + 1))
                return 1, {(raised if one == size else one): times for one, times in powers.items()}
    return coefficient, powers


def _by_name(factor: tuple[Size, int]) -> tuple[bool, list[str]]:
    """Order factors by the names in them, with names alone first."""
    return not isinstance(as_atom(factor[0]), Symbol), sorted(symbol.order for symbol in symbols(factor[0]))


def _power(size: Size, power: int) -> str:
    atom = as_atom(size)
    if isinstance(atom, Func) and atom.kind == POWER:
        if isinstance(atom.left, int):  # (2**i)**3 is 8**i
            return f"{atom.left**power}**{_grouped(atom.right)}"
        return f"{_grouped(atom.left)}**{_grouped(power * atom.right)}"
    return _grouped(size) if power == 1 else f"{_grouped(size)}**{power}"


def _times(coefficient: int, text: str) -> str:
    return text if coefficient == 1 else f"{coefficient}*{text}"


def _grouped(size: Size) -> str:
    """Return the string of a size as a factor: in parentheses unless it is a number, a name or a call."""
    atom = as_atom(size)
    if isinstance(atom, Symbol) or (isinstance(atom, Func) and atom.kind in (FLOORDIV, MIN, MAX, POWER, _CEILING)):
        return _atom_text(atom)
    if isinstance(size, int):
        return str(size) if size >= 0 else f"({size})"
    rounded = _rounded_sum(size)
    if rounded is not None and rounded.endswith(")"):
        return rounded
    text = to_string(size)
    is_power = len(size.terms) == 1 and "**" in text and not set(_outside(text).replace("**", "")) & set("*/% ")
    return text if is_power and text.endswith(")") else f"({text})"


def _outside(text: str) -> str:
    """Return a formula without what is in parentheses."""
    depth, outside = 0, []
    for character in text:
        depth -= character == ")"
        if depth == 0:
            outside.append(character)
        depth += character == "("
    return "".join(outside)


def _atom_text(atom: Atom) -> str:
    if isinstance(atom, Symbol):
        return str(atom)
    if atom.kind in (MIN, MAX):
        return f"{atom.kind}({', '.join(to_string(size) for size in arguments(atom.kind, _of(atom)))})"
    if atom.kind == POWER:
        return _power(_of(atom), 1)
    if atom.kind == MOD:
        return f"{_grouped(atom.left)} % {_grouped(atom.right)}"
    if atom.kind == _CEILING:
        return f"ceil({_over(atom.left, atom.right)})"
    return _rounded(atom.left, atom.right) if atom.kind == FLOORDIV else _over(atom.left, atom.right)


def _of(atom: Atom) -> Polynomial:
    return of_atom(atom, Polynomial)


def _powers(monomial: Monomial) -> Factors:
    return [(_of(atom), power) for atom, power in monomial]


def _ordered(size: Polynomial) -> list[tuple[Monomial, int]]:
    return sorted(size.terms.items(), key=lambda term: place(term[0]))


def _without(monomial: Monomial, atom: Atom) -> Monomial:
    return tuple((other, power) for other, power in monomial if other != atom)
