"""Values of the target to JSON values, for configurations and attributes."""

from __future__ import annotations

import functools
import math
from typing import Any

from cutaway.core.architecture import JSONValue
from cutaway.core.dim import Dim
from cutaway.core.unknown import Unknown

_DEPTH = 6
_LENGTH = 256


def describe(value: Any, depth: int = 0) -> JSONValue:
    """Return a JSON value that says what `value` is."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, Dim):
        return str(value)
    if isinstance(value, Unknown):
        return {"unknown": value.reason}
    if isinstance(value, (list, tuple, set, frozenset)):
        if depth >= _DEPTH or len(value) > _LENGTH:
            return f"<{type(value).__name__} of {len(value)}>"
        return [describe(item, depth + 1) for item in value]
    if isinstance(value, dict):
        if depth >= _DEPTH or len(value) > _LENGTH:
            return f"<dict of {len(value)}>"
        return {str(key): describe(item, depth + 1) for key, item in value.items()}
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, functools.partial):
        made: dict[str, JSONValue] = {"partial": describe(value.func, depth + 1)}
        if value.args:
            made["args"] = describe(value.args, depth + 1)
        made.update({str(k): describe(v, depth + 1) for k, v in value.keywords.items()})
        return made
    if hasattr(value, "reference"):
        reference = value.reference()
        sizes = "?" if isinstance(reference.shape, Unknown) else "x".join(map(str, reference.shape))
        return f"<tensor {sizes} {reference.dtype}>"
    name = getattr(value, "__qualname__", None)
    if isinstance(name, str):
        return f"{getattr(value, '__module__', '')}.{name}".lstrip(".")
    if type(value).__module__.startswith("cutaway."):
        return repr(value)
    return f"<{type(value).__module__}.{type(value).__qualname__}>"
