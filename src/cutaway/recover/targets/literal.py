"""Values as they are written in Python."""

from __future__ import annotations

import math
from typing import Any

from cutaway.recover.graph import ElementType


def literal(value: Any) -> str:
    """Return a value as it is written in Python."""
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return f'float("{value}")'
        return repr(value)
    if isinstance(value, str):
        return f'"{value}"' if value.isprintable() and '"' not in value and "\\" not in value else ascii(value)
    if isinstance(value, ElementType):
        return f"torch.{value.name}"
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return repr(value)
