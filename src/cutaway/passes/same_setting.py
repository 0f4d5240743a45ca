"""Settings that are written in different ways and mean the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SAME = {"swish": "silu", "lrelu": "leaky_relu"}


def is_same_setting(left: Any, right: Any) -> bool:
    """Tell whether two settings mean the same: words in other letters, one function by two names, an object and its form."""
    if isinstance(left, str) and isinstance(right, str):
        return _word(left) == _word(right)
    for form, described in ((left, right), (right, left)):
        if isinstance(form, Mapping) and isinstance(form.get("class_name"), str) and isinstance(described, str):
            return described.strip("<>").rpartition(".")[2] == str(form["class_name"]).rpartition(">")[2]
    return False


def _word(text: str) -> str:
    folded = text.casefold()
    return _SAME.get(folded, folded)
