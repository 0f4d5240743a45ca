"""Which modules of a network are the same again, by a key that merges nothing that differs.

Two modules are the same where class, full configuration, weights, the ordered shapes and element types of every
call, the operations that run in them, and all of that below them agree. What they are called and where they are
made does not count. A module that is the same as an earlier one has all modules below it the same as well, so
the parent of a record is always a record itself.

The weaker key, `TT`, is that of a tool which this stands in for: class name, shapes in any order, and a few
attributes. `wrongly_merged` tells what it would take for one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cutaway.core.architecture import Architecture, Module, ModuleCall, Op, Quantity, Setting, Shape, symbolic
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Size
from cutaway.passes.cost import as_quantity
from cutaway.passes.hierarchy import ancestors, children, name_below, owner, upwards

FULL, TT = "full", "tt"
KEYS = (FULL, TT)

WEAK_ATTRIBUTES = frozenset(
    """in_channels out_channels in_features out_features kernel_size stride padding dilation groups bias
    padding_mode num_features eps momentum affine track_running_stats num_heads embed_dim kdim vdim batch_first
    normalized_shape elementwise_affine""".split()
)
"""The attributes that the weaker key looks at."""


@dataclass(frozen=True, slots=True)
class UniqueModule:
    """A module and all that are the same; `parent` is the record's path that stands for its parent."""

    module: Module
    parent: str | None
    occurrences: tuple[str, ...]
    count: Quantity = 1


@dataclass(frozen=True, slots=True)
class Merge:
    """Modules that differ, and are one to the weaker key; `differences` says in what."""

    class_name: str
    paths: tuple[tuple[str, ...], ...]
    differences: tuple[str, ...]


def unique_modules(architecture: Architecture, key: str = FULL) -> list[UniqueModule]:
    """Return the unique modules in the order of their first occurrence."""
    modules = {module.path: module for module in architecture.modules}
    keys = _full_keys(architecture, modules) if key == FULL else {p: _weak_key(m) for p, m in modules.items()}
    groups: dict[Any, list[str]] = {}
    for path in modules:
        groups.setdefault(keys[path], []).append(path)
    records = []
    for group in groups.values():
        first = group[0]
        between = architecture.separator
        parent = owner(first.rpartition(between)[0], modules, between) if first else None
        if parent is not None:
            parent = groups[keys[parent]][0]
        records.append(UniqueModule(modules[first], parent, tuple(group), _count(group, modules, between)))
    return records


def _count(paths: list[str], modules: Mapping[str, Module], separator: str) -> Quantity:
    """Return how many modules there are at some paths, with all repeats; None where that is not known."""
    total: Size = 0
    for path in paths:
        times: Size = 1
        for above in ancestors(path, separator):
            repeat = modules[above].repeat if above in modules else 1
            if repeat is None:
                return None
            times = times * repeat if repeat != 1 else times
        total = total + times
    return as_quantity(total)


def wrongly_merged(architecture: Architecture) -> list[Merge]:
    """Return what the weaker key takes for the same though it differs."""
    modules = {module.path: module for module in architecture.modules}
    full = _full_keys(architecture, modules)
    groups: dict[Any, dict[Any, list[str]]] = {}
    for path, module in modules.items():
        groups.setdefault(_weak_key(module), {}).setdefault(full[path], []).append(path)
    return [
        Merge(
            modules[next(iter(group.values()))[0]].class_name,
            tuple(tuple(paths) for paths in group.values()),
            tuple(_differences([modules[paths[0]] for paths in group.values()])),
        )
        for group in groups.values()
        if len(group) > 1
    ]


def canonical(value: Setting | Mapping[str, Setting]) -> str:
    """Return a string that is equal for equal values."""
    return json.dumps(_plain(value), sort_keys=True, default=symbolic)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _full_keys(architecture: Architecture, modules: Mapping[str, Module]) -> dict[str, int]:
    """Number the modules, children first: the same ones get the same numbers."""
    below = children(modules, architecture.separator)
    weights: dict[str, list[Any]] = {}
    for weight in architecture.weights:
        path = owner(weight.module or "", modules, architecture.separator)
        own = name_below(path, weight.name) if weight.name.startswith(path) else weight.name
        weights.setdefault(path, []).append((own, weight.shape, weight.dtype, weight.kind, weight.trainable))
    ops: dict[str, list[Any]] = {}
    for op in architecture.ops:
        ops.setdefault(owner(op.module, modules, architecture.separator), []).append(op_key(op))
    numbers: dict[Any, int] = {}
    keys: dict[str, int] = {}
    for path in upwards(below):
        module = modules.get(path)
        if module is None:
            continue
        structure = (
            module.qualified_name or module.class_name,
            module.complete,
            canonical(module.config),
            tuple(weights.get(path, ())),
            tuple(_call_key(call) for call in module.calls),
            tuple(ops.get(path, ())),
            tuple((name_below(path, kid), keys[kid]) for kid in below[path]),
        )
        keys[path] = numbers.setdefault(structure, len(numbers))
    return keys


def op_key(op: Op) -> tuple[Any, ...]:
    """Return what makes an operation another one: its name, its attributes, what it reads and makes."""
    return (
        op.op,
        canonical(op.attributes),
        tuple((value.shape, value.dtype) for value in op.inputs),
        tuple((value.shape, value.dtype) for value in op.outputs),
    )


def _call_key(call: ModuleCall) -> Any:
    return call.inputs, call.outputs, call.input_dtypes, call.output_dtypes


def _weak_key(module: Module) -> Any:
    last = module.calls[-1] if module.calls else None
    config = {name: value for name, value in module.config.items() if name in WEAK_ATTRIBUTES}
    return (
        module.class_name,
        _unordered(last.inputs if last else ()),
        _unordered(last.outputs or () if last else ()),
        canonical(config),
    )


def _unordered(shapes: Iterable[Shape]) -> tuple[str, ...]:
    return tuple(sorted(map(str, shapes)))


def _differences(modules: Sequence[Module]) -> Iterable[str]:
    """Yield in what modules differ, in words."""
    names = dict.fromkeys(name for module in modules for name in module.config)
    for name in names:
        texts = list(dict.fromkeys(json.dumps(_plain(module.config.get(name)), default=symbolic) for module in modules))
        if len(texts) > 1:
            yield f"{name}: {', '.join(texts)}"
    looks: tuple[tuple[str, Callable[[Module], Any]], ...] = (
        ("input element types", lambda m: tuple(call.input_dtypes for call in m.calls)),
        ("output element types", lambda m: tuple(call.output_dtypes for call in m.calls)),
        ("the order of shapes, or the number of calls", lambda m: tuple((c.inputs, c.outputs) for c in m.calls)),
        ("the class that the name stands for", lambda m: m.qualified_name),
    )
    differs = False
    for words, look in looks:
        if len({look(module) for module in modules}) > 1:
            differs = True
            yield words
    if not differs and all(module.config == modules[0].config for module in modules):
        yield "what is in them: weights, operations or modules below"
