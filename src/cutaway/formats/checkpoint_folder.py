"""Folders of checkpoints that are spread over processes: those of torch.distributed, and those of DeepSpeed."""

from __future__ import annotations

import os
import re
from typing import Any

from cutaway.core import disk
from cutaway.core.architecture import Architecture, Note
from cutaway.core.error import CutawayError, one_line
from cutaway.core.place import Place
from cutaway.core.record import replace
from cutaway.formats import pickle_machine, shards, torch_save, weights
from cutaway.formats.pickle_machine import Made, Name
from cutaway.formats.pickled_tensor import Stored, element_type, sizes_of, tensor

METADATA = ".metadata"
_INDEX, _CONFIGURATION = ".index.json", "config.json"
_LATEST = "latest"
_STATES = re.compile(r"(?:zero_pp_rank_(\d+)_)?mp_rank_(\d+)_model_states\.pt")


def is_folder(path: str) -> bool:
    """Tell whether a folder holds such a checkpoint."""
    if os.path.isfile(os.path.join(path, METADATA)) or _states(_step(path)):
        return True
    return _index(path) is not None and not os.path.isfile(os.path.join(path, _CONFIGURATION))


def read(path: str) -> list[Architecture]:
    """Read the network of a folder."""
    if os.path.isfile(os.path.join(path, METADATA)):
        return _distributed(path)
    index = _index(path)
    if index is not None:
        with open(index, "rb") as file:
            return [replace(each, name=os.path.basename(path), target=path) for each in shards.read(file, index)]
    return _deepspeed(path, _step(path))


def _index(path: str) -> str | None:
    """Return the one index of a folder of weights in several files; None where there is none, or a choice."""
    try:
        found = [name for name in os.listdir(path) if name.endswith(_INDEX)]
    except OSError:
        return None
    return os.path.join(path, found[0]) if len(found) == 1 else None


def _step(path: str) -> str:
    """Return the folder of the last step, where a file names it."""
    try:
        name = disk.content(os.path.join(path, _LATEST), 200).decode("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return path
    below = os.path.join(path, name)
    return below if name and os.path.basename(name) == name and name not in (".", "..") else path


def _states(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if _STATES.fullmatch(name))
    except OSError:
        return []


def _distributed(path: str) -> list[Architecture]:
    """Read the metadata of a distributed checkpoint: the size and type of each tensor, wherever its parts are."""
    where = os.path.join(path, METADATA)
    with torch_save.told(where), open(where, "rb") as file:
        state = _attributes(pickle_machine.load(file))
        listed = pickle_machine.entries(state.get("state_dict_metadata")) if state else None
        if listed is None:
            raise CutawayError(f"{where}: state_dict_metadata: expected a dict of tensors' names and sizes")
        named = {name: stored for name, each in listed.items() if (stored := _described(each)) is not None}
    if not named:
        raise CutawayError(f"{where}: there are no tensors in it")
    groups = _groups(named)
    return [
        weights.architecture(
            group, name=key or _name(path), target=f"{path}::{key}" if key else path, framework="pytorch"
        )
        for key, group in groups.items()
    ]


def _name(path: str) -> str:
    return os.path.basename(os.path.abspath(path))


def _groups(named: dict[str, Stored]) -> dict[str, dict[str, Stored]]:
    """Return the network apart from the state of optimizers, where names begin with what they belong to."""
    optimizers = {name: stored for name, stored in named.items() if re.match(r"optim\w*\.", name)}
    network = {name: stored for name, stored in named.items() if name not in optimizers} or optimizers
    first = {name.partition(".")[0] for name in network}
    if optimizers and len(first) == 1 and all("." in name for name in network):
        (key,) = first
        return {key: {name.removeprefix(f"{key}."): stored for name, stored in network.items()}}
    return {"": network}


def _attributes(value: Any) -> dict[str, Any] | None:
    state = value.state if isinstance(value, Made) else None
    if isinstance(state, tuple) and len(state) == 2:
        state = state[1] if state[0] is None else state[0]
    return pickle_machine.entries(state)


def _described(value: Any) -> Stored | None:
    """Read the `TensorStorageMetadata` of one tensor; what else is stored is in bytes."""
    state = _attributes(value)
    if state is None or "size" not in state:
        return None
    properties = state.get("properties")
    given = properties.state if isinstance(properties, Made) else None
    if isinstance(given, tuple) and given and isinstance(given[0], Name):
        return Stored(sizes_of(state["size"]), element_type(given[0]), None)
    held = _attributes(properties) or {}
    return Stored(sizes_of(state["size"]), element_type(held.get("dtype")), None)


def _deepspeed(path: str, folder: str) -> list[Architecture]:
    """Read the first of the files that the processes of DeepSpeed wrote; all have the same names."""
    files = _states(folder)
    first = os.path.join(folder, files[0])
    with torch_save.told(first), open(first, "rb") as file:
        entries = pickle_machine.entries(torch_save.content(file)[0]) or {}
        module = pickle_machine.entries(entries.get("module")) or {}
        named = {name: stored for name, each in module.items() if (stored := tensor(each)) is not None}
        named |= _partitioned(entries.get("param_shapes"))
    if not named:
        raise CutawayError(f"{first}: there are no weights in it under module or param_shapes")
    ranks = {match[2] for name in files if (match := _STATES.fullmatch(name))}
    split = f"the weights are split over {len(ranks)} processes: the sizes are those of one part"
    notes = [Note(split, Place(one_line(first)))] if len(ranks) > 1 else []
    return [weights.architecture(named, name=_name(path), target=path, framework="pytorch", unknowns=notes)]


def _partitioned(shapes: Any) -> dict[str, Stored]:
    """Read the sizes of weights that are spread over processes, which are kept by group of parameters."""
    found: dict[str, Stored] = {}
    for group in shapes if isinstance(shapes, list) else [shapes]:
        for name, size in (pickle_machine.entries(group) or {}).items():
            found[name] = Stored(sizes_of(size), None, None)
    return found
