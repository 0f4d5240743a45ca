"""What is in a pickled value: networks, each under its key, and what training keeps beside them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cutaway.core.architecture import Architecture, Note
from cutaway.core.error import one_line
from cutaway.core.place import Place
from cutaway.formats import pickle_machine, pickled_module, weights
from cutaway.formats.pickle_machine import Made
from cutaway.formats.pickled_tensor import Stored, tensor

_DEEPEST = 12
_MOST_PARTS = 10_000
_OPTIMIZER = {"state", "param_groups"}
_COUNTS = ("uint8", "uint16", "uint32", "uint64", "bool", "int8", "int16", "int32", "int64")


@dataclass(frozen=True, slots=True)
class Part:
    """A group of tensors under a key: a network, or what training keeps beside it."""

    key: str
    tensors: Mapping[str, Stored]
    module: Made | None = None
    is_network: bool = True

    def architecture(self, path: str) -> tuple[Architecture, list[Stored]]:
        """Return the description of the group, and its tensors."""
        name = self.key or os.path.basename(path)
        target = f"{path}::{self.key}" if self.key else path
        if self.module is not None:
            network, named = pickled_module.architecture(self.module, name=name, target=target)
            return network, [stored for _, stored in named]
        network = weights.architecture(self.tensors, name=name, target=target, framework="pytorch")
        return network, list(self.tensors.values())


def parts(value: Any) -> list[Part]:
    """Return the networks in a value, and what is beside them; where there is no network, all that it has."""
    found: list[Part] = []
    for part in _parts(value, "", 0, set()):
        found.append(part)
        if len(found) >= _MOST_PARTS:
            break
    networks = [part for part in found if part.is_network]
    if not networks:
        return [replace(part, is_network=True) for part in found]
    if any(part.module is not None or _are_weights(part.tensors) for part in networks):
        return [replace(part, is_network=part.is_network and not _are_counters(part)) for part in found]
    return found


def architectures(found: list[Part], path: str) -> Iterator[tuple[Architecture, list[Stored]]]:
    """Yield the networks of a file; each says what is beside it."""
    beside = [one_line(part.key or "the file") for part in found if not part.is_network]
    place = Place(path)
    for part in found:
        if not part.is_network:
            continue
        network, stored = part.architecture(path)
        if beside:
            names = ", ".join(beside[:4]) + (f" and {len(beside) - 4} more" if len(beside) > 4 else "")
            words = f"the tensors under {names} are taken for the state of training, not for weights of the network"
            network = replace(network, assumptions=(*network.assumptions, Note(words, place)))
        yield network, stored


def _parts(value: Any, key: str, depth: int, above: set[int]) -> Iterator[Part]:
    if depth > _DEEPEST or id(value) in above:
        return
    if pickled_module.is_module(value):
        yield Part(key, {}, value)
        return
    alone = tensor(value)
    if alone is not None:
        yield Part(key, {"tensor": alone})
        return
    held = contents(value)
    if held is None:
        return
    above = above | {id(value)}
    if held.keys() >= _OPTIMIZER:
        yield Part(key, dict(_flattened(held, "", 0, above)), is_network=False)
        return
    packed = _packed(held)
    own: dict[str, Stored] = {}
    for name, each in held.items():
        stored = tensor(each)
        own.update(packed.get(name, {}) if stored is None else {name: stored})
    below: list[Part] = []
    for name, each in held.items():
        if name not in own and name not in packed and not isinstance(each, (str, bytes, int, float, type(None))):
            below += _parts(each, f"{key}.{name}" if key else name, depth + 1, above)
    yield from (part for part in below if part.tensors or part.module is not None)
    if own:
        yield Part(key, own, is_network=not any(p.is_network for p in below) or _are_weights(own))


def _packed(held: Mapping[str, Any]) -> dict[str, dict[str, Stored]]:
    """Return the tensors that stand together under one name of a state dict, as quantized layers keep weight and bias."""
    if not any("." in name and tensor(each) is not None for name, each in held.items()):
        return {}
    found = {}
    for name, each in held.items():
        if "." in name and isinstance(each, tuple) and any(tensor(item) is not None for item in each):
            items = {f"{name}.{at}": tensor(item) for at, item in enumerate(each) if item is not None}
            named = {key: stored for key, stored in items.items() if stored is not None}
            if len(named) == len(items):
                found[name] = named
    return found


def _are_weights(named: Mapping[str, Stored]) -> bool:
    """Tell whether tensors beside networks may be weights: counters and states of generators are not."""
    return any(stored.shape != () and stored.dtype not in _COUNTS for stored in named.values())


def _are_counters(part: Part) -> bool:
    """Tell whether a group has nothing but numbers, and lists of whole numbers such as the state of a generator."""
    return part.module is None and not any(
        stored.shape is None or len(stored.shape) > 1 or (stored.shape != () and stored.dtype not in _COUNTS)
        for stored in part.tensors.values()
    )


def contents(value: Any) -> dict[str, Any] | None:
    """Return what a mapping, a list or an object holds, by key, number or attribute."""
    entries = pickle_machine.entries(value)
    if entries is not None:
        return entries
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(each, (list, tuple)) and _is_named(each) for each in value):
            return {each[0]: each[1] for each in value}
        return {str(at): each for at, each in enumerate(value)}
    if isinstance(value, Made):
        held = pickled_module.state_of(value) or {}
        held |= {str(at): each for at, each in enumerate(value.items)}
        return held or {str(at): each for at, each in enumerate(value.arguments)}
    return None


def _is_named(pair: Sequence[Any]) -> bool:
    """Tell whether a pair is a tensor behind its name."""
    return len(pair) == 2 and isinstance(pair[0], str) and tensor(pair[1]) is not None


def _flattened(held: Mapping[str, Any], key: str, depth: int, above: set[int]) -> Iterator[tuple[str, Stored]]:
    for name, each in held.items():
        path = f"{key}.{name}" if key else name
        stored = tensor(each)
        if stored is not None:
            yield path, stored
        elif depth < _DEEPEST and id(each) not in above:
            inner = contents(each)
            if inner:
                yield from _flattened(inner, path, depth + 1, above | {id(each)})
