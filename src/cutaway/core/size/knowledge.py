"""What is known of sizes in one analysis, beside what they are made of: rules, ranges, and whom else to ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core.context import CURRENT, IDLE


class SizeKnowledge:
    """The knowledge of one analysis.

    `rules` say what an atom is, `ranges` between which integers a size lies. `ask` answers a comparison that they leave
    open, by its name and the sizes. The other two are caches, which what is learned empties.
    """

    __slots__ = ("ask", "bounds", "ranges", "rewritten", "rules")

    def __init__(self) -> None:
        self.rules: dict[Any, Any] = {}
        self.ranges: dict[Any, Any] = {}
        self.ask: Callable[[str, Any, Any], bool | None] | None = None
        self.rewritten: dict[Any, Any] = {}
        self.bounds: dict[Any, Any] = {}


IDLE.sizes = SizeKnowledge()


def known() -> SizeKnowledge:
    """Return what is known of sizes in the analysis in progress."""
    return CURRENT.get().sizes
