"""What a network takes of memory, as a table and as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cutaway.core.architecture import Architecture
from cutaway.passes.memory import Amount, Memory
from cutaway.report.columns import another_in_words, sizes_in_words
from cutaway.report.figures import memory

_PARTS = (
    ("weights", "weights"),
    ("activations at their peak", "activations"),
    ("cache of keys and values", "cache"),
    ("gradients", "gradients"),
    ("optimizer states", "states"),
    ("activations for backward", "kept"),
)


def text(
    network: Architecture, rows: Sequence[Memory], sizes: Mapping[str, int], optimizer: str, context: int | None
) -> str:
    """Return a row for each part of one element type, or a row for each of several types."""
    lines = [f"{network.name}  {network.target}", ""]
    if len(rows) == 1:
        (row,) = rows
        lines += [f"{title:<26}{_amount(getattr(row, name)):>10}" for title, name in _PARTS if getattr(row, name)]
        lines += [
            "",
            f"{'inference':<26}{_amount(row.inference):>10}",
            f"{'training':<26}{_amount(row.training):>10}",
        ]
    else:
        lines.append(f"{'':<6}{'weights':>10}{'activations':>13}{'inference':>12}{'for backward':>14}{'training':>13}")
        for row in rows:
            cells = [row.weights, row.activations, row.inference, row.kept, row.training]
            widths = (10, 13, 12, 14, 13)
            lines.append(f"{row.dtype:<6}" + "".join(f"{_amount(cell):>{width}}" for cell, width in zip(cells, widths)))
    notes = [f"training with {optimizer}; optimizer states have the element type of the weights"]
    if context is not None:
        notes.append(f"with the keys and values of {context:,} tokens")
    if sizes:
        notes.append(f"at {sizes_in_words(sizes)}{another_in_words(network, sizes)}")
    notes.append("not included: the workspace of kernels, fragmentation, and the memory of the framework itself")
    return "\n".join([*lines, "", *notes]) + "\n"


def document(
    network: Architecture, rows: Sequence[Memory], sizes: Mapping[str, int], optimizer: str, context: int | None
) -> dict[str, Any]:
    """Return the same as plain data, in bytes; null is unknown or not applicable, `exact` false is a lower bound."""

    def plain(amount: Amount | None) -> dict[str, Any] | None:
        return None if amount is None else {"bytes": amount.bytes, "exact": amount.exact}

    return {
        "schema": "cutaway/memory/1",
        "name": network.name,
        "target": network.target,
        "sizes": dict(sizes),
        "optimizer": optimizer,
        "context": context,
        "dtypes": {
            row.dtype: {
                **{name: plain(getattr(row, name)) for _, name in _PARTS},
                "inference": plain(row.inference),
                "training": plain(row.training),
            }
            for row in rows
        },
    }


def _amount(amount: Amount | None) -> str:
    if amount is None:
        return "-"
    if amount.exact:
        return memory(amount.bytes)
    return f">={memory(amount.bytes)}" if amount.bytes else "?"
