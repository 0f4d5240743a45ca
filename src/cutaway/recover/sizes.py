"""Sizes that are not numbers: how the code gets them from the tensors at hand."""

from __future__ import annotations

from typing import Any

from cutaway.core.record import dataclass
from cutaway.core.size.atom import FLOORDIV, MAX, MIN, MOD, QUOTIENT, Func, Symbol
from cutaway.core.size.dim import Dim, symbols
from cutaway.core.size.polynomial import divide
from cutaway.recover.graph import Graph, Input, Literal, Node, Numbers, Path


@dataclass(frozen=True, slots=True)
class SizeOf:
    """The size of a dimension of an input of the node."""

    place: int
    axis: int


@dataclass(frozen=True, slots=True)
class Formula:
    """A size that is computed: text between numbers and sizes of tensors."""

    parts: tuple[Any, ...]


class _Inexpressible(Exception):
    """A size that no tensor at hand tells."""


def settle(graph: Graph) -> None:
    """Replace symbolic sizes in the arguments of all nodes by sizes of tensors, which the nodes then read."""
    at_hand = _AtHand(graph)
    for name in graph.inputs:
        at_hand.enter(name, ())
    for node in graph.nodes:
        settled = _Settled(graph, node, at_hand)
        try:
            _reshape(settled, node)
            node.config = {name: settled.value(value) for name, value in node.config.items()}
            node.inputs = [
                Literal(settled.value(each.value)) if isinstance(each, Literal) else each for each in node.inputs
            ]
            node.inputs += settled.extra
            node.sized = len(settled.extra)
        except _Inexpressible as error:
            node.missing = f"{node.op}: no tensor at hand has the size {error}"
            node.op, node.config, node.weights, node.sized = "missing", {}, {}, 0
            node.inputs = list(node.reads())
        for name in node.outputs:
            at_hand.enter(name, node.path)


class _AtHand:
    """The tensors that tell sizes, by the modules in which they are at hand: made there, taken in, or returned by a part."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.readers: dict[str, list[Path]] = {}
        for node in graph.nodes:
            for name in node.reads():
                self.readers.setdefault(name, []).append(node.path)
        self.equal: dict[tuple[Path, Dim], tuple[str, int]] = {}
        self.plain: dict[tuple[Path, str], tuple[str, int]] = {}
        self.multiples: dict[str, tuple[str, int, int]] = {}

    def enter(self, name: str, path: Path) -> None:
        """Note what sizes a tensor has that is made in a module."""
        sizes = [(axis, size) for axis, size in enumerate(self.graph.shape(name) or ()) if isinstance(size, Dim)]
        if not sizes:
            return
        places = {path}
        for reader in self.readers.get(name, ()):
            shared = len(_common(path, reader))
            places.update(path[:depth] for depth in range(shared, len(path)))
            places.update(reader[:depth] for depth in range(shared, len(reader) + 1))
        for axis, size in sizes:
            for place in places:
                self.equal.setdefault((place, size), (name, axis))
            names = symbols(size)
            if len(names) != 1:
                continue
            (only,) = names
            plain = Dim({((only, 1),): 1})
            times = divide(size, plain)
            if size == plain:
                for place in places:
                    self.plain.setdefault((place, only.name), (name, axis))
            elif isinstance(times, int) and times > 0:
                self.multiples.setdefault(only.name, (name, axis, times))


def _reshape(settled: _Settled, node: Node) -> None:
    """Let the framework compute the size that is not simply one of the input's."""
    if node.op not in (".reshape", "ops.reshape"):
        return
    sizes = list(node.config["sizes"])
    unknown = [place for place, size in enumerate(sizes) if isinstance(size, Dim)]
    simple = [place for place in unknown if settled.own(sizes[place]) is not None]
    free = unknown if len(unknown) == 1 else [place for place in unknown if place not in simple]
    if free and -1 not in sizes:
        sizes[free[-1]] = -1
    node.config["sizes"] = tuple(sizes)


class _Settled:
    """The sizes of one node."""

    def __init__(self, graph: Graph, node: Node, at_hand: _AtHand) -> None:
        self.graph = graph
        self.node = node
        self.at_hand = at_hand
        self.extra: list[str] = []

    def value(self, value: Any) -> Any:
        """Return an argument with its sizes replaced."""
        if isinstance(value, Dim):
            return self._size(value)
        if isinstance(value, (tuple, list)):
            return type(value)(self.value(each) for each in value)
        if isinstance(value, slice):
            return slice(self.value(value.start), self.value(value.stop), value.step)
        return value

    def own(self, size: Dim) -> SizeOf | None:
        """Return the dimension of an input of the node that has a size."""
        for place, operand in enumerate(self.node.inputs):
            shape = self.graph.shape(operand) if isinstance(operand, str) else None
            for axis, each in enumerate(shape or ()):
                if each == size:
                    return SizeOf(place, axis)
        return None

    def _size(self, size: Dim) -> Any:
        own = self.own(size)
        if own is not None:
            return own
        there = self.at_hand.equal.get((self.node.path, size))
        if there is not None:
            return self._of(*there)
        return _simple(Formula(tuple(self._sum(size))))

    def _of(self, name: str, axis: int) -> SizeOf:
        names = [*self.node.inputs, *self.extra]
        if name not in names:
            self.extra.append(name)
            names.append(name)
        return SizeOf(names.index(name), axis)

    def _symbol(self, symbol: Symbol) -> list[Any]:
        own = [
            (each, place, axis)
            for place, operand in enumerate(self.node.inputs)
            if isinstance(operand, str)
            for axis, each in enumerate(self.graph.shape(operand) or ())
            if isinstance(each, Dim)
        ]
        plain = Dim({((symbol, 1),): 1})
        for known, place, axis in own:
            if known == plain:
                return [SizeOf(place, axis)]
        for depth in range(len(self.node.path), -1, -1):
            there = self.at_hand.plain.get((self.node.path[:depth], symbol.name))
            if there is not None:
                return [self._of(*there)]
        if symbol.name in self.at_hand.multiples:
            name, axis, times = self.at_hand.multiples[symbol.name]
            return ["(", self._of(name, axis), f" // {times})"]
        raise _Inexpressible(str(symbol))

    def _sum(self, size: Any) -> list[Any]:
        if isinstance(size, int):
            return [size]
        parts: list[Any] = []
        terms = sorted(size.terms.items(), key=lambda term: -len(term[0]))
        for monomial, coefficient in terms:
            text = self._product(monomial, abs(coefficient))
            if parts:
                parts.append(" - " if coefficient < 0 else " + ")
            elif coefficient < 0:
                parts.append("-")
            parts += text
        return parts

    def _product(self, monomial: Any, coefficient: int) -> list[Any]:
        factors: list[list[Any]] = [] if coefficient == 1 and monomial else [[coefficient]]
        for atom, power in monomial:
            factors += [self._atom(atom)] * power
        parts = factors[0]
        for factor in factors[1:]:
            parts = [*parts, " * ", *factor]
        return parts

    def _atom(self, atom: Symbol | Func) -> list[Any]:
        if isinstance(atom, Symbol):
            return self._symbol(atom)
        left, right = self._sum(atom.left), self._sum(atom.right)
        if atom.kind in (FLOORDIV, QUOTIENT, MOD):
            sign = " % " if atom.kind == MOD else " // "
            return ["((", *left, ")", sign, "(", *right, "))"]
        if atom.kind in (MIN, MAX):
            return [f"{atom.kind}(", *left, ", ", *right, ")"]
        raise _Inexpressible(str(atom))


def _common(left: Path, right: Path) -> list[str]:
    shared = []
    for one, other in zip(left, right):
        if one != other:
            break
        shared.append(one)
    return shared


def _simple(formula: Formula) -> Any:
    return formula.parts[0] if len(formula.parts) == 1 else formula


def inputs_of(value: Any) -> set[int]:
    """Return the places of the inputs that an argument refers to by name or size."""
    if isinstance(value, (Input, Numbers, SizeOf)):
        return {value.place}
    if isinstance(value, Formula):
        return {part.place for part in value.parts if isinstance(part, SizeOf)}
    if isinstance(value, (tuple, list)):
        return {place for each in value for place in inputs_of(each)}
    if isinstance(value, slice):
        return inputs_of(value.start) | inputs_of(value.stop)
    return set()
