"""Our rows, and the real object that each stands for."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import traceback
from typing import Any

import torch

from cutaway.knowledge.base import registry
from cutaway.knowledge.base.registry import TABLE as TABLE

LIBRARIES = ("torch", "einops")
BROKEN: dict[str, str] = {}
"""Modules of ours that could not be imported, with the last lines of why."""


@functools.cache
def load() -> None:
    """Import the tables file by file, so that one broken file does not hide the others."""
    for library in LIBRARIES:
        home = f"cutaway.knowledge.{library}"
        try:
            package = importlib.import_module(home)
        except ImportError:
            continue
        registry._LOADED.add(library)
        for module in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{home}.", onerror=lambda _: None):
            try:
                importlib.import_module(module.name)
            except Exception:
                BROKEN[module.name] = traceback.format_exc(limit=-2)


@functools.cache
def real(name: str) -> Any:
    """Return the real object of this qualified name, or None."""
    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:split]))
        except (ImportError, AttributeError):
            continue
        for part in parts[split:]:
            found = getattr(found, part, None)
            if found is None:
                break
        return found
    return None


@functools.cache
def exists(name: str) -> bool:
    """Tell whether the real library has this name, be its value None."""
    owner, _, last = name.rpartition(".")
    if real(name) is not None:
        return True
    try:
        return hasattr(real(owner), last)
    except RuntimeError:
        return False


@functools.cache
def names_of_real() -> dict[Any, list[str]]:
    """Map real functions and classes to the names of our rows for them."""
    load()
    found: dict[Any, list[str]] = {}
    for name in TABLE:
        thing = real(name)
        if callable(thing):
            found.setdefault(thing, []).append(name)
    return found


def callables() -> list[str]:
    """Return the names of all rows whose real counterpart can be called, classes excepted."""
    load()
    return sorted(n for n in TABLE if callable(real(n)) and not isinstance(real(n), type))


def ours_of(thing: Any) -> Any:
    """Return our row for a real function or class, or None."""
    try:
        names = names_of_real().get(thing)
    except TypeError:
        return None
    return TABLE[names[0]] if names else None


torch.set_num_threads(1)
