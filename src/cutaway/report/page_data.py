"""What the page is given: networks as plain data, with their folded tree, figures, formulas and the source beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from cutaway.core.architecture import Architecture, Module, Note, Op, Quantity, Setting, Shape, Value, Weight
from cutaway.core.place import Place
from cutaway.core.size.atom import Atom, Symbol
from cutaway.core.size.dim import Dim, Size
from cutaway.passes.condition_dependence import chance
from cutaway.passes.cost import Cost, Figure, as_quantity, measure
from cutaway.passes.diff import Difference
from cutaway.passes.example_sizes import Limit, example_sizes, limits
from cutaway.passes.fold import Node
from cutaway.passes.graph_fold import fold_for_graph
from cutaway.passes.liveness import lifetimes
from cutaway.passes.provenance import Provenance
from cutaway.passes.repeated_changes import repeated
from cutaway.report.json import plain, write_quantity
from cutaway.report.source_lines import SourceLines

_FIGURES = ("parameters", "trainable_parameters", "buffers", "weight_bytes", "macs", "activation_bytes")
_EXACT = 1 << 53
"""Numbers from here on are strings: a page would round them."""


def document(architectures: Sequence[Architecture], difference: Difference | None = None) -> dict[str, Any]:
    """Return the data of a page: the networks, and how the second differs from the first where they are compared."""
    apart = _changed(difference)
    return {
        "networks": [_Network(each, apart).document() for each in architectures],
        "difference": None if difference is None else _difference(difference),
    }


def _changed(difference: Difference | None) -> frozenset[str]:
    """Return the modules that are not folded with others, because they differ from what they were."""
    if difference is None:
        return frozenset()
    return frozenset(path for change in difference.changes for path in (change.path, change.now) if path)


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "changes": [
            {
                "kind": each.kind,
                "path": each.path,
                "class": each.class_name,
                "now": each.now or each.path,
                "details": list(each.details),
            }
            for each in difference.changes
        ],
        "groups": [{"label": each.label, "changes": list(each.indices)} for each in repeated(difference.changes)],
        "effects": [
            {"name": each.name, "before": write_quantity(each.before), "after": write_quantity(each.after)}
            for each in difference.effects
        ],
    }


class _Network:
    """One network on its way into the page; formulas and places are collected as they are met."""

    def __init__(self, architecture: Architecture, apart: Collection[str]) -> None:
        self.architecture = architecture
        self.costs = measure(architecture)
        self.apart = apart
        self.formulas: dict[str, Any] = {}
        self.presence: dict[str, Any] = {}
        self.values: dict[str, Any] = {}
        self.sources = SourceLines()

    def document(self) -> dict[str, Any]:
        """Return the network as plain data."""
        network = self.architecture
        numbers = {module.path: at for at, module in enumerate(network.modules)}
        root = fold_for_graph(network, self.costs, apart=self.apart)
        known = Provenance(network).counted()
        required = limits(network)
        content = {
            "name": network.name,
            "target": network.target,
            "framework": network.framework,
            "separator": network.separator,
            "mode": network.mode,
            "inputs": [self.value(each) for each in network.inputs],
            "outputs": [self.value(each) for each in network.outputs],
            "modules": [self.module(each) for each in network.modules],
            "weights": [self.weight(each) for each in network.weights],
            "ops": [self.op(each) for each in network.ops],
            "tree": None if root is None else self.node(root, numbers),
            "values": self.values,
            "totals": {name: self.figure(getattr(self.costs[""], name)) for name in _FIGURES},
            "lifetimes": [[each.start, each.output, each.stop] for each in lifetimes(network)],
            "unknowns": [self.note(each) for each in network.unknowns],
            "assumptions": [self.note(each) for each in network.assumptions],
            "diagnostics": [
                {
                    "code": each.code,
                    "message": each.message,
                    "place": self.place(each.place),
                    "notes": [{"text": note.text, "place": self.place(note.place)} for note in each.notes],
                }
                for each in network.diagnostics
            ],
            "conditions": [
                {"text": each.text, "kind": each.kind, "place": self.place(each.place), "holds": each.holds}
                for each in network.conditions
            ],
            "requires": None if network.requires is None else network.requires.text,
            "sizes": {
                name: {"value": size, "least": limit.least, "multiple": limit.multiple}
                for name, size in example_sizes(network).items()
                for limit in [required.get(name, Limit())]
            },
            "known": {"facts": known.facts, "unknown": known.unknown, "assumed": known.assumed},
        }
        content["formulas"] = self.formulas
        content["presence"] = self.presence
        content["sources"] = self.sources.excerpts()
        return content

    def quantity(self, amount: Quantity) -> int | str | None:
        """Return a number, the name of a formula, or null."""
        if isinstance(amount, Dim):
            text = str(amount)
            if text not in self.formulas:
                self.formulas[text] = _polynomial(amount)
            return text
        if amount is not None and abs(amount) >= _EXACT:
            self.formulas.setdefault(str(amount), [[str(amount), []]])
            return str(amount)
        return amount

    def shape(self, shape: Shape) -> list[int | str | None] | None:
        return None if shape is None else [self.quantity(size) for size in shape]

    def figure(self, figure: Figure) -> list[Any]:
        """Return the known part of a sum, and whether that is all of it."""
        return [self.quantity(as_quantity(figure.least)), int(figure.exact)]

    def condition(self, text: str | None) -> str | None:
        """Return a condition, and keep the expression that is 1 where it holds."""
        if text is not None and text not in self.presence:
            share = chance(text)
            self.presence[text] = _size(share) if share is not None else None
        return text

    def place(self, place: Place | None) -> list[Any] | None:
        return None if place is None else self.sources.cite(place)

    def value(self, value: Value) -> dict[str, Any]:
        content = {"name": value.name, "shape": self.shape(value.shape), "dtype": value.dtype}
        return _brief({**content, "condition": self.condition(value.condition)}, "condition")

    def name(self, value: Value) -> str:
        if value.name not in self.values:
            self.values[value.name] = [self.shape(value.shape), value.dtype]
        return value.name

    def module(self, module: Module) -> dict[str, Any]:
        cost = self.costs.get(module.path, Cost())
        content = {
            "path": module.path,
            "class": module.class_name,
            "qualified": module.qualified_name,
            "config": self.settings(module.config),
            "origins": dict(module.origins),
            "source": self.place(module.source),
            "calls": [
                _brief(
                    {
                        "inputs": [self.shape(shape) for shape in call.inputs],
                        "outputs": None if call.outputs is None else [self.shape(shape) for shape in call.outputs],
                        "dtypes": list(call.output_dtypes),
                        "condition": self.condition(call.condition),
                    },
                    "condition",
                )
                for call in module.calls
            ],
            "cost": [self.figure(getattr(cost, name)) for name in _FIGURES],
            "tied": cost.tied or None,
            "complete": None if module.complete else False,
            "condition": self.condition(module.condition),
            "repeat": None if module.repeat == 1 else [self.quantity(module.repeat)],
            "assumed": list(module.assumed) or None,
        }
        return _brief(content, "tied", "complete", "condition", "repeat", "assumed", "source")

    def weight(self, weight: Weight) -> dict[str, Any]:
        content = {
            "name": weight.name,
            "shape": self.shape(weight.shape),
            "dtype": weight.dtype,
            "kind": weight.kind,
            "trainable": weight.trainable,
            "tied": weight.tied_to,
            "module": weight.module,
            "condition": self.condition(weight.condition),
            "repeat": None if weight.repeat == 1 else [self.quantity(weight.repeat)],
        }
        return _brief(content, "tied", "condition", "repeat")

    def op(self, op: Op) -> dict[str, Any]:
        content = {
            "op": op.op,
            "attributes": self.settings(op.attributes),
            "inputs": [self.name(value) for value in op.inputs],
            "outputs": [self.name(value) for value in op.outputs],
            "module": op.module,
            "source": self.place(op.source),
            "macs": self.quantity(op.macs),
            "allocates": op.allocates,
            "condition": self.condition(op.condition),
            "repeat": None if op.repeat == 1 else [self.quantity(op.repeat)],
        }
        return _brief(content, "condition", "repeat", "source")

    def settings(self, settings: Mapping[str, Setting]) -> Any:
        return {key: plain(value) for key, value in settings.items() if value is not None}

    def note(self, note: Note) -> dict[str, Any]:
        return {"text": note.text, "place": self.place(note.place), "module": note.module}

    def node(self, node: Node, numbers: Mapping[str, int]) -> dict[str, Any]:
        """Return a row of the folded tree: its names, the numbers of its modules, and what is below it."""
        content = {
            "names": list(node.names),
            "modules": [numbers[module.path] for module in node.modules if module.path in numbers],
            "count": node.count,
            "children": [self.node(child, numbers) for child in node.children],
        }
        return content


def _brief(content: dict[str, Any], *optional: str) -> dict[str, Any]:
    """Leave out the optional fields that have no content."""
    return {name: value for name, value in content.items() if value is not None or name not in optional}


def _size(size: Size) -> Any:
    return _number(size) if isinstance(size, int) else _polynomial(size)


def _number(number: int) -> int | str:
    return number if abs(number) < _EXACT else str(number)


def _polynomial(size: Any) -> list[Any]:
    """Return a formula as data: a list of terms, each a coefficient and factors, each an atom and its power."""
    return [
        [_number(coefficient), [[_atom(atom), power] for atom, power in monomial]]
        for monomial, coefficient in size.terms.items()
    ]


def _atom(atom: Atom) -> Any:
    return atom.name if isinstance(atom, Symbol) else [atom.kind, _size(atom.left), _size(atom.right)]
