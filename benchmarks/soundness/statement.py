"""What a result of Cutaway states about one run: facts, and of which facts it says that there are no others.

A result describes a network for every way in which its open conditions can be decided. Where they are decided, each
module, weight, call, output and operation is there or not, and each size is a number or unknown. What counts as
stated then is what the documentation of the JSON form says:

- A module, a weight, an output, a call, an operation that is listed is there; of a call without outputs it is not
  stated what comes out of it. A size that is None, or an
  expression in symbols other than conditions, is not stated; nor is a configuration value that is unknown.
- A module whose class name is empty is there; which class it has is not stated.
- A module that is `complete` has no modules and no weights directly below it but those that are listed. One that is not
  excuses what is missing below it, and nothing else; what is listed below it is stated all the same.
- A module's forward pass is *doubtful* if an unknown concerns the module, or a call of it gives None. Inside of it, more
  operations and more calls may take place than are listed, not fewer. Elsewhere the list is all there is.
- How often something in a loop takes place is not stated where an operation has another `repeat` than 1, nor are the
  calls of the modules around that operation.
- Outputs are all outputs, unless one of them has no shape: it may be any nested value.
- A total that is a number is that number.
- What is marked as assumed may be otherwise where the assumption does not hold: a module and what it consists of, a
  weight, a call, an operation, an output. So may a total of which a part is. Everything else is stated of every run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.soundness.conditions import Valuation, atoms, bracketed, holds, number, setting
from benchmarks.soundness.truth import CONFIGURED, IGNORED, Key
from cutaway.core.architecture import EITHER, Alias, Architecture, Module, ModuleCall, Op, Quantity, Shape
from cutaway.core.size.dim import Dim

TOTALS = ("parameters", "trainable_parameters", "buffers", "weight_bytes", "macs")
_ALTERNATIVE = re.compile(r"#\d+")


@dataclass
class Instance:
    """What is stated about the runs in which conditions are decided one way.

    `facts` has None for a size that is not stated. `order` are modules in the order in which they are listed.
    `at_least` has how many calls, or operations of a name, there are in a doubtful module. `assumed` are the facts that
    depend on something assumed about the program.
    """

    facts: dict[Key, Any] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    at_least: dict[Key, int] = field(default_factory=dict)
    complete: set[str] = field(default_factory=set)
    incomplete: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    looped: set[str] = field(default_factory=set)
    all_outputs: bool = False
    clashes: list[str] = field(default_factory=list)
    assumed: set[Key] = field(default_factory=set)

    def is_closed(self, key: Key) -> bool:
        """Tell whether it is stated that there is nothing under a key that is not listed."""
        kind, path = key[0], key[1]
        if kind == "module":
            return path != "" and self._is_whole(_parent(path))
        if kind == "weight":
            owner = _parent(path)
            return owner in self.complete and self._is_whole(owner)
        if kind == "output":
            return self.all_outputs
        if kind == "call":
            return self._is_listed(path) and path not in self.looped and not self._in_doubt(_above(path))
        if kind == "op":
            return self._is_listed(path) and path not in self.looped and not self._in_doubt([path, *_above(path)])
        return False

    def is_assumed(self, key: Key) -> bool:
        """Tell whether a fact, or that there is none under a key, depends on something assumed about the program."""
        kind, path = key[0], key[1]
        if kind == "total":
            return self._any("op", "call") if path == "macs" else self._any("module", "weight")
        if kind == "order":
            return self._any("module")
        if kind == "config":
            return ("module", path) in self.assumed
        if kind in ("module", "weight"):
            return key in self.assumed or any(("module", each) in self.assumed for each in _above(path))
        if key in self.assumed or kind == "output":
            return key in self.assumed or (key not in self.facts and ("call", "", 0) in self.assumed)
        missing = kind in ("calls", "ops") or key not in self.facts
        around = {path, *_above(path)}
        return missing and any(each[0] == "call" and each[1] in around for each in self.assumed)

    def _any(self, *kinds: str) -> bool:
        return any(key[0] in kinds for key in self.assumed)

    def _is_listed(self, path: str) -> bool:
        return ("module", path) in self.facts

    def _is_whole(self, path: str) -> bool:
        """Tell whether a module and all that contain it are listed and complete."""
        return all(each in self.complete for each in [path, *_above(path)])

    def _in_doubt(self, paths: Iterable[str]) -> bool:
        return any(each in self.doubtful for each in paths)


def _parent(path: str) -> str:
    return path.rpartition(".")[0]


def _above(path: str) -> Iterator[str]:
    while path:
        path = _parent(path)
        yield path


def conditions_of(result: Architecture) -> set[str]:
    """Return the single conditions in a result."""
    words: set[str] = set()
    sizes: list[Quantity] = [getattr(result.totals, name) for name in TOTALS]
    for module in result.modules:
        words.update(_words(module))
        words.update(filter(None, (call.condition for call in module.calls)))
        for call in module.calls:
            sizes.extend(size for shape in (*call.inputs, *(call.outputs or ())) for size in shape or ())
        for argument in module.config.values():
            words.update(_in_setting(argument, sizes))
    for weight in result.weights:
        words.update(_words(weight))
        sizes.extend(weight.shape or ())
    for value in result.outputs:
        words.update(filter(None, [value.condition]))
        sizes.extend(value.shape or ())
    for op in result.ops:
        words.update(filter(None, [op.condition]))
        sizes.extend(size for value in op.outputs for size in value.shape or ())
    words.update(text for size in sizes if isinstance(size, Dim) for text in bracketed(str(size)))
    return {atom for text in words for atom in atoms(text)}


def _words(entry: Any) -> Iterator[str]:
    yield from filter(None, [entry.condition])
    yield from map(_alias_condition, entry.otherwise)


def _alias_condition(alias: Alias) -> str:
    """Return when something has another name; where that is open, each of its names may be the one."""
    is_open = alias.condition.startswith("it depends on ")
    return f"{alias.condition}: {alias.name}" if is_open else alias.condition


def _in_setting(value: Any, sizes: list[Quantity]) -> Iterator[str]:
    if isinstance(value, dict) and "if" in value:
        yield value["if"]
        yield from _in_setting(value["then"], sizes)
        yield from _in_setting(value["else"], sizes)
    elif isinstance(value, Dim):
        sizes.append(value)


class _Reading:
    def __init__(self, result: Architecture, valuation: Valuation) -> None:
        self.result, self.valuation = result, valuation
        self.instance = Instance()
        self.paths: dict[str, str] = {}  # of the modules that are there, in the result -> in this instance

    def size(self, size: Quantity) -> int | None:
        return number(str(size), self.valuation) if isinstance(size, Dim) else size

    def shape(self, shape: Shape) -> tuple[int | None, ...] | None:
        return None if shape is None else tuple(self.size(size) for size in shape)

    def shapes(self, shapes: Sequence[Shape]) -> tuple[Any, ...]:
        return tuple(self.shape(shape) for shape in shapes)

    def name(self, entry: Any, own: str) -> str:
        for alias in entry.otherwise:
            if holds(_alias_condition(alias), self.valuation):
                return str(alias.name)
        return _ALTERNATIVE.sub("", own)

    def enter(self, key: Key, value: Any, entry: Any) -> None:
        if entry.assumed:
            self.instance.assumed.add(key)
        if key in self.instance.facts:
            self.instance.clashes.append(f"{key[0]} {key[1]} is listed twice")
        self.instance.facts[key] = value

    def read(self) -> Instance:
        """Return what is stated."""
        for module in self.result.modules:
            self.module(module)
        self.weights()
        self.outputs()
        self.calls()
        self.operations()
        for name in TOTALS:
            value = self.size(getattr(self.result.totals, name))
            if value is not None:
                self.instance.facts["total", name] = value
        return self.instance

    def module(self, module: Module) -> None:
        above = _parent(module.path)
        if (module.path and above not in self.paths) or not holds(module.condition, self.valuation):
            return
        if module.repeat != 1 or "{" in module.path:
            self.instance.complete.discard(self.paths.get(above, ""))
            self.instance.incomplete.add(self.paths.get(above, ""))
            return
        path = self.paths[module.path] = self.name(module, module.path)
        self.enter(("module", path), module.class_name or None, module)
        if module.condition is None:
            self.instance.order.append(path)
        (self.instance.complete if module.complete else self.instance.incomplete).add(path)
        for name in CONFIGURED.get(module.class_name, ()):
            value = setting(module.config.get(name), self.valuation)
            if isinstance(value, (int, float)):
                self.instance.facts["config", path, name] = value

    def weights(self) -> None:
        names: dict[str, str] = {}
        for weight in self.result.weights:
            if weight.module not in self.paths or not holds(weight.condition, self.valuation):
                continue
            if weight.repeat != 1:
                self.instance.complete.discard(self.paths[weight.module])
                continue
            name = names[weight.name] = self.name(weight, weight.name)
            tied = names.get(weight.tied_to, weight.tied_to) if weight.tied_to else ""
            described = (self.shape(weight.shape), weight.dtype, weight.kind, weight.trainable, tied)
            self.enter(("weight", name), described, weight)

    def outputs(self) -> None:
        there = [value for value in self.result.outputs if holds(value.condition, self.valuation)]
        vague = [value for value in there if value.shape is None]
        for value in there:
            if value.shape is not None:
                self.enter(("output", value.name), (self.shape(value.shape), value.dtype), value)
        followed = bool(there) and all(call.outputs is not None for call in self._root_calls())
        self.instance.all_outputs = followed and not vague

    def _root_calls(self) -> list[ModuleCall]:
        return [call for module in self.result.modules if not module.path for call in module.calls]

    def calls(self) -> None:
        instance = self.instance
        doubted = {note.module for note in self.result.unknowns if note.module is not None}
        looping = [op.module for op in self.result.ops if op.repeat != 1]
        made: dict[str, list[ModuleCall]] = {}
        for module in self.result.modules:
            if module.path not in self.paths:
                continue
            path = self.paths[module.path]
            made[path] = [call for call in module.calls if holds(call.condition, self.valuation)]
            if any(call.outputs is None or None in call.outputs for call in made[path]) or module.path in doubted:
                instance.doubtful.add(path)
            if any(f"{each}.".startswith(f"{module.path}.") for each in looping if module.path):
                instance.looped.add(path)
        if not self._root_calls():
            instance.doubtful.add("")
        for path, calls in made.items():
            instance.assumed.update(("call", path, at) for at, call in enumerate(calls) if call.assumed)
            if path in instance.looped:
                continue
            if any(each in instance.doubtful for each in _above(path)):
                instance.at_least["calls", path] = len([call for call in calls if call.outputs is not None])
                continue
            for at, call in enumerate(calls):
                outputs = (None,) if call.outputs is None else self.shapes(call.outputs)
                instance.facts["call", path, at] = (self.shapes(call.inputs), outputs)

    def operations(self) -> None:
        instance = self.instance
        by_module: dict[str, list[Op]] = {}
        for op in self.result.ops:
            if op.op in IGNORED or op.op == EITHER or op.module not in self.paths:
                continue
            if not holds(op.condition, self.valuation):
                continue
            path = self.paths[op.module]
            if op.repeat != 1:
                instance.looped.add(path)
            by_module.setdefault(path, []).append(op)
        for path, done in by_module.items():
            instance.assumed.update(("op", path, at) for at, op in enumerate(done) if op.assumed)
            if path in instance.looped:
                continue
            if any(each in instance.doubtful for each in [path, *_above(path)]):
                for op in done:
                    key = ("ops", path, op.op)
                    instance.at_least[key] = instance.at_least.get(key, 0) + 1
                continue
            for at, op in enumerate(done):
                instance.facts["op", path, at] = (op.op, self.shapes([value.shape for value in op.outputs]))


def instance_of(result: Architecture, valuation: Valuation) -> Instance:
    """Return what a result states where its conditions are decided in one way."""
    return _Reading(result, valuation).read()
