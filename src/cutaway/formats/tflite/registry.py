"""Where rules of TFLite's operators are entered, and what they share.

Element types are those that the file states. Where an operator has no rule, the file's own shapes are used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core.size.dim import Dim
from cutaway.formats.graph.value import Call, Known, Rule

RULES: dict[tuple[str, str], Rule] = {}
"""The name of an operator, after an empty domain -> its rule."""


def operator(*names: str) -> Callable[[Rule], Rule]:
    """Enter a rule for operators, named in words."""

    def entered(rule: Rule) -> Rule:
        for word in names:
            for name in word.split():
                RULES["", name] = rule
        return rule

    return entered


def numbers(call: Call, place: int) -> list[Any] | None:
    """Return numbers of an input as sizes, with names for those that are not known; None if not even how many."""
    found = call.numbers(place)
    if found is not None:
        return [number if isinstance(number, (int, Dim)) else call.fresh(f"dim{at}") for at, number in enumerate(found)]
    length = call.length(place)
    return None if length is None else list(call.fresh_shape(length))


def whole(value: Known) -> bool:
    """Tell whether all numbers of a value are whole."""
    return all(isinstance(number, (int, Dim)) and not isinstance(number, bool) for number in value.numbers or ())
