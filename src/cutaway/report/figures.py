"""Numbers, sizes and shapes as a reader wants them."""

from __future__ import annotations

from cutaway.core.architecture import Quantity, Shape
from cutaway.core.pattern import pattern
from cutaway.core.size.dim import Dim
from cutaway.passes.cost import LARGEST_BITS, Figure, as_quantity

_LARGE = pattern(r"(?<![\w.])\d{5,}(?![\w.])")
_PLAIN = pattern(r"\w+")


def short(number: int) -> str:
    """Return at most five characters of a number: `9,408`, `36.9k`, `25.6M`, `4.09G`."""
    if abs(number) < 10_000:
        return f"{number:,}"
    return _scaled(number, "", "k", "M", "G", "T", "P", "E")


def count(number: int) -> str:
    """Return a number of things in short, with the words of people: `70.6B` parameters."""
    if abs(number) < 10_000:
        return f"{number:,}"
    return _scaled(number, "", "k", "M", "B", "T", "P", "E")


def memory(number: int) -> str:
    """Return a number of bytes: `512 B`, `9.41 kB`, `102 MB`."""
    if abs(number) < 1000:
        return f"{number} B"
    return _scaled(number, " B", " kB", " MB", " GB", " TB", " PB", " EB")


def _scaled(number: int, *units: str) -> str:
    value, power = float(number), 0
    while abs(value) >= 999.5 and power < len(units) - 1:
        value /= 1000
        power += 1
    digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return f"{value:,.{digits}f}{units[power]}"


def quantity(amount: Quantity) -> str:
    """Return a number in short; a symbolic one with its large factors in short; `?` for an unknown one."""
    if amount is None:
        return "?"
    if isinstance(amount, int):
        return short(amount)
    return _LARGE.sub(lambda match: short(int(match.group())), str(amount))


def byte_quantity(amount: Quantity) -> str:
    """Return an amount of memory."""
    if isinstance(amount, int):
        return memory(amount)
    return "?" if amount is None else f"{quantity(amount)} bytes"


def count_quantity(amount: Quantity) -> str:
    """Return a number of things."""
    return count(amount) if isinstance(amount, int) else quantity(amount)


def figure(value: Figure, at_least: str, *, bytes: bool = False, counts: bool = False) -> str:
    """Return a sum: `-` for nothing, `?` for unknown, `≥` before one that is known in part."""
    if value.least == 0:
        return "-" if value.exact else "?"
    amount = as_quantity(value.least)
    text = byte_quantity(amount) if bytes else count_quantity(amount) if counts else quantity(amount)
    return text if value.exact else f"{at_least}{text}"


def shape(sizes: Shape) -> str:
    """Return a shape as `--input` takes it: `2x3x224x224`; symbols have room: `B x 3 x (H - 2) x ceil(W/2)`."""
    if sizes is None:
        return "?"
    if not sizes:
        return "scalar"
    strings = [_size(size) for size in sizes]
    return (" x " if any(isinstance(size, Dim) for size in sizes) else "x").join(strings)


def _size(size: Quantity) -> str:
    if isinstance(size, Dim):
        text = str(size)
        return text if _PLAIN.fullmatch(text) or _is_call(text) else f"({text})"
    return "?" if size is None or size.bit_length() > LARGEST_BITS else str(size)


def _is_call(text: str) -> bool:
    """Tell whether a size is one call, such as `ceil(H/2)`: then it needs no parentheses around it."""
    name, _, rest = text.partition("(")
    depth = 1
    for at, letter in enumerate(rest, 1):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return name.isidentifier() and at == len(rest)
    return False


def shapes(several: tuple[Shape, ...], limit: int = 3) -> str:
    """Return shapes in order, the first ones of many."""
    strings = [shape(one) for one in several[:limit]]
    if len(several) > limit:
        strings.append(f"+{len(several) - limit}")
    return ", ".join(strings)
