"""Modules that were pickled whole: the tree, classes, settings and weights, from the state that they would be given."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from cutaway.core.architecture import Architecture, Module, Note, Setting
from cutaway.core.error import one_line
from cutaway.core.place import Place
from cutaway.formats import pickle_machine, weights
from cutaway.formats.pickle_machine import Made, Name, Persistent
from cutaway.formats.pickled_setting import NotPlain, setting
from cutaway.formats.pickled_tensor import Stored, tensor

NOT_CALLED = "the file has the modules and their weights, not what is computed with them"
_SCRIPTED = "__torch__"
_TRACED = "torch.fx.graph_module.reduce_graph_module"
_MANGLED = re.compile(r"___torch_mangle_\d+\.")
_MOST = 1_000_000
_MOST_PATHS = 100_000
_DEEPEST = 100
_LONGEST = 64


@dataclass(frozen=True, slots=True)
class _Part:
    """A module: its class, its settings, what it holds."""

    kind: str
    settings: dict[str, Setting]
    modules: dict[str, Made]
    tensors: list[tuple[str, Stored, str | None]]
    complete: bool = True


def is_module(value: Any) -> bool:
    """Tell whether a description is that of a module with its state."""
    return class_of(value) is not None and state_of(value) is not None and _part(value) is not None


def architecture(root: Made, *, name: str, target: str) -> tuple[Architecture, list[tuple[str, Stored]]]:
    """Return the network of a pickled module, and its tensors."""
    modules = []
    found: list[tuple[str, Stored, str | None]] = []
    for path, part, is_first in _walk(root):
        if is_first:
            modules.append(Module(path, part.kind.rpartition(".")[2], part.kind, part.settings, complete=part.complete))
        found += [(f"{path}.{own}" if path else own, stored, kind) for own, stored, kind in part.tensors]
    place = Place(target.partition("::")[0])
    listed = tuple(weights.listed(found))
    alike = any(weight.kind == "tensor" for weight in listed)
    made = Architecture(
        name=name,
        target=target,
        framework="pytorch",
        modules=tuple(modules),
        weights=(*(w for w in listed if w.kind != "buffer"), *(w for w in listed if w.kind == "buffer")),
        unknowns=(Note(NOT_CALLED, place),),
        assumptions=(Note(weights.ALIKE, place),) if alike else (),
    )
    return made, [(own, stored) for own, stored, _ in found]


def in_words(value: Any) -> str:
    """Say what was saved in place of a network."""
    entries = pickle_machine.entries(value)
    if entries is not None:
        return f"a dict with {', '.join(map(one_line, list(entries)[:8])) or 'nothing in it'}"
    if isinstance(value, Made) and class_of(value) is None:
        return "what a call returns"
    return one_line(f"a {class_of(value) or type(value).__name__}")


def _walk(root: Made) -> Iterator[tuple[str, _Part, bool]]:
    """Yield modules, parents first, under each path that leads to them, and whether the path is the first one."""
    parts: dict[int, _Part] = {}
    for path, module in paths(root, lambda each: _part_of(each, parts).modules):
        is_first = id(module) not in parts
        yield path, _part_of(module, parts), is_first


def _part_of(module: Made, parts: dict[int, _Part]) -> _Part:
    if id(module) not in parts:
        kind = class_of(module)
        parts[id(module)] = _part(module) or _Part(one_line(str(kind)) if kind else "", {}, {}, [], False)
    return parts[id(module)]


def paths(root: Made, children: Callable[[Made], Mapping[str, Made]]) -> Iterator[tuple[str, Made]]:
    """Yield the modules of a tree, parents first, under every path; in one that shares too many, under the first alone.

    A module that contains itself is not yielded again below itself.
    """
    seen: set[int] = set()
    waiting: list[tuple[str, Made, tuple[int, ...]]] = [("", root, ())]
    count = 0
    while waiting and len(seen) < _MOST:
        path, module, above = waiting.pop()
        count += 1
        if id(module) in above or (id(module) in seen and (count > _MOST_PATHS or len(above) > _DEEPEST)):
            continue
        seen.add(id(module))
        yield path, module
        inner = (*above, id(module))
        below = [(f"{path}.{name}" if path else name, child, inner) for name, child in children(module).items()]
        waiting.extend(reversed(below))


def class_of(value: Any) -> Name | None:
    """Return the class of a described object."""
    if not isinstance(value, Made):
        return None
    maker = value.maker
    if isinstance(maker, Name) and maker.name in ("_reconstructor", "__newobj__") and value.arguments:
        maker = value.arguments[0]
    if str(maker) == _TRACED:
        return Name("torch.fx.graph_module", "GraphModule")
    return unwrapped(maker)


def unwrapped(maker: Any) -> Name | None:
    """Return the name of a class; the legacy format keeps those of modules with their source, outside of the pickle."""
    if isinstance(maker, Persistent) and isinstance(maker.key, tuple) and maker.key[:1] == ("module",):
        maker = maker.key[1] if len(maker.key) > 1 else None
    return maker if isinstance(maker, Name) else None


def state_of(value: Made) -> dict[str, Any] | None:
    """Return the attributes that an object would be given."""
    state = value.state
    if str(value.maker) == _TRACED and value.arguments:
        return pickle_machine.entries(value.arguments[0])
    if isinstance(state, tuple) and len(state) == 2:  # of a class with slots
        state = state[0]
    return pickle_machine.entries(state)


def _part(value: Made) -> _Part | None:
    kind, state = class_of(value), state_of(value)
    if kind is None or state is None:
        return None
    if kind.module.partition(".")[0] == _SCRIPTED:
        return _scripted(kind, state)
    held = {name: pickle_machine.entries(state.get(name)) for name in ("_parameters", "_buffers", "_modules")}
    if None in held.values():
        return None
    found: list[tuple[str, Stored, str | None]] = []
    passing = non_persistent(state)
    for holder, what in (("_parameters", "parameter"), ("_buffers", "buffer")):
        for name, each in (held[holder] or {}).items():
            if each is not None:
                stored = tensor(each) or Stored(None, None, None)
                found.append((name, replace(stored, persistent=name not in passing), what))
    modules = {name: child for name, child in (held["_modules"] or {}).items() if isinstance(child, Made)}
    settings: dict[str, Setting] = {}
    if "bias" in (held["_parameters"] or {}):
        settings["bias"] = (held["_parameters"] or {})["bias"] is not None
    for name, each in state.items():
        if not name.startswith("_") and name != "training":
            with suppress(NotPlain):
                settings[name] = setting(each)
    return _Part(one_line(str(kind)), settings, modules, found)


def non_persistent(state: dict[str, Any]) -> set[str]:
    """Return the names of a module's buffers that a state dict leaves out."""
    return {name for name in pickle_machine.members(state.get("_non_persistent_buffers_set")) if isinstance(name, str)}


def _scripted(kind: Name, state: dict[str, Any]) -> _Part:
    """Return a module of TorchScript, whose state is its attributes."""
    modules: dict[str, Made] = {}
    settings: dict[str, Setting] = {}
    found: list[tuple[str, Stored, str | None]] = []
    for name, value in state.items():
        stored = tensor(value)
        if stored is not None:
            found.append((name, stored, None))
        elif isinstance(value, Made) and (class_of(value) or Name("", "")).module.partition(".")[0] == _SCRIPTED:
            modules[name] = value
        elif not name.startswith("_") and name != "training" and is_plain(value):
            settings[name] = value
    full = _MANGLED.sub("", str(kind)).removeprefix(f"{_SCRIPTED}.")
    return _Part(one_line(full), settings, modules, found)


def is_plain(value: Any) -> bool:
    """Tell whether an attribute is a setting: a number, a string, or a short list of them."""
    if isinstance(value, (tuple, list)):
        return len(value) <= _LONGEST and all(type(item) in (int, float, bool, str) for item in value)
    return value is None or type(value) in (int, float, bool) or (type(value) is str and len(value) <= 300)
