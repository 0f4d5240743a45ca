"""Tables as comma-separated values; figures are whole numbers, or formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from cutaway.core.architecture import Quantity
from cutaway.report.sheet import Sheet

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render(sheets: Sequence[tuple[str, Sheet]]) -> str:
    """Return the rows of all tables, with the network in the first column where there are several."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    several = len(sheets) > 1
    for number, (name, sheet) in enumerate(sheets):
        if number == 0:
            writer.writerow([*(["network"] if several else []), *sheet.headings])
        for row in sheet.rows:
            writer.writerow([*([cell(name)] if several else []), *map(cell, row.values)])
    return out.getvalue()


def cell(value: Quantity | str) -> str:
    """Return a cell that no spreadsheet takes for a formula: a quote is before what looks like one."""
    text = "" if value is None else str(value)
    text = "".join(c if c.isprintable() or c == " " else " " for c in text)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
