"""Which row of knowledge a function of the running framework belongs to, so that both paths name operations alike."""

from __future__ import annotations

import functools
from typing import Any

import torch
import torch.overrides

from cutaway.knowledge.base import registry
from cutaway.knowledge.torch.tensor.op import RULES, Row

_MISSING = object()


class Names:
    """The rows of knowledge by the functions of the framework that they describe."""

    def __init__(self) -> None:
        registry.load("torch")
        registry.load_rest()
        self._kept: list[Any] = []
        self._rows: dict[int, Row] = {}
        for name, rule in RULES.items():
            row = getattr(rule, "__row__", None)
            real = _resolve(name)
            if row is not None and real is not _MISSING:
                self._kept.append(real)  # its identity stays its own
                self._rows.setdefault(id(real), row)

    def row(self, function: Any) -> Row | None:
        """Return the row of a function, a method, or the getter of a property; None where there is none."""
        found = self._rows.get(id(function))
        if found is None and getattr(function, "__name__", "") == "__get__":
            attribute = getattr(function, "__self__", None)
            found = self._rows.get(id(attribute))
            if found is None:  # `x.real` is what `torch.real(x)` is
                same = RULES.get(f"torch.{getattr(attribute, '__name__', '')}")
                found = getattr(same, "__row__", None)
        return found


@functools.cache
def names() -> Names:
    """Return the rows; they are looked up once."""
    return Names()


def own_name(function: Any) -> str:
    """Return the public name of a function that has no row."""
    name = torch.overrides.resolve_name(function)
    if name is not None:
        return str(name).removesuffix(".__get__")
    home = getattr(function, "__module__", None) or "torch"
    return f"{home}.{getattr(function, '__name__', type(function).__name__)}"


def _resolve(name: str) -> Any:
    """Return what torch has under a dotted name; a class gives the descriptor itself, not what it would return."""
    value: Any = torch
    for part in name.split(".")[1:]:
        value = getattr(value, part, _MISSING)
        if value is _MISSING:
            return _MISSING
    return value
