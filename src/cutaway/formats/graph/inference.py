"""The shapes and element types of all values of a graph, inferred from its inputs, its tensors and its operators.

What the file itself says of a value between inputs and outputs is used where inference does not reach, and only if
nothing in the file that is inferred contradicts what it says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cutaway.core import session
from cutaway.core.error import describe_error
from cutaway.core.fault import Fault
from cutaway.core.record import dataclass, field, replace
from cutaway.core.size.dim import Dim, Size, equal, is_known, rewritten, substitute, symbol, symbols
from cutaway.core.size.parser import parse
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.formats.flatbuffer import Damaged
from cutaway.formats.graph.model import Attribute, Declared, Function, Graph, Model, Node, Reference, Type, count_nodes
from cutaway.formats.graph.value import NOTHING, Call, Known, Out, Rule, stored
from cutaway.formats.protobuf import Malformed

FEWEST_STEPS, STEPS_OF_A_NODE = 5_000, 24
DEEPEST_CALL = 24
MOST_TERMS = 12
"""A longer sum says nothing to anyone, and products of such sums take long to compute with."""
_WORD = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Step:
    """An operation as it is carried out: its node, what it reads and makes, and where it stands.

    `scope` are the calls of functions around it, the outermost first, by the names of their nodes.
    """

    node: Node
    inputs: tuple[tuple[str, Known], ...]
    outputs: tuple[tuple[str, Known], ...]
    attributes: Mapping[str, Attribute]
    macs: Any = 0
    view: bool = False
    condition: str | None = None
    repeat: Any = 1
    scope: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """A node that fails whatever its inputs are."""

    text: str
    fault: Fault


@dataclass(slots=True)
class Environment:
    """The values by name that nodes of one graph can read, the prefix of their names in the result, and their versions."""

    values: dict[str, Known]
    outer: Environment | None = None
    prefix: str = ""
    opsets: Mapping[str, int] = field(default_factory=dict)
    attributes: Mapping[str, Attribute] | None = None
    scope: tuple[str, ...] = ()
    claims: dict[str, Known] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)

    def written(self, name: str) -> str:
        """Return the name of a value of this graph in the result."""
        return self.prefix + self.renamed.get(name, name)

    def find(self, name: str) -> tuple[str, Known]:
        """Return the name of a value in the result, and what is known of it."""
        here: Environment | None = self
        while here is not None:
            if name in here.values:
                return here.written(name), here.values[name]
            here = here.outer
        return self.prefix + name, NOTHING


class Inference:
    """The inference of one file."""

    def __init__(self, model: Model, rules: Mapping[tuple[str, str], Rule], *, believe: bool = True) -> None:
        self.model = model
        self.rules = rules
        self.believe = believe
        self.steps: list[Step] = []
        self.problems: list[Problem] = []
        self.assumed: list[str] = []
        self.contradictions: dict[str, str] = {}
        self.inputs: list[tuple[str, Known]] = []
        self.outputs: list[tuple[str, Known]] = []
        self.tensor_names: dict[int, str] = {}
        self._made: set[str] = set()
        self._names: dict[str, int] = {}
        self._sizes: dict[str, Size] = {}
        self._recording = True
        self._condition: str | None = None
        self._repeat: Any = 1
        self._most = self._budget = FEWEST_STEPS + STEPS_OF_A_NODE * count_nodes(model)
        self._depth = 0
        self._environment = Environment({})
        self._owners: dict[str, int] = {}
        self._free: frozenset[str] = frozenset()

    def infer(self) -> None:
        """Infer the whole graph."""
        graph = self.model.graph
        stored_names = {tensor.name for tensor in graph.tensors}
        environment = Environment({}, opsets=self.model.opsets)
        self._environment = environment
        for tensor in graph.tensors:
            environment.values[tensor.name] = stored(tensor)
        for declared in graph.inputs:
            if declared.name not in stored_names:
                environment.values[declared.name] = self._given(declared)
                self.inputs.append((declared.name, environment.values[declared.name]))
        given = [size for _, value in self.inputs for size in value.shape or () if isinstance(size, Dim)]
        self._free = frozenset(name for size in given for name in _symbols(size))
        self._claim(graph, environment)
        self._own(graph, environment)
        self._nodes(graph.nodes)
        for declared in graph.outputs:
            name, value = environment.find(declared.name)
            self.outputs.append((name, value))

    # What operators ask for.

    def fresh(self, name: str, least: int = 0) -> Dim:
        """Return a size with a name of its own."""
        return symbol(self._unique(name), least)

    def declared(self, name: str) -> Known | None:
        """Return what the file says of a value, if that is believed."""
        return self._environment.claims.get(name) if self.believe else None

    def run(
        self, graph: Graph, inputs: Sequence[Known], *, condition: str = "", repeat: Any = 1, record: bool = True
    ) -> list[Known]:
        """Return what an inner graph makes of its inputs."""
        outside = (self._environment, self._recording, self._condition, self._repeat)
        if self._depth >= DEEPEST_CALL:
            return [NOTHING] * len(graph.outputs)
        environment = Environment(
            {},
            self._environment,
            self._environment.prefix,
            self._environment.opsets,
            self._environment.attributes,
            self._environment.scope,
        )
        for tensor in graph.tensors:
            environment.values[tensor.name] = stored(tensor)
        for declared, value in zip(graph.inputs, inputs):
            environment.values[declared.name] = value
        self._claim(graph, environment)
        self._own(graph, environment)
        self._environment = environment
        self._recording = self._recording and record
        if condition:
            self._condition = condition if self._condition is None else f"{self._condition} and {condition}"
        self._repeat = None if repeat is None or self._repeat is None else self._repeat * repeat
        self._depth += 1
        try:
            with session.current().scoped_facts():
                self._nodes(graph.nodes)
            return [environment.find(each.name)[1] for each in graph.outputs]
        finally:
            self._environment, self._recording, self._condition, self._repeat = outside
            self._depth -= 1

    # Nodes.

    def _nodes(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self._budget -= 1
            if self._budget < 0:
                raise Exhaustion(f"more than {self._most:,} operations are carried out")
            self._node(node)

    def _node(self, node: Node) -> None:
        environment = self._environment
        found = [environment.find(name) for name in node.inputs]
        inputs = [value if name else None for name, (_, value) in zip(node.inputs, found)]
        attributes = _settled(node.attributes, environment.attributes)
        problem = ""
        try:
            out = self._result(node, inputs, attributes)
        except Undecidable as undecidable:
            out, problem = Out(()), undecidable.unknown.reason
        except Fault as fault:
            out, problem = Out(()), str(fault)
            if self._recording:
                self.problems.append(Problem(f"{_label(node)}: {fault}", fault))
        if any(type(size) is int and size < 0 for value in out.values for size in value.shape or ()):
            out, problem = Out(()), f"{node.op}: its settings leave a size below 0"
        outputs = []
        for place, name in enumerate(node.outputs):
            value = out.values[place] if place < len(out.values) else NOTHING
            value = self._named(value, name)
            if name:
                value = self._compared(name, value)
                environment.values[name] = value
                if self._recording:
                    self._tell_apart(name, environment)
                outputs.append((environment.written(name), value))
        if self._recording:
            read = tuple(pair for name, pair in zip(node.inputs, found) if name)
            self.steps.append(
                Step(
                    node,
                    read,
                    tuple(outputs),
                    attributes,
                    out.macs if out.values else None,
                    out.view,
                    self._condition,
                    self._repeat,
                    environment.scope,
                    problem,
                )
            )

    def _tell_apart(self, name: str, environment: Environment) -> None:
        """Give a value another name in the result, if a node before has made one of its name: some files repeat names."""
        number = 1
        while environment.written(name) in self._made:
            number += 1
            environment.renamed[name] = f"{name}#{number}"
        self._made.add(environment.written(name))

    def _result(self, node: Node, inputs: list[Known | None], attributes: Mapping[str, Attribute]) -> Out:
        function = self.model.functions.get((node.domain, node.op, node.overload))
        if function is not None:
            return self._called(function, node, inputs, attributes)
        rule = self.rules.get((node.domain, node.op))
        if rule is None:
            where = f" of the domain {node.domain}" if node.domain else ""
            raise Undecidable(Unknown(f"the operator {node.op}{where} is not known"))
        version = node.version or self._environment.opsets.get(node.domain, self.model.opsets.get(node.domain, 1))
        try:
            return rule(Call(node, inputs, attributes, version, self))
        except (LookupError, ValueError, TypeError, ArithmeticError) as error:
            if isinstance(error, (Fault, Malformed, Damaged)):
                raise
            # Rules take the operator's own number of inputs and dimensions for granted.
            raise Undecidable(
                Unknown(f"{node.op}: its inputs do not fit the operator ({describe_error(error)})")
            ) from None

    def _called(
        self, function: Function, node: Node, inputs: list[Known | None], attributes: Mapping[str, Attribute]
    ) -> Out:
        """Carry out the nodes of a function, under names that begin with that of the node that calls it."""
        if self._depth >= DEEPEST_CALL:
            raise Undecidable(Unknown(f"functions call each other more than {DEEPEST_CALL} deep"))
        before = self._environment
        label = node.name or next((name for name in node.outputs if name), node.op)
        environment = Environment(
            {name: value for name, value in zip(function.inputs, inputs) if value is not None},
            None,
            f"{before.prefix}{label}/",
            function.opsets,
            {**function.defaults, **attributes},
            (*before.scope, label),
        )
        self._environment = environment
        self._depth += 1
        try:
            self._nodes(function.nodes)
        finally:
            self._environment = before
            self._depth -= 1
        return Out(tuple(environment.find(name)[1] for name in function.outputs), 0, True)

    # Sizes and claims.

    def _given(self, declared: Declared) -> Known:
        """Return what is known of an input of the graph: what the file says of it."""
        return self._of_type(declared.type, declared.name)

    def _of_type(self, stated: Type | None, name: str) -> Known:
        if stated is None:
            return NOTHING
        if stated.kind not in ("tensor", "sparse"):
            inner = None if stated.element is None else self._of_type(stated.element, name)
            return Known(kind=stated.kind, element=inner)
        if stated.dims is None:
            return Known(None, stated.dtype)
        return Known(tuple(self._size(dim, name, at) for at, dim in enumerate(stated.dims)), stated.dtype)

    def _size(self, dim: int | str | None, name: str, place: int) -> Size:
        if isinstance(dim, int):
            if dim >= 0:
                return dim
            self.assumed.append(
                f"{name}: the file declares the size {dim} in dimension {place}: it is taken to be free"
            )
        elif dim:
            return self._stated_size(dim)
        return symbol(self._unique(f"{name}_dim{place}"))

    def _stated_size(self, text: str) -> Size:
        """Return a size that the file names; a name may be a formula in other names."""
        if text not in self._sizes:
            self._sizes[text] = self._formula(text)
        return self._sizes[text]

    def _formula(self, text: str) -> Size:
        if text.isidentifier():
            return symbol(self._unique(text))
        size = parse(text) if len(text) <= 200 else symbol("size")
        if isinstance(size, Dim) and all(one.isidentifier() for one in _symbols(size)):
            return substitute(size, {one: self._stated_size(one) for one in _symbols(size)})
        return symbol(self._unique(text))

    def _unique(self, name: str) -> str:
        word = name if name.isidentifier() else _WORD.sub("_", name).strip("_") or "size"
        if word[0].isdigit():
            word = f"size_{word}"
        number = self._names.get(word, 0)
        self._names[word] = number + 1
        return word if not number else self._unique(f"{word}_{number}")

    def _named(self, value: Known, name: str) -> Known:
        """Return a value whose sizes that are not known, or too long to say anything, have names."""
        if value.shape is None or all(type(size) is int or _is_short(size) for size in value.shape):
            return value
        shape = tuple(
            size if type(size) is int or _is_short(size) else self.fresh(f"{name}_dim{place}")
            for place, size in enumerate(value.shape)
        )
        return replace(value, shape=shape)

    def _claim(self, graph: Graph, environment: Environment) -> None:
        """Note what the file says of the values of a graph."""
        for declared in (*graph.values, *graph.outputs):
            if declared.type is not None and declared.name:
                environment.claims[declared.name] = _claimed(declared.type)

    def _own(self, graph: Graph, environment: Environment) -> None:
        """Give values of an inner graph other names in the result, where another graph has values of these names."""
        names = [declared.name for declared in graph.inputs] + [name for node in graph.nodes for name in node.outputs]
        for name in (*names, *(tensor.name for tensor in graph.tensors)):
            if self._owners.setdefault(environment.prefix + name, id(graph)) != id(graph):
                environment.renamed[name] = self._other_name(graph, name)
        for tensor in graph.tensors:
            self.tensor_names[id(tensor)] = environment.written(tensor.name)

    def _other_name(self, graph: Graph, name: str) -> str:
        number = 1
        written = f"{graph.name or 'graph'}/{name}"
        while self._owners.setdefault(written, id(graph)) != id(graph):
            number += 1
            written = f"{graph.name or 'graph'}_{number}/{name}"
        return written

    def _compared(self, name: str, value: Known) -> Known:
        """Return what is known of a value from inference and, where that does not tell, from the file."""
        claim = self._environment.claims.get(name)
        if claim is None:
            return value
        difference = contradiction(value, claim, self._free)
        if difference:
            if self._recording:
                self.contradictions.setdefault(self._environment.prefix + name, difference)
            return value
        if value.dtype is None and claim.dtype is not None and (self.believe or self.model.typed):
            value = replace(value, dtype=claim.dtype)
        if not self.believe:
            return value
        if value.shape is None and claim.shape is not None and value.kind == "tensor" == claim.kind:
            value = replace(value, shape=self._believed(claim.shape, name))
        return value

    def _believed(self, shape: tuple[Any, ...], name: str) -> tuple[Size, ...]:
        return tuple(
            size
            if isinstance(size, int)
            else self._stated_size(size)
            if isinstance(size, str)
            else self.fresh(f"{name}_dim{place}")
            for place, size in enumerate(shape)
        )


def _is_short(size: object) -> bool:
    """Tell whether a size is a formula, of not too many terms."""
    return isinstance(size, Dim) and is_known(size) and len(size.terms) <= MOST_TERMS


class Exhaustion(Exception):
    """The graph takes more steps than are allowed; the message says which limit."""


def contradiction(value: Known, claim: Known, free: frozenset[str] = frozenset()) -> str:
    """Return how what the file says of a value differs from what is inferred; empty where it need not.

    It does where the file states a number for a size that depends on `free` sizes, those of the inputs.
    """
    if value.dtype is not None and claim.dtype is not None and value.dtype != claim.dtype:
        return f"the file declares {claim.dtype}, but it is {value.dtype}"
    if value.shape is None or claim.shape is None:
        return ""
    if len(value.shape) != len(claim.shape):
        return f"the file declares {_written(claim.shape)}, but it is {_written(value.shape)}"
    for size, stated in zip(value.shape, claim.shape):
        if isinstance(stated, int) and (equal(size, stated) is False or _depends(size, free)):
            return f"the file declares {_written(claim.shape)}, but it is {_written(value.shape)}"
    return ""


def _depends(size: Size, free: frozenset[str]) -> bool:
    """Tell whether a size is a formula of free sizes alone."""
    known = rewritten(size)
    return isinstance(known, Dim) and free.issuperset(_symbols(known))


def _claimed(stated: Type) -> Known:
    """Return what the file says of a value, with names and None in place of sizes; negative sizes say nothing."""
    if stated.kind not in ("tensor", "sparse"):
        return Known(kind=stated.kind)
    if stated.dims is None:
        return Known(None, stated.dtype)
    sizes: Any = tuple(None if isinstance(dim, int) and dim < 0 else dim for dim in stated.dims)
    return Known(sizes, stated.dtype)


def _settled(own: Mapping[str, Attribute], given: Mapping[str, Attribute] | None) -> Mapping[str, Attribute]:
    """Return a node's attributes with those of the function's call in place of references to them."""
    if not any(isinstance(value, Reference) for value in own.values()):
        return own
    settled = {}
    for name, value in own.items():
        if isinstance(value, Reference):
            if given is None or value.name not in given:
                continue
            value = given[value.name]
        settled[name] = value
    return settled


def _written(shape: Sequence[Any]) -> str:
    return f"[{', '.join('?' if size is None else str(size) for size in shape)}]"


def _label(node: Node) -> str:
    return node.name or next((name for name in node.outputs if name), node.op)


def _symbols(size: Dim) -> list[str]:
    return [one.name for one in symbols(size)]
