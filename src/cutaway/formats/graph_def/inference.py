"""Follows a graph from its inputs to its outputs: functions are inlined, variables folded away, shapes inferred."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from cutaway.core.fault import Fault
from cutaway.core.size.dim import Dim, Size, is_known, minimum, symbol
from cutaway.core.unknown import Undecidable
from cutaway.formats.graph_def import kinds
from cutaway.formats.graph_def.loop_conditions import comparisons, node_of
from cutaway.formats.graph_def.messages import Constant, Function, Graph, Node, ToldShape
from cutaway.formats.graph_def.operators.registry import Call, Open, Out
from cutaway.formats.graph_def.operators.table import RULES
from cutaway.formats.graph_def.outputs import first, outputs
from cutaway.formats.graph_def.value import MOST_NUMBERS, Shape, Value, compatible, completed, merged, quantity, told

MOST_OPERATIONS = 200_000
_DEEPEST = 40
_HANDLES = ("resource", "variant")
"""Types of what stands for something else: versions of TensorFlow give such tensors different shapes."""
_NO_WORD = re.compile(r"\W")


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation that was followed."""

    node: Node
    name: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    macs: Size | None
    condition: str | None
    repeat: Size | None
    path: str


@dataclass(slots=True)
class Weight:
    """A variable or a constant that is a weight."""

    name: str
    shape: Shape
    dtype: str | None
    is_variable: bool = True


@dataclass(slots=True)
class _Frame:
    """The nodes that are being followed: of the graph, or of a function."""

    nodes: Mapping[str, Node]
    prefix: str
    values: dict[str, list[Value]] = field(default_factory=dict)
    is_function: bool = False


class Inference:
    """What is found out about a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.operations: list[Operation] = []
        self.weights: dict[str, Weight] = {}
        self.aliases: dict[str, str] = {}
        self.constants: dict[str, Node] = {}
        self.used: dict[str, None] = {}
        self.notes: dict[str, None] = {}
        self.contradictions: list[str] = []
        self.nodes = {node.name: node for node in graph.nodes}
        self._names: set[str] = set()
        self._symbols: dict[str, int] = {}
        self._steps = 0
        self._depth = 0
        self._muted = 0
        self._condition: str | None = None
        self._repeat: Size | None = 1
        self._carried: dict[str, Value] = {}

    def enter_weight(self, name: str, shape: Shape, dtype: str | None) -> None:
        """State what a variable is, before the graph is followed."""
        self.weights[name] = Weight(name, shape, dtype)

    def run(self, wanted: Iterable[str], inputs: Mapping[str, Value]) -> list[Value]:
        """Return the values of tensors of the graph, given those of some nodes."""
        frame = _Frame(self.nodes, "")
        frame.values.update({name: [value] for name, value in inputs.items()})
        names = list(wanted)
        symbols = dict(self._symbols)
        for attempt in range(4):
            self._follow(frame, names)
            if not self._changed_in_loops(frame) or attempt == 3:
                break
            frame.values = {name: [value] for name, value in inputs.items()}
            self.operations.clear()
            self._names.clear()
            self._symbols = dict(symbols)
            self.contradictions.clear()
        return [self._tensor(frame, name) for name in names]

    def _changed_in_loops(self, frame: _Frame) -> bool:
        """Tell whether an iteration changes what the merge at the start of a loop was thought to be, and note it."""
        changed = False
        for node in frame.nodes.values():
            if node.op not in ("Merge", "RefMerge") or node.name not in frame.values:
                continue
            for each in node.inputs:
                source = frame.nodes.get(each.partition(":")[0])
                if source is not None and source.op in kinds.NEXT and source.name in frame.values:
                    before, after = frame.values[node.name][0], frame.values[source.name][0]
                    joint = merged(before, after)
                    if _signature(joint) != _signature(before):
                        self._carried[node.name] = joint
                        changed = True
        return changed

    # Following nodes

    def _follow(self, frame: _Frame, wanted: Iterable[str]) -> None:
        """Follow the nodes that tensors depend on, in an order in which inputs come first."""
        visiting: set[str] = set()
        for start in wanted:
            stack = [(node_of(start), False)]
            while stack:
                name, ready = stack.pop()
                if name in frame.values:
                    continue
                node = frame.nodes.get(name)
                if node is None:
                    frame.values[name] = [Value(name, None, None)]
                    continue
                if ready:
                    visiting.discard(name)
                    frame.values[name] = self._values(node, frame)
                    continue
                visiting.add(name)
                stack.append((name, True))
                for each in reversed(node.inputs):
                    below = node_of(each)
                    if each.startswith("^") or below in frame.values or below in visiting:
                        continue
                    if (
                        node.op in ("Merge", "RefMerge")
                        and below in frame.nodes
                        and frame.nodes[below].op in kinds.NEXT
                    ):
                        continue
                    stack.append((below, False))
        # What closes a loop is not reached from the outputs, but says what an iteration changes.
        merges = [node for node in frame.nodes.values() if node.op in ("Merge", "RefMerge")]
        closing = [
            below
            for node in merges
            if node.name in frame.values
            for below in map(node_of, node.inputs)
            if below not in frame.values and below in frame.nodes and frame.nodes[below].op in kinds.NEXT
        ]
        if closing:
            self._follow(frame, closing)

    def _values(self, node: Node, frame: _Frame) -> list[Value]:
        self._steps += 1
        if self._steps > MOST_OPERATIONS:
            self.notes.setdefault(f"it has more than {MOST_OPERATIONS:,} operations; the rest is not followed")
            return [Value(node.name, None, None)]
        inputs = [self._tensor(frame, each) for each in node.inputs if not each.startswith("^")]
        op = node.op
        if op in kinds.PASSED_ON and inputs:
            return [self._passed_on(node, inputs[0])]
        if op in kinds.LISTS_PASSED_ON:
            return inputs
        if op == "Const":
            return [self._constant(node, frame)]
        if op == "Placeholder" or op == "_Arg":
            return [self._placeholder(node)]
        if op in kinds.VARIABLES or op in kinds.HANDLES:
            return [self._variable(node)]
        if op in ("ReadVariableOp", "VarHandleRead", "_ReadVariablesOp"):
            return [self._read(each, node) for each in inputs]
        if op in kinds.WITHOUT_RESULT or (op not in RULES and outputs(node) == []):
            return inputs[:1] if op in ("Assign", "AssignAdd", "AssignSub") else []
        return self._called(node, inputs, frame)

    def _called(self, node: Node, inputs: list[Value], frame: _Frame) -> list[Value]:
        """Follow functions and control flow; anything else is computed."""
        op = node.op
        called = node.function(kinds.CALLS[op]) if op in kinds.CALLS else op if op in self.graph.functions else ""
        if called:
            return self._inlined(called, inputs, node, frame)
        if op in ("If", "StatelessIf"):
            return self._either(node, inputs, frame)
        if op in ("Case", "StatelessCase"):
            return self._cases(node, inputs, frame)
        if op in ("While", "StatelessWhile"):
            return self._while(node, inputs, frame)
        if op in ("Switch", "RefSwitch"):
            return self._switch(inputs)
        if op == "_SwitchN" and len(inputs) > 1:
            ways = range(min(node.integer("num_outs"), MOST_NUMBERS))
            return [replace(inputs[0], condition=f"{inputs[1].name} == {way}") for way in ways]
        if op in ("Merge", "RefMerge"):
            return self._merge(node, inputs)
        if op in ("Enter", "RefEnter"):
            return [replace(inputs[0], frame=node.string("frame_name") or node.name)] if inputs else []
        return self._computed(node, inputs, frame)

    def _passed_on(self, node: Node, value: Value) -> Value:
        if node.op in ("Exit", "RefExit"):
            return replace(value, frame=None)
        if node.op in ("EnsureShape", "PlaceholderWithDefault") and value.shape is None:
            there, shape = node.shape()
            return replace(value, shape=told(shape)) if there else value
        return value

    def _tensor(self, frame: _Frame, reference: str) -> Value:
        name, _, rest = reference.partition(":")
        values = frame.values.get(name)
        if not values:
            return Value(reference, None, None)
        if not rest:
            return values[0]
        label, _, index = rest.rpartition(":")
        at = int(index) if index.isdigit() else 0
        node = frame.nodes.get(name)
        if label and node is not None:
            start = self._first(node, label)
            if start is None and at == 0 and len(values) > 1:
                return Value(f"{name}:{label}", None, None)
            at += start or 0
        return values[at] if at < len(values) else Value(reference, None, None)

    def _first(self, node: Node, label: str) -> int | None:
        """Return the place of the first tensor of an output among all that a node makes."""
        function = self.graph.functions.get(node.op)
        if function is None:
            return first(node, label)
        names = function.read().outputs
        return names.index(label) if label in names else None

    # Where tensors come from

    def _constant(self, node: Node, frame: _Frame) -> Value:
        held = node.tensor()
        if held is None:  # its numbers are not in the graph
            there, sizes = node.shape()
            held = Constant(sizes if there else None, node.type("dtype"))
        shape = told(held.shape)
        value = Value(self._unique(node.name, frame), shape, held.dtype, held.numbers, is_constant=True)
        self.constants[value.name] = node
        if _is_weight(held.dtype, held.shape):
            self.weights[value.name] = Weight(value.name, shape, held.dtype, False)
            value = replace(value, weight=value.name)
        return value

    def _placeholder(self, node: Node) -> Value:
        shape = self.graph.placeholder_shape(node)
        return Value(node.name, told(shape), node.type("dtype") or node.type("T"))

    def _variable(self, node: Node) -> Value:
        there, shape = node.shape()
        known = told(shape) if there else None
        name = self.aliases.get(node.name, node.name)
        weight = self.weights.setdefault(name, Weight(name, known, node.type("dtype")))
        if node.op in kinds.HANDLES:
            return Value(node.name, (), "resource", weight=weight.name)
        return self._used(weight)

    def _used(self, weight: Weight) -> Value:
        self.used.setdefault(weight.name)
        return Value(weight.name, weight.shape, weight.dtype, weight=weight.name)

    def _read(self, handle: Value, node: Node) -> Value:
        weight = self.weights.get(handle.weight) if handle.weight is not None else None
        if weight is None:
            shapes = node.shapes()
            return Value(node.name, told(shapes[0]) if shapes else None, node.type("dtype"))
        return replace(self._used(weight), condition=handle.condition, frame=handle.frame)

    # Operations

    def _computed(self, node: Node, inputs: list[Value], frame: _Frame) -> list[Value]:
        if node.op.startswith("Resource") and inputs and inputs[0].weight is not None:
            inputs = [self._read(inputs[0], node), *inputs[1:]]
        for value in inputs:
            if value.weight is not None and value.weight in self.weights and value.is_constant:
                self.used.setdefault(value.weight)
        claims = node.shapes()
        outs, reason = self._inferred(node, inputs)
        if not outs:
            outs = _undecided(node, len(claims))
            if not claims and reason and outs[0].shape is None:
                self.notes.setdefault(reason)
        name = self._unique(node.name, frame)
        condition = next((value.condition for value in inputs if value.condition is not None), self._condition)
        loop = next((value.frame for value in inputs if value.frame is not None), None)
        made = []
        for at, out in enumerate(outs):
            value = self._made(node, name, at, out, claims[at] if at < len(claims) else None)
            made.append(replace(value, condition=condition, frame=loop))
        if not self._muted:
            macs = None if reason and outs[0].shape is None and _may_multiply(node.op) else _total(outs)
            path = _path(frame.prefix, node.name)
            repeat = None if loop is not None else self._repeat
            self.operations.append(
                Operation(node, name, tuple(inputs), tuple(made), macs, condition or self._condition, repeat, path)
            )
        return made

    def _made(self, node: Node, name: str, at: int, out: Out, claim: ToldShape) -> Value:
        """Return a tensor that an operation makes, compared with what the file states of it."""
        shape = out.shape
        listed = outputs(node) or ()
        kind = (listed[at][1] if at < len(listed) else None) or out.dtype or node.type("T") or node.type("dtype")
        if compatible(shape, claim):
            shape = completed(shape, claim)
        elif kind not in _HANDLES:
            self.contradictions.append(_contradiction(name, at, shape, claim))
        label = name if not at else f"{name}:{at}"
        if shape is not None and not self._muted:
            shape = self.named(shape, label)
        numbers = out.numbers if out.numbers is None or len(out.numbers) <= MOST_NUMBERS else None
        return Value(label, shape, kind, numbers, element=out.element)

    def named(self, shape: tuple[Size, ...], name: str) -> tuple[Size, ...]:
        """Return a shape with a symbol of its own in place of each size that the data decide."""
        return tuple(
            size if isinstance(size, int) or is_known(size) else self.fresh(f"n_{name}", f"d{axis}", least=0)
            for axis, size in enumerate(shape)
        )

    def fresh(self, *words: str, least: int = 1) -> Dim:
        """Return a size with a name that no other has."""
        word = _NO_WORD.sub("_", "_".join(words))
        number = self._symbols.get(word, 0)
        self._symbols[word] = number + 1
        return symbol(word, least) if not number else self.fresh(word, str(number + 1), least=least)

    def _inferred(self, node: Node, inputs: Sequence[Value]) -> tuple[Sequence[Out], str]:
        """Return what comes out of an operation by its rule, and why not where there is nothing."""
        rule = RULES.get(node.op)
        if rule is None:
            return [], f"what {node.op} makes of its inputs is not modelled"
        try:
            return rule(Call(node, inputs)), ""
        except Open as error:
            return [], f"{node.op}: {error}"
        except Fault as fault:
            self.contradictions.append(f"{node.name}: {fault}")
            return [], ""
        except Undecidable as undecidable:
            return [], f"{node.op}: {undecidable.unknown.reason}"
        except ZeroDivisionError:
            return [], f"{node.op}: a size that others are divided by is 0"

    def _unique(self, name: str, frame: _Frame) -> str:
        if self._muted:
            return name
        chosen = name
        if chosen in self._names:
            chosen = f"{frame.prefix}/{name}" if frame.prefix else name
        number = 1
        while chosen in self._names:
            number += 1
            chosen = f"{frame.prefix}/{name}#{number}" if frame.prefix else f"{name}#{number}"
        self._names.add(chosen)
        return chosen

    # Functions

    def _inlined(self, name: str, inputs: Sequence[Value], node: Node, frame: _Frame) -> list[Value]:
        function = self.graph.functions.get(name)
        if function is None or self._depth >= _DEEPEST:
            text = f"the function {name} is missing" if function is None else "functions call each other too deeply"
            self.notes.setdefault(text)
            return [Value(f"{node.name}:{at}", told(shape), None) for at, shape in enumerate(node.shapes() or [None])]
        function.read()
        inner = _Frame(
            {each.name: each for each in function.nodes},
            f"{frame.prefix}/{node.name}" if frame.prefix else node.name,
            is_function=True,
        )
        for at, argument in enumerate(function.inputs):
            inner.values[argument] = [inputs[at]] if at < len(inputs) else [Value(argument, None, None)]
        self._depth += 1
        try:
            wanted = [function.returns.get(output, "") for output in function.outputs]
            self._follow(inner, [each for each in wanted if each])
            return [self._tensor(inner, each) if each else Value("", None, None) for each in wanted]
        finally:
            self._depth -= 1

    @contextmanager
    def _under(self, condition: str | None, repeat: Size | None) -> Iterator[None]:
        outside, times = self._condition, self._repeat
        if condition is not None:
            self._condition = condition if outside is None else f"{outside} and {condition}"
        self._repeat = None if repeat is None or times is None else times * repeat
        try:
            yield
        finally:
            self._condition, self._repeat = outside, times

    @contextmanager
    def _silent(self) -> Iterator[None]:
        self._muted += 1
        contradictions = len(self.contradictions)
        try:
            yield
        finally:
            self._muted -= 1
            del self.contradictions[contradictions:]

    def _either(self, node: Node, inputs: list[Value], frame: _Frame) -> list[Value]:
        if not inputs:
            return []
        chosen = inputs[0].number()
        branches = [("then_branch", True), ("else_branch", False)]
        results = []
        for attribute, holds in branches:
            if chosen is not None and bool(chosen) is not holds:
                continue
            text = None if chosen is not None else inputs[0].name if holds else f"not {inputs[0].name}"
            with self._under(text, 1):
                results.append(self._inlined(node.function(attribute), inputs[1:], node, frame))
        return self._together(results, node)

    def _cases(self, node: Node, inputs: list[Value], frame: _Frame) -> list[Value]:
        if not inputs:
            return []
        results = []
        for at, name in enumerate(node.functions("branches")[:64]):
            with self._under(f"{inputs[0].name} == {at}", 1):
                results.append(self._inlined(name, inputs[1:], node, frame))
        return self._together(results, node)

    def _together(self, results: list[list[Value]], node: Node) -> list[Value]:
        """Return what comes out of one of several branches."""
        if not results:
            return []
        made = []
        claims = node.shapes()
        for at in range(max(len(each) for each in results)):
            values = [each[at] for each in results if at < len(each)]
            value = values[0]
            for other in values[1:]:
                value = merged(value, other)
            claim = claims[at] if at < len(claims) else None
            if compatible(value.shape, claim):
                value = replace(value, shape=completed(value.shape, claim))
            made.append(value)
        return made

    def _while(self, node: Node, inputs: list[Value], frame: _Frame) -> list[Value]:
        """Follow the body once, with what all iterations have in common."""
        body, condition = node.function("body"), node.function("cond")
        trips = self._trips(condition, body, inputs, node, frame)
        state = list(inputs)
        for _ in range(6):
            with self._silent():
                after = self._inlined(body, state, node, frame)
            joint = [merged(a, b) for a, b in zip(state, after)]
            if len(joint) != len(state) or all(_signature(a) == _signature(b) for a, b in zip(joint, state)):
                break
            state = joint
        else:
            self.notes.setdefault(f"{node.name}: what its iterations have in common can't be determined")
            state = [Value(value.name, None, value.dtype) for value in inputs]
        if trips is not None and quantity(trips) == 0:
            return list(inputs)
        with self._under(None, trips):
            after = self._inlined(body, state, node, frame)
        return self._together([[merged(a, b) for a, b in zip(state, after)]], node)

    def _trips(self, condition: str, body: str, inputs: list[Value], node: Node, frame: _Frame) -> Size | None:
        """Return how often a loop runs that counts up to limits; None where it does something else."""
        function = self.graph.functions.get(condition)
        if function is None:
            return None
        pairs = comparisons(function.read())
        if not pairs:
            return None
        with self._silent():
            after = self._inlined(body, inputs, node, frame)
        best: Size | None = None
        for counter, limit in pairs:
            at = function.inputs.index(counter) if counter in function.inputs else None
            if at is None or at >= len(inputs) or at >= len(after):
                return None
            start, following = inputs[at].number(), after[at].number()
            stop = self._limit(function, limit, inputs, after)
            if start is None or following != start + 1 or stop is None:
                return None
            best = stop - start if best is None else minimum(best, stop - start)
        return best

    def _limit(self, function: Function, name: str, inputs: list[Value], after: list[Value]) -> Size | None:
        if name in function.inputs:
            at = function.inputs.index(name)
            if at >= len(inputs) or inputs[at].numbers is None or len(inputs[at].numbers or ()) != 1:
                return None
            same = at < len(after) and after[at].numbers == inputs[at].numbers
            return inputs[at].numbers[0] if same else None  # type: ignore[index]
        node = next((each for each in function.nodes if each.name == name), None)
        held = node.tensor() if node is not None and node.op == "Const" else None
        return held.numbers[0] if held is not None and held.numbers and len(held.numbers) == 1 else None

    # Control flow of old graphs

    def _switch(self, inputs: list[Value]) -> list[Value]:
        if len(inputs) < 2:
            return [Value("", None, None)] * 2
        data, test = inputs[0], inputs[1]
        if data.frame is not None:  # the end of a loop, not a branch
            return [data, data]
        return [replace(data, condition=f"not {test.name}"), replace(data, condition=test.name)]

    def _merge(self, node: Node, inputs: list[Value]) -> list[Value]:
        if node.name in self._carried:
            known = self._carried[node.name]
        else:
            values = [value for value in inputs if value.shape is not None or value.dtype is not None]
            if not values:
                return [Value(node.name, None, None), Value(f"{node.name}:1", (), "int32")]
            known = values[0]
            for other in values[1:]:
                known = merged(known, other)
        loop = next((value.frame for value in inputs if value.frame is not None), None)
        counts = loop is not None and known.element is None  # a number that an iteration may change
        numbers = None if counts else known.numbers
        made = replace(known, condition=None, frame=loop, numbers=numbers)
        return [made, Value(f"{node.name}:1", (), "int32")]


def _path(prefix: str, name: str) -> str:
    """Return the path of a node in a function; in the body of a loop, names begin with the scope that the loop is in."""
    scope = kinds.CALL_NAME.sub("", prefix).rpartition("/")[0]
    return name if not prefix or (scope and name.startswith(f"{scope}/")) else f"{prefix}/{name}"


def _undecided(node: Node, least: int) -> list[Out]:
    """Return what an operation makes of which only the types are known; a handle is one."""
    types = [kind for _, kind in outputs(node) or ()] or _told_types(node)
    types += [None] * (max(least, 1) - len(types))
    return [Out(() if kind in ("resource", "variant") else None, kind) for kind in types]


def _signature(value: Value) -> tuple[object, ...]:
    """Return what is known of a tensor, in a form that can be compared."""
    shape = None if value.shape is None else tuple(str(quantity(size)) for size in value.shape)
    inner = None if value.element is None else _signature(value.element)
    return shape, value.dtype, value.numbers, value.weight, inner


def _is_weight(kind: str | None, shape: Sequence[int | None] | None) -> bool:
    """Tell whether a constant is one of the network's weights: numbers that are not whole, in a row at least."""
    if kind is None or not shape:
        return False
    return kind.startswith(("float", "bfloat", "complex", "qint", "quint")) or (
        kind in ("int8", "uint8") and len(shape) > 1
    )


def _told_types(node: Node) -> list[str | None]:
    return node.types("Tout") or node.types("output_types") or node.types("T_out")


def _may_multiply(op: str) -> bool:
    return any(word in op for word in ("MatMul", "Conv", "RNN", "LSTM", "GRU", "Einsum"))


def _total(outs: Sequence[Out]) -> Size:
    total: Size = 0
    for out in outs:
        total = total + out.macs
    return total


def _contradiction(name: str, at: int, shape: Shape, claim: Sequence[int | None] | None) -> str:
    said = "x".join("?" if size is None else str(size) for size in claim or ())
    found = "x".join(str(quantity(size)) for size in shape or ())
    return f"{name}:{at}: the file states the shape {said or 'scalar'}, but it is {found or 'scalar'}"
