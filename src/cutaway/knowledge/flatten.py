"""Nested values to a flat list of graph references, each named by its path."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from cutaway.core.session import Reference
from cutaway.core.unknown import Unknown


def flatten(value: Any, path: str = "") -> list[tuple[str, Reference]]:
    """Return every tensor in `value` in order, with a path such as `logits` or `hidden.0`."""
    return list(_walk(value, path))


def _walk(value: Any, path: str) -> Iterator[tuple[str, Reference]]:
    if type(value) is Unknown:
        yield path, Reference(0, value, "unknown")
    elif hasattr(value, "reference"):
        yield path, value.reference()
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, _join(path, str(key)))
    elif isinstance(value, (list, tuple)):
        names = getattr(value, "_fields", None) or range(len(value))
        for key, item in zip(names, value):
            yield from _walk(item, _join(path, str(key)))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _walk(getattr(value, field.name, None), _join(path, field.name))


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
