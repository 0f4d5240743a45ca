"""The page: one HTML file with everything in it, to look at a network, or at how two networks differ.

The page itself is built from `viewer/` and shipped as `page.html`. Data is put into it as JSON, which the page reads as
data and writes as text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from cutaway.core.architecture import Architecture
from cutaway.passes.diff import Difference
from cutaway.report.page_data import document

TEMPLATE = Path(__file__).with_name("page.html")
_PLACE = "@@data@@"


def render(architectures: Sequence[Architecture], difference: Difference | None = None) -> str:
    """Return the page of some networks; of two that are compared, with their difference."""
    data = embedded(json.dumps(document(architectures, difference), separators=(",", ":")))
    before, place, after = TEMPLATE.read_text(encoding="utf-8").partition(_PLACE)
    if not place:
        raise AssertionError(f"{TEMPLATE.name} has no place for data: build viewer/ again")
    return before + data + after


def embedded(text: str) -> str:
    """Return JSON that can't end the script element that it is in, or begin another: it has no `<`, `>` and `&`."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
