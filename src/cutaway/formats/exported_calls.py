"""Calls of modules in a graph of torch.export: nodes that follow each other in one, and what crosses its border."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cutaway.core.architecture import ModuleCall, Op, Value
from cutaway.formats.exported_cost import RECURRENT

_ATTENTION = "torch.nn.modules.activation.MultiheadAttention"
_DEEPEST = 32


@dataclass(frozen=True, slots=True)
class Level:
    """A module that a node is in: which call of it, its path, its class."""

    call: str
    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class Border:
    """What belongs to the graph as a whole: its weights, inputs and results."""

    weights: Collection[str]
    inputs: Sequence[Value]
    results: Sequence[Value]


@dataclass(slots=True)
class _Call:
    """One call of a module: where in the graph it begins and ends."""

    level: Level
    first: int
    last: int


def module_calls(ops: Sequence[Op], stacks: Sequence[Sequence[Level]], border: Border) -> dict[str, list[ModuleCall]]:
    """Return the calls of each module, by its path."""
    uses: dict[str, list[int]] = {}
    for at, op in enumerate(ops):
        for value in op.inputs:
            uses.setdefault(value.name, []).append(at)
    returned = {value.name for value in border.results}
    calls: dict[str, list[ModuleCall]] = {}
    for call in _ranges(stacks):
        if not call.level.path:
            calls[""] = [_module_call(border.inputs, border.results)]
            continue
        inside = ops[call.first : call.last + 1]
        produced = {value.name: value for op in inside for value in op.outputs}
        given = {
            value.name: value
            for op in inside
            for value in op.inputs
            if value.name not in produced and value.name not in border.weights
        }
        dropped = {value.name for op in inside if _is_recurrence_of(call.level, op) for value in op.outputs}
        made = [
            value
            for name, value in produced.items()
            if name in returned
            or any(not call.first <= at <= call.last for at in uses.get(name, ()))
            or (name in dropped and name not in uses)
        ]
        arguments = list(given.values())
        if call.level.kind == _ATTENTION and 0 < len(arguments) < 3:
            # Query, key and value are always given; the graph has a tensor once, whichever of them it is.
            arguments = [arguments[0], *[arguments[-1]] * 2]
        calls.setdefault(call.level.path, []).append(_module_call(arguments, made))
    return calls


def _ranges(stacks: Sequence[Sequence[Level]]) -> list[_Call]:
    running: dict[str, _Call] = {}
    every: list[_Call] = []
    for at, stack in enumerate(stacks):
        names = {level.call for level in stack}
        for name in [name for name in running if name not in names]:
            del running[name]
        for level in stack:
            if level.call not in running:
                running[level.call] = _Call(level, at, at)
                every.append(running[level.call])
            running[level.call].last = at
    return every


def _is_recurrence_of(level: Level, op: Op) -> bool:
    """Tell whether an operation is all that a recurrent layer does: it returns each result, used or not."""
    return op.module == level.path and op.op.startswith("aten.") and op.op.split(".")[1] in RECURRENT


def _module_call(inputs: Sequence[Value], outputs: Sequence[Value]) -> ModuleCall:
    return ModuleCall(
        tuple(value.shape for value in inputs),
        tuple(value.shape for value in outputs),
        tuple(value.dtype for value in inputs),
        tuple(value.dtype for value in outputs),
    )


def result_names(call_graph: Any, count: int) -> list[str]:
    """Return the paths of a program's results in what it returns, such as `logits` or `hidden.0`."""
    signature = next((entry.get("signature") for entry in call_graph if entry.get("fqn") == ""), None) or {}
    names = []
    try:
        version, spec = json.loads(signature.get("out_spec") or "null")
        if version == 1:
            names = list(_leaves(spec, ""))
    except (ValueError, TypeError, KeyError, RecursionError):
        names = []
    if len(names) == count:
        return names
    return [""] if count == 1 else [str(at) for at in range(count)]


def _leaves(spec: Any, path: str, depth: int = 0) -> Iterator[str]:
    if spec["type"] is None or depth > _DEEPEST:
        yield path
        return
    keys: Sequence[Any] = range(len(spec["children_spec"]))
    context = json.loads(spec["context"]) if isinstance(spec["context"], str) else None
    if isinstance(context, list) and len(context) == len(keys):
        keys = context
    for key, each in zip(keys, spec["children_spec"]):
        yield from _leaves(each, f"{path}.{key}" if path else str(key), depth + 1)
