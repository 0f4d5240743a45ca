"""Which reader a saved file is for, by what is in it."""

from __future__ import annotations

import os
from importlib import import_module

from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError

_HEAD = 64
_INDEX = ".index.json"
READERS = ("tensorboard", "torch_save", "safetensors")
"""The readers of files that begin in a way of their own, those that can tell best first."""


def is_saved(text: str) -> bool:
    """Tell whether a target names a saved file."""
    return _reader(text.partition("::")[0]) is not None


def read(text: str) -> list[Architecture] | None:
    """Return the networks of a saved file, of which `file::name` names one; None where it is no saved file."""
    path, _, name = text.partition("::")
    reader = _reader(path)
    if reader is None:
        return None
    with open(path, "rb") as file:
        found: list[Architecture] = import_module(f"cutaway.formats.{reader}").read(file, path)
    if not name:
        return found
    chosen = [each for each in found if each.name == name]
    if not chosen:
        raise CutawayError(f"{path}: there is no {name} in it; there are {', '.join(e.name for e in found[:8])}")
    return chosen


def _reader(path: str) -> str | None:
    if path.endswith(".py") or not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            if path.endswith(".json"):
                shards = import_module("cutaway.formats.shards")
                return "shards" if path.endswith(_INDEX) or shards.sniff(file.read(1 << 16)) else None
            head = file.read(_HEAD)
    except OSError as error:
        raise CutawayError(f"{path}: can't be read ({error.strerror})") from None
    return next((each for each in READERS if import_module(f"cutaway.formats.{each}").sniff(head)), None)
