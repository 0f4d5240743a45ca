"""Weights in several files: the index that says which tensor is in which of them, as the hub has it."""

from __future__ import annotations

import json
import os
from typing import BinaryIO

from cutaway.core.architecture import Architecture, Note
from cutaway.core.error import CutawayError, one_line
from cutaway.core.place import Place
from cutaway.formats import beginnings, safetensors, torch_beginning, torch_save, weights
from cutaway.formats.pickled_tensor import Stored

_LARGEST = 64 << 20
_MAP = "weight_map"


def sniff(head: bytes) -> bool:
    """Tell whether a JSON file with this content is an index of weights."""
    return head.lstrip()[:1] == b"{" and f'"{_MAP}"'.encode() in head


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the headers of all files that an index names; what is in one that is not there is unknown."""
    try:
        index = json.loads(file.read(_LARGEST))
        listed = index.get(_MAP) if isinstance(index, dict) else None
    except (ValueError, RecursionError) as error:
        raise CutawayError(f"{path}: is no index of weights: {one_line(str(error))}") from None
    if not isinstance(listed, dict) or not all(isinstance(each, str) for each in listed.values()):
        raise CutawayError(f"{path}: {_MAP}: expected an object of tensors' names and files")
    held: dict[str, dict[str, Stored]] = {}
    missing, framework = [], ""
    for name in dict.fromkeys(listed.values()):
        beside = os.path.join(os.path.dirname(path), name)
        if os.path.basename(name) != name or name in ("", ".", ".."):
            raise CutawayError(f"{path}: {_MAP}: {one_line(name)} is not the name of a file beside it")
        if not os.path.isfile(beside):
            missing.append(Note(f"{one_line(name)} is not there: nothing is known of the tensors in it", Place(path)))
            continue
        held[name], framework = _shard(beside)
    found = {}
    for tensor, name in listed.items():
        if name in held and tensor not in held[name]:
            raise CutawayError(f"{path}: {_MAP}: {one_line(tensor)} is not in {one_line(name)}")
        found[tensor] = held[name][tensor] if name in held else Stored(None, None, None)
    return [
        weights.architecture(
            found, name=os.path.basename(path), target=path, framework=framework or "pytorch", unknowns=missing
        )
    ]


def _shard(path: str) -> tuple[dict[str, Stored], str]:
    with open(path, "rb") as file:
        head = file.read(64)
        file.seek(0)
        if beginnings.safetensors(head):
            return safetensors.tensors(file, path)
        if torch_beginning.sniff(head):
            return torch_save.tensors(file, path)
    raise CutawayError(f"{path}: holds no weights: it is of neither safetensors nor torch.save")
