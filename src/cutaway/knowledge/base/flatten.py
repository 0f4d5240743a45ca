"""Nested values to a flat list of graph references, each named by its path."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeAlias

from cutaway.core.session import Reference
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base import attribute

Refer: TypeAlias = Callable[[Any], Reference | None]
"""Returns the reference of a tensor, None for anything else."""


def _reference(value: Any) -> Reference | None:
    refer = getattr(value, "reference", None)
    return None if refer is None else refer()


def flatten(value: Any, path: str = "", refer: Refer = _reference) -> list[tuple[str, Reference]]:
    """Return every tensor in `value` in order, with a path such as `logits` or `hidden.0`."""
    found: list[tuple[str, Reference]] = []
    _walk(value, path, found, refer)
    return found


def flatten_arguments(
    args: tuple[Any, ...], kwargs: dict[str, Any], refer: Refer = _reference
) -> list[tuple[str, Reference]]:
    """Return the tensors among the arguments of a call: paths begin with `0.` by position, `1.` by name."""
    found: list[tuple[str, Reference]] = []
    for index, value in enumerate(args):
        _walk(value, f"0.{index}", found, refer)
    for name, value in kwargs.items():
        _walk(value, f"1.{name}", found, refer)
    return found


def _walk(value: Any, path: str, found: list[tuple[str, Reference]], refer: Refer) -> None:
    if value is None or isinstance(value, (int, float, str)):
        return
    if type(value) is Unknown:
        if value.kind is not None:  # one value that is not a tensor
            return
        found.append((path, Reference(0, value, "unknown")))
        return
    reference = refer(value)
    if reference is not None:
        found.append((path, reference))
    elif isinstance(value, dict):
        for key, item in value.items():
            _walk(item, f"{path}.{key}" if path else str(key), found, refer)
    elif isinstance(value, (list, tuple)):
        for key, item in zip(getattr(value, "_fields", None) or range(len(value)), value):
            _walk(item, f"{path}.{key}" if path else str(key), found, refer)
    elif isinstance(value, SimpleNamespace):
        for key, item in vars(value).items():
            _walk(item, f"{path}.{key}" if path else key, found, refer)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            _walk(attribute.get(value, field.name, None), f"{path}.{field.name}" if path else field.name, found, refer)
