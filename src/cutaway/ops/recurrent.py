"""Recurrent layers: the multiply-accumulates of their matrix products."""

from __future__ import annotations

from cutaway.core.size.dim import Size


def cell_macs(rows: Size, inputs: Size, hidden: Size, gates: Size, cell: Size | None = None) -> Size:
    """Count one cell over `rows` independent vectors.

    `gates` is the width of all gates together; the hidden state has `hidden` features. Where it is
    a projection of a wider cell state, `cell` is the width of that.
    """
    projection = 0 if cell is None else cell * hidden
    return rows * (gates * (inputs + hidden) + projection)


def stack_macs(
    rows: Size, inputs: Size, hidden: Size, gates: Size, layers: int, directions: int, cell: Size | None = None
) -> Size:
    """Count a stack of recurrent layers in which each layer reads all directions of the one below."""
    first = cell_macs(rows, inputs, hidden, gates, cell)
    above = cell_macs(rows, hidden * directions, hidden, gates, cell)
    return directions * (first + (layers - 1) * above)
