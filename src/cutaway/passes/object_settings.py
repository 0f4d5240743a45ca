"""Arguments that are objects: a description has their classes and nothing that tells one from another."""

from __future__ import annotations

from typing import Any


def lists_objects(value: Any) -> bool:
    """Tell whether a setting is a list of objects, such as the modules of a `Sequential`, which are parts of their own."""
    return isinstance(value, list) and bool(value) and all(map(_is_object, value))


def _is_object(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("<") and value.endswith(">") and not value.startswith("<tensor ")
