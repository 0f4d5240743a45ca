"""Comparing sizes as if each symbol in them stood for several elements."""

from __future__ import annotations

from cutaway.core.size.dim import Size, less_unasked, replaced, symbol


def less_if_plural(left: Size, right: Size) -> bool | None:
    """Tell whether `left < right` where symbols and quotients of them are at least 2, without asking anyone else."""
    if isinstance(left, int) and isinstance(right, int):
        return left < right
    return less_unasked(_plural(left), _plural(right))


def _plural(size: Size) -> Size:
    return replaced(size, lambda atom: symbol(f"{atom!r}", least=2), whole=True)
