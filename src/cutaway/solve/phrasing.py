"""Sets of sizes in words, and as an `Architecture` has them."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.architecture import Allowed
from cutaway.solve.region import Box, Region
from cutaway.solve.subset import ALL, Subset

_MOST_RANGES = 6
_MOST_RESIDUES = 8


def allowed(symbol: str, held: Subset) -> Allowed:
    """Return the numbers that a symbol may stand for."""
    ranges = tuple(held.intervals())
    if held.period == 1 or not held.cycle:
        return Allowed(symbol, _of_ranges(symbol, ranges), ranges)
    start, period = held.length + 1, held.period
    residues = tuple(sorted((start + r) % period for r in range(period) if held.cycle >> r & 1))
    rest = _of_residues(symbol, residues, period)
    # Where the head is what the residues would have given anyway, less a beginning, they are all there is to say.
    least = held.least()
    if all((number in held) == (number % period in residues) for number in range(least, start)):
        lowest = next(number for number in range(1, period + 1) if number % period in residues)
        text = rest if least == lowest else f"{rest}, {symbol} >= {least}"
        return Allowed(symbol, text, (), least, period, residues)
    return Allowed(symbol, f"{_of_ranges(symbol, ranges)}, or {rest} from {start} on", ranges, start, period, residues)


def _of_ranges(symbol: str, ranges: Sequence[tuple[int, int | None]]) -> str:
    if len(ranges) == 1:
        low, high = ranges[0]
        if high is None:
            return f"{symbol} >= {low}"
        if low == high:
            return f"{symbol} = {low}"
        return f"{low} <= {symbol} <= {high}"
    parts = [f"{low}" if low == high else f"{low}..{'' if high is None else high}" for low, high in ranges]
    if len(parts) > _MOST_RANGES:
        parts = [*parts[:_MOST_RANGES], "..."]
    return f"{symbol} is one of {', '.join(parts)}"


def _of_residues(symbol: str, residues: Sequence[int], period: int) -> str:
    if tuple(residues) == (0,):
        return f"{symbol} divisible by {period}"
    if len(residues) == 1:
        return f"{symbol} = {residues[0]} mod {period}"
    if len(residues) == period - 1 and residues[0] == 1:
        return f"{symbol} not divisible by {period}"
    shown = [str(residue) for residue in residues[:_MOST_RESIDUES]]
    if residues[-1] - residues[0] == len(residues) - 1:
        return f"{residues[0]} <= {symbol} mod {period} <= {residues[-1]}"
    return f"{symbol} mod {period} in {{{', '.join(shown)}{', ...' if len(residues) > len(shown) else ''}}}"


def alternatives(region: Region, order: Sequence[str]) -> tuple[tuple[Allowed, ...], ...]:
    """Return the boxes of a region, symbols in the order of the input's dimensions."""
    return tuple(tuple(allowed(name, box[name]) for name in order if name in box) for box in region.boxes)


def ordered(region: Region, names: Sequence[str]) -> Region:
    """Return a region with the boxes first in which sizes can be the same, and then those of the least sizes."""

    def key(box: Box) -> tuple[bool, list[int]]:
        common = ALL
        for name in names:
            common &= box.get(name, ALL)
        return not common, [box[name].least() if name in box else 1 for name in names]

    return Region(tuple(sorted(region.boxes, key=key)))


def text(region: Region, order: Sequence[str]) -> str:
    """Return a region in words."""
    if not region:
        return "no size"
    return "; or ".join(dict.fromkeys(_of_box(box, order) for box in region.boxes)) or "any size"


def _of_box(box: Box, order: Sequence[str]) -> str:
    named = [(name, box[name]) for name in order if name in box]
    parts: list[str] = []
    while named:
        name, held = named.pop(0)
        alike = [other for other, same in named if same == held]
        if alike and held.is_finite and len(held.intervals()) == 1 and held.least() == held.intervals()[0][1]:
            parts.append(f"{' = '.join([name, *alike])} = {held.least()}")
            named = [(other, same) for other, same in named if other not in alike]
        else:
            parts.append(allowed(name, held).text)
    return ", ".join(parts) if parts else "any size"
