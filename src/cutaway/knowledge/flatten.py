"""Nested values to a flat list of graph references, each named by its path."""

from __future__ import annotations

import dataclasses
from typing import Any

from cutaway.core.session import Reference
from cutaway.core.unknown import Unknown


def flatten(value: Any, path: str = "") -> list[tuple[str, Reference]]:
    """Return every tensor in `value` in order, with a path such as `logits` or `hidden.0`."""
    found: list[tuple[str, Reference]] = []
    _walk(value, path, found)
    return found


def flatten_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, Reference]]:
    """Return the tensors among the arguments of a call: paths begin with `0.` by position, `1.` by name."""
    found: list[tuple[str, Reference]] = []
    for index, value in enumerate(args):
        _walk(value, f"0.{index}", found)
    for name, value in kwargs.items():
        _walk(value, f"1.{name}", found)
    return found


def _walk(value: Any, path: str, found: list[tuple[str, Reference]]) -> None:
    if value is None or isinstance(value, (int, float, str)):
        return
    if type(value) is Unknown:
        found.append((path, Reference(0, value, "unknown")))
    elif hasattr(value, "reference"):
        found.append((path, value.reference()))
    elif isinstance(value, dict):
        for key, item in value.items():
            _walk(item, f"{path}.{key}" if path else str(key), found)
    elif isinstance(value, (list, tuple)):
        for key, item in zip(getattr(value, "_fields", None) or range(len(value)), value):
            _walk(item, f"{path}.{key}" if path else str(key), found)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            _walk(getattr(value, field.name, None), f"{path}.{field.name}" if path else field.name, found)
