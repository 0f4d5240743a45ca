"""How what a loop carries grows from iteration to iteration: by an amount, by a factor, or as it is divided again and again."""

from __future__ import annotations

from typing import Any, TypeAlias

from cutaway.core.protocols import is_resizable
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Dim, Size, divide, floordiv, raised, rewritten

STEP, FACTOR, FLOOR, CEIL = "step", "factor", "floor", "ceil"
_LARGEST_DIVISOR = 8


@dataclass(frozen=True, slots=True)
class Growth:
    """The closed form of a size: `start + by*i`, `start * by**i`, or `start / by**i` rounded down or up."""

    kind: str
    by: Size

    def at(self, start: Size, iteration: Size) -> Size:
        """Return the size before an iteration, which counts from 0."""
        if self.kind == STEP:
            return start + self.by * iteration
        power = raised(self.by, iteration)
        if self.kind == FACTOR:
            return start * power
        return floordiv(start, power) if self.kind == FLOOR else -floordiv(-start, power)


Form: TypeAlias = "Growth | tuple[Growth, ...]"
"""How a size grows, or each size of a shape."""


def form_of(values: list[Any], up: bool) -> Form | None:
    """Return the form of values that were carried by the first iterations; None where there is none.

    What may be rounded up or down is rounded `up`.
    """
    if all(is_size(value) for value in values):
        return _growth(values, up)
    if not all(is_resizable(value) for value in values):
        return None
    seen = [value.reference() for value in values]
    shapes = [one.shape for one in seen]
    if len({one.dtype for one in seen}) > 1 or not all(isinstance(shape, tuple) for shape in shapes):
        return None
    if len({len(shape) for shape in shapes}) > 1:
        return None
    grown = [_growth(list(sizes), up) for sizes in zip(*shapes)]
    return None if None in grown else tuple(one for one in grown if one is not None)


def grown(form: Form, start: Any, iteration: Size) -> Any:
    """Return a value of this form before an iteration."""
    if isinstance(form, Growth):
        return form.at(start, iteration)
    return start.with_sizes(tuple(one.at(size, iteration) for one, size in zip(form, start.reference().shape)))


def is_grown(form: Form, start: Any, iteration: Size, now: Any) -> bool:
    """Tell whether a value is what the form says that it is before an iteration."""
    if isinstance(form, Growth):
        return is_size(now) and rewritten(form.at(start, iteration)) == rewritten(now)
    if type(now) is not type(start):
        return False
    was, seen = start.reference(), now.reference()
    if was.dtype != seen.dtype or not isinstance(seen.shape, tuple) or len(seen.shape) != len(form):
        return False
    return all(is_grown(one, size, iteration, got) for one, size, got in zip(form, was.shape, seen.shape))


def is_size(value: Any) -> bool:
    """Tell whether a value is a number or a symbolic size."""
    return isinstance(value, (int, Dim)) and not isinstance(value, bool)


def _growth(values: list[Size], up: bool) -> Growth | None:
    first, second, third = values[:3]
    if third - second == second - first:
        return Growth(STEP, second - first)
    if first != 0:
        by, rest = divide(second, first)
        if rest == 0 and third == second * by:
            return Growth(FACTOR, by)
    for by in range(2, _LARGEST_DIVISOR + 1):
        for kind in (CEIL, FLOOR) if up else (FLOOR, CEIL):
            growth = Growth(kind, by)
            if growth.at(first, 1) == second and growth.at(first, 2) == third:
                return growth
    return None
