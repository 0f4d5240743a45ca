"""Variants of a network folded into one: what is not in all of them has the condition under which it is there.

Modules are matched below matched parents, in order, by class and the place that makes them, so that a module of a
sequence that moves up where another is missing remains the same one. Operations are matched in order by what they
are, where and in which module.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import partial
from typing import Any

from cutaway.core.architecture import (
    Alias,
    Architecture,
    Condition,
    Diagnostic,
    Module,
    ModuleCall,
    Note,
    Op,
    Quantity,
    Setting,
    Shape,
    Value,
    Weight,
)
from cutaway.core.lazy_mapping import LazyMapping
from cutaway.core.record import replace
from cutaway.core.size.dim import Dim
from cutaway.core.variant import Folded, Variant
from cutaway.passes.condition_dependence import Branch, Explainer, Leaf, Open, Tree, is_simple, quantity, when
from cutaway.passes.hierarchy import children, name_below
from cutaway.passes.join_values import Entry, Joins
from cutaway.passes.provenance import OPEN_CLASS


def fold(variants: Sequence[Variant], failed: Sequence[Mapping[str, bool]] = ()) -> Folded:
    """Return variants as one network; the first is the one that the others are compared with.

    `failed` are the ways to decide conditions that lead to no network.
    """
    if len(variants) == 1:
        return Folded(replace(variants[0].architecture, conditions=_conditions(variants)))
    folding = _Folding(variants, failed)
    architecture = folding.folded()
    return Folded(architecture, tuple(dict(one) for one in folding.explainer.wanted))


def _conditions(variants: Sequence[Variant]) -> tuple[Condition, ...]:
    """Return the conditions that were decided; one that was decided both ways is open."""
    conditions: dict[str, Condition] = {}
    for variant in variants:
        for one in variant.architecture.conditions:
            first = conditions.setdefault(one.text, one)
            if first.holds is not one.holds:
                conditions[one.text] = replace(first, holds=None)
    for variant in variants:
        for text, decision in variant.decisions.items():
            known = conditions.get(text)
            if known is None:
                conditions[text] = Condition(text, decision.kind, decision.place, decision.holds)
            elif known.holds is not decision.holds:
                conditions[text] = replace(known, holds=None)
    return tuple(conditions.values())


def _merge(
    master: list[Entry],
    keys: Sequence[Any],
    values: Sequence[Any],
    number: int,
    places: Sequence[int | None] | None = None,
) -> list[Entry]:
    """Add the sequence of another variant to the entries of those before: equal keys match in order, or as `places` say.

    What is new follows what has the same name, or what came before it.
    """
    if not master:
        return [Entry(key, {number: value}) for key, value in zip(keys, values)]
    behind: dict[int, list[Entry]] = {}
    named = {entry.key[0]: at for at, entry in enumerate(master) if entry.key[0]}
    last = -1
    for key, value, at in zip(keys, values, places or _aligned([entry.key for entry in master], keys)):
        if at is None:
            same = named.get(key[0]) if isinstance(key[0], str) else None
            behind.setdefault(last if same is None else same, []).append(Entry(key, {number: value}))
        else:
            master[at].variants[number] = value
            last = at
    if not behind:
        return master
    merged = list(behind.get(-1, ()))
    for at, entry in enumerate(master):
        merged.append(entry)
        merged += behind.get(at, ())
    return merged


def _aligned(master: Sequence[Any], keys: Sequence[Any]) -> list[int | None]:
    """Return for each key which of the earlier ones it is, in the same order, None for one that is new."""
    places: list[int | None] = []
    at = 0
    for key in keys:  # the usual case: the same keys, some of them left out
        found = at
        while found < len(master) and master[found] != key:
            found += 1
        if found == len(master):
            break
        places.append(found)
        at = found + 1
    else:
        return places
    aligned: list[int | None] = [None] * len(keys)
    for start, own, length in SequenceMatcher(None, master, keys, autojunk=False).get_matching_blocks():
        aligned[own : own + length] = range(start, start + length)
    return aligned


def _by_position(master: Sequence[Entry], keys: Sequence[Any], paths: Sequence[str]) -> list[int | None] | None:
    """Return for each module which of the earlier ones has its key and its position.

    None where most have moved, or where they are in another order.
    """
    counts = Counter(number for entry in master for number in entry.variants)
    if len(keys) not in counts.values():
        return None
    known = {(entry.key, module.path): at for at, entry in enumerate(master) for module in entry.variants.values()}
    places = [known.get((key, path)) for key, path in zip(keys, paths)]
    found = [place for place in places if place is not None]
    in_order = found == sorted(set(found))
    return places if 2 * len(found) > len(places) and in_order else None


class _Folding:
    """Variants as they are folded."""

    def __init__(self, variants: Sequence[Variant], failed: Sequence[Mapping[str, bool]]) -> None:
        self.variants = variants
        self.all = [variant.architecture for variant in variants]
        self.explainer = Explainer([variant.holds for variant in variants], failed)
        self.separator = self.all[0].separator
        self.paths: list[dict[str, Entry]] = [{} for _ in self.all]
        self.names: list[dict[str, str]] = [{} for _ in self.all]  # of values, in the folded network
        self.unknowns: dict[Note, None] = {}

    def folded(self) -> Architecture:
        """Return the network."""
        modules = self._modules()
        weights = self._weights()
        inputs = self._values("inputs")
        ops = self._ops()
        outputs = self._values("outputs")
        base = self.all[0]
        for text in self._open():
            self.unknowns.setdefault(Note(text))
        return replace(
            base,
            inputs=inputs,
            outputs=outputs,
            modules=modules,
            weights=weights,
            ops=ops,
            unknowns=(*self._notes("unknowns"), *self.unknowns),
            assumptions=self._notes("assumptions"),
            diagnostics=self._diagnostics(),
            causes=max((one.causes for one in self.all), key=len),
            conditions=_conditions(self.variants),
            results=(),  # variants may return different values
        )

    def _open(self) -> Iterable[str]:
        if self.explainer.wanted:
            yield (
                "not all combinations of conditions that something depends on together were followed; "
                "decide some of them, with --assume"
            )

    def presence(self, entry: Entry, within: Iterable[int]) -> Tree:
        return self.explainer.explain({number: number in entry.variants for number in within})

    # Modules

    def _modules(self) -> tuple[Module, ...]:
        roots: list[Entry] = []
        for number, architecture in enumerate(self.all):
            by_path = {module.path: module for module in architecture.modules}
            below = children(by_path, self.separator)
            if "" not in by_path:
                by_path[""] = Module("", architecture.name, architecture.name)
            roots = _merge(roots, [("",)], [by_path[""]], number)
            self._grow(roots[0], "", by_path, below, number)
        modules: list[Module] = []
        taken: set[str] = set()
        stack = [(roots[0], list(range(len(self.all))), "")]
        while stack:
            entry, within, parent = stack.pop()
            modules.append(self._module(entry, within, parent, taken))
            stack += [(child, list(entry.variants), entry.path) for child in reversed(entry.below)]
        return tuple(modules)

    def _grow(
        self,
        entry: Entry,
        path: str,
        modules: Mapping[str, Module],
        below: Mapping[str, Sequence[str]],
        number: int,
    ) -> None:
        self.paths[number][path] = entry
        kids = below[path]
        keys = [_module_key(name_below(path, kid), modules[kid]) for kid in kids]
        places = _by_position(entry.below, keys, kids)
        entry.below = _merge(entry.below, keys, [modules[kid] for kid in kids], number, places)
        matched = {id(child.variants[number]): child for child in entry.below if number in child.variants}
        for kid in kids:
            self._grow(matched[id(modules[kid])], kid, modules, below, number)

    def _module(self, entry: Entry, within: Iterable[int], parent: str, taken: set[str]) -> Module:
        first: Module = entry.first
        name = first.path.rpartition(self.separator)[2] if first.path else ""
        path = f"{parent}{self.separator}{name}" if parent and name else name
        entry.path = _unique(path, taken)
        variants = entry.variants
        most_calls = max(len(module.calls) for module in variants.values())
        if len({module.class_name for module in variants.values()}) > 1:  # the network itself
            first = replace(first, class_name="", qualified_name="")
            self.unknowns.setdefault(Note(OPEN_CLASS))
        return replace(
            first,
            path=entry.path,
            condition=when(self.presence(entry, within)),
            config=self._blend_config({number: module.config for number, module in variants.items()}),
            calls=tuple(
                call
                for at in range(most_calls)
                for call in self._calls({n: m.calls[at] if at < len(m.calls) else None for n, m in variants.items()})
            ),
            complete=all(module.complete for module in variants.values()),
            repeat=quantity(self.explainer.explain({n: m.repeat for n, m in variants.items()})),
            otherwise=self._aliases({n: m.path for n, m in variants.items()}, first.path),
            origins=LazyMapping(partial(_origins, list(variants.values()))),
            assumed=_assumed(variants.values()),
        )

    def _aliases(self, names: Mapping[int, str], main: str) -> tuple[Alias, ...]:
        """Return the names that something has under conditions, other than its main one.

        A module of a sequence goes by its position, whatever conditions decide that together.
        """
        aliases: list[Alias] = []
        for name in dict.fromkeys(names.values()):
            if name != main:
                tree = self.explainer.explain({number: other == name for number, other in names.items()}, ask=False)
                aliases.append(Alias(when(tree) or "", name))
        return tuple(aliases)

    def _calls(self, by_variant: Mapping[int, ModuleCall | None]) -> Iterable[ModuleCall]:
        """Yield a call as it is in all variants; where they differ in more than sizes, once for each of these ways."""
        ways: dict[Any, dict[int, ModuleCall]] = {}
        for number, call in by_variant.items():
            if call is not None:
                ways.setdefault(_call_key(call), {})[number] = call
        for calls in ways.values():
            first = next(iter(calls.values()))
            outputs = {number: call.outputs or () for number, call in calls.items()}
            yield replace(
                first,
                inputs=self._shapes({number: call.inputs for number, call in calls.items()}),
                outputs=None if first.outputs is None else self._shapes(outputs),
                condition=when(self.explainer.explain({number: number in calls for number in by_variant})),
                assumed=_assumed(calls.values()),
            )

    def _shapes(self, several: Mapping[int, tuple[Shape, ...]]) -> tuple[Shape, ...]:
        count = len(next(iter(several.values())))
        return tuple(self.shape({number: shapes[at] for number, shapes in several.items()}) for at in range(count))

    def shape(self, shapes: Mapping[int, Shape]) -> Shape:
        """Return a shape whose sizes are decided by conditions; None where the number of dimensions is."""
        first = next(iter(shapes.values()))
        if all(shape == first for shape in shapes.values()):
            return first
        known = [shape for shape in shapes.values() if shape is not None]
        if len(known) < len(shapes) or len({len(shape) for shape in known}) > 1:
            return None
        return tuple(
            self._quantity({number: (shape or ())[at] for number, shape in shapes.items()})
            for at in range(len(known[0]))
        )

    def _quantity(self, sizes: Mapping[int, Quantity]) -> Quantity:
        first = next(iter(sizes.values()))
        if all(size == first for size in sizes.values()):
            return first
        if None in sizes.values():
            return None
        return quantity(self.explainer.explain(sizes))

    def _blend_config(self, configs: Mapping[int, Mapping[str, Setting]]) -> Mapping[str, Setting]:
        return LazyMapping(partial(self._settings, configs))

    def _settings(self, configs: Mapping[int, Mapping[str, Setting]]) -> dict[str, Setting]:
        first = next(iter(configs.values()))
        if all(config == first for config in configs.values()):
            return dict(first)
        keys = dict.fromkeys(key for config in configs.values() for key in config)
        return {key: self._setting({n: config.get(key) for n, config in configs.items()}) for key in keys}

    def _setting(self, values: Mapping[int, Setting]) -> Setting:
        tree = self.explainer.explain(values, ask=False)
        if isinstance(tree, Leaf):
            return tree.value  # type: ignore[no-any-return]
        sizes = {number: _size(value) for number, value in values.items()}
        if None not in sizes.values():
            size = quantity(self.explainer.explain(sizes, ask=False))
            return size if isinstance(size, Dim) else {"symbolic": size}
        return _choice(tree)

    # Weights

    def _weights(self) -> tuple[Weight, ...]:
        master: list[Entry] = []
        for number, architecture in enumerate(self.all):
            keys = [self._weight_key(weight, number) for weight in architecture.weights]
            master = _merge(master, keys, architecture.weights, number)
        taken: set[str] = set()
        for entry in master:
            module, local = entry.key[0], entry.key[1]
            path = module.path if module is not None else ""
            path = f"{path}{self.separator}{local}" if path else local
            names = {weight.name for weight in entry.variants.values()}
            entry.path = _unique(path if _plain(path) in names else entry.first.name, taken)
            for number, weight in entry.variants.items():
                self.names[number].setdefault(weight.name, entry.path)
        return tuple(self._weight(entry) for entry in master)

    def _weight_key(self, weight: Weight, number: int) -> Any:
        module = self.paths[number].get(weight.module or "")
        local = name_below(weight.module or "", weight.name) if weight.module else weight.name
        return module, local, weight.kind, weight.tied_to, weight.dtype, weight.trainable

    def _weight(self, entry: Entry) -> Weight:
        variants: dict[int, Weight] = entry.variants
        first: Weight = entry.first
        number = next(iter(variants))
        ties = {n: None if w.tied_to is None else self.names[n].get(w.tied_to) for n, w in variants.items()}
        module = self.paths[number].get(first.module or "")
        return replace(
            first,
            name=entry.path,
            module=module.path if module is not None else first.module,
            shape=self.shape({n: w.shape for n, w in variants.items()}),
            tied_to=ties[number] if len(set(ties.values())) == 1 else None,
            condition=when(self.presence(entry, range(len(self.all)))),
            repeat=self._quantity({n: w.repeat for n, w in variants.items()}),
            otherwise=self._aliases({n: w.name for n, w in variants.items()}, _plain(entry.path)),
            assumed=_assumed(variants.values()),
        )

    # Operations

    def _ops(self) -> tuple[Op, ...]:
        master: list[Entry] = []
        for number, architecture in enumerate(self.all):
            keys = [
                (self.paths[number].get(op.module), op.op, op.source, len(op.inputs), len(op.outputs))
                for op in architecture.ops
            ]
            master = _merge(master, keys, architecture.ops, number)
        fresh = 0
        for entry in master:
            for at in range(entry.key[4]):
                fresh += 1
                for number, op in entry.variants.items():
                    self.names[number].setdefault(op.outputs[at].name, f"v{fresh}")
        joins = Joins(self, master)
        for entry in master:
            inputs = tuple(joins.value(entry, at) for at in range(entry.key[3]))
            joins.ops.append(self._op(entry, inputs))
            joins.inputs[id(entry)] = [value.name for value in inputs]
        return tuple(joins.ops)

    def _op(self, entry: Entry, inputs: tuple[Value, ...]) -> Op:
        variants: dict[int, Op] = entry.variants
        first: Op = entry.first
        number = next(iter(variants))
        outputs = tuple(
            Value(
                self.name(number, first.outputs[at].name),
                self.shape({n: op.outputs[at].shape for n, op in variants.items()}),
                _common(op.outputs[at].dtype for op in variants.values()),
            )
            for at in range(len(first.outputs))
        )
        module = self.paths[number].get(first.module)
        return replace(
            first,
            attributes=self._blend_config({n: op.attributes for n, op in variants.items()}),
            inputs=inputs,
            outputs=outputs,
            module=module.path if module is not None else first.module,
            macs=self._quantity({n: op.macs for n, op in variants.items()}),
            condition=when(self.presence(entry, range(len(self.all)))),
            repeat=self._quantity({n: op.repeat for n, op in variants.items()}),
            assumed=_assumed(variants.values()),
        )

    def name(self, number: int, name: str) -> str:
        return self.names[number].get(name, name)

    # What the network takes and gives, and notes

    def _values(self, side: str) -> tuple[Value, ...]:
        master: list[Entry] = []
        for number, architecture in enumerate(self.all):
            values: tuple[Value, ...] = getattr(architecture, side)
            master = _merge(master, [(value.name,) for value in values], values, number)
        return tuple(
            replace(
                entry.first,
                shape=self.shape({n: value.shape for n, value in entry.variants.items()}),
                dtype=_common(value.dtype for value in entry.variants.values()),
                condition=when(self.presence(entry, range(len(self.all)))),
                assumed=_assumed(entry.variants.values()),
            )
            for entry in master
        )

    def _notes(self, side: str) -> tuple[Note, ...]:
        """Return notes; one that does not concern all variants says which it does."""
        return tuple(self._conditional(side, lambda note, text: replace(note, text=f"{note.text} [if {text}]")))

    def _diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(
            self._conditional("diagnostics", lambda one, text: replace(one, message=f"{one.message} [if {text}]"))
        )

    def _conditional(self, side: str, conditional: Callable[[Any, str], Any]) -> Iterable[Any]:
        concerned: dict[Any, set[int]] = {}
        for number, architecture in enumerate(self.all):
            for note in getattr(architecture, side):
                concerned.setdefault(note, set()).add(number)
        for note, numbers in concerned.items():
            tree = self.explainer.explain({number: number in numbers for number in range(len(self.all))}, ask=False)
            text = when(tree) if is_simple(tree) else "of some conditions"
            yield note if text is None else conditional(note, text)


def _assumed(entries: Iterable[Any]) -> tuple[str, ...]:
    """Return what any of several entries depends on of what is assumed about the program."""
    return tuple(dict.fromkeys(text for entry in entries for text in entry.assumed))


def _call_key(call: ModuleCall) -> Any:
    """Return what two calls have in common that differ at most in sizes."""
    shapes = call.inputs, call.outputs
    ranks = [None if several is None else [None if one is None else len(one) for one in several] for several in shapes]
    return repr(ranks), call.input_dtypes, call.output_dtypes


def _common(values: Iterable[str | None]) -> str | None:
    """Return the one value that several are, None where they differ."""
    different = set(values)
    return different.pop() if len(different) == 1 else None


def _module_key(name: str, module: Module) -> Any:
    """Return what makes a module the same one in another variant; a position in a sequence does not."""
    numbered = re.fullmatch(r"\d+|\{.*\}", name)
    return "" if numbered else name, module.qualified_name or module.class_name, module.source


def _unique(path: str, taken: set[str]) -> str:
    """Return a path that no other has: alternatives under one name are numbered, as `norm#2`."""
    unique, number = path, 1
    while unique in taken:
        number += 1
        unique = f"{path}#{number}"
    taken.add(unique)
    return unique


def _plain(path: str) -> str:
    """Return a path as the program has it, without the numbers of alternatives."""
    return re.sub(r"#\d+", "", path)


def _origins(modules: Sequence[Module]) -> dict[str, Setting]:
    """Return how each argument is known; one that a condition decides is symbolic."""
    first = modules[0]
    return {
        name: origin if all(other.config.get(name) == first.config.get(name) for other in modules) else "symbolic"
        for name, origin in first.origins.items()
    }


def _size(value: Setting) -> Quantity:
    """Return a setting that is a size, None for any other."""
    return value if type(value) is int or isinstance(value, Dim) else None


def _choice(tree: Tree) -> Setting:
    if isinstance(tree, Branch):
        return {"if": tree.condition, "then": _choice(tree.then), "else": _choice(tree.otherwise)}
    if isinstance(tree, Open):
        return {"unknown": f"it depends on {', '.join(tree.conditions)} together"}
    return tree.value  # type: ignore[no-any-return]
