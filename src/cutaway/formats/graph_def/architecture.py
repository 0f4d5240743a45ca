"""A graph that was followed, as an `Architecture`: modules from the names of its operations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from cutaway.core import session
from cutaway.core.architecture import Architecture, Diagnostic, Module, ModuleCall, Note, Op, Setting, Weight
from cutaway.core.architecture import Value as StatedValue
from cutaway.core.error import one_line
from cutaway.core.place import Place
from cutaway.core.record import dataclass, field
from cutaway.core.session import Session
from cutaway.formats.graph.architecture import CONTRADICTED
from cutaway.formats.graph_def.inference import Inference, Operation
from cutaway.formats.graph_def.input_ranks import ranks
from cutaway.formats.graph_def.messages import Graph, Node, ToldShape, dtype, message, number, numbers, text
from cutaway.formats.graph_def.saved_objects import Layer, Objects
from cutaway.formats.graph_def.value import Value, quantity, stated, told

FRAMEWORK = "tensorflow"
OPERATIONS = "tensorflow.raw_ops"
SEPARATOR = "/"
BATCH = "B"
_NO_SCOPE = re.compile(r"(?:(?:Stateful|TPU)?PartitionedCall|while)(?:_\d+)?")
"""Parts of names that stand for calls of functions and for loops, not for layers."""
_SUFFIX = re.compile(r"_\d+$")
_WITHOUT_SHAPE = frozenset(["resource", "variant"])
_MOST_NOTES = 20
_SAME_BATCH = "inputs whose first dimension is left open have the same batch size"


@dataclass(frozen=True, slots=True)
class Network:
    """A part of a graph that is a network: from inputs to outputs, both named with their nodes.

    `inputs` have the node, the shape and the type that the file states; `shapes` are those of variables in a checkpoint,
    which is in the `folder`. `also` are further nodes that are followed.
    """

    graph: Graph
    name: str
    target: str
    path: str
    inputs: Mapping[str, tuple[str, ToldShape, str | None]]
    outputs: Mapping[str, str]
    objects: Objects | None = None
    shapes: Mapping[str, tuple[ToldShape, str | None]] = field(default_factory=dict)
    also: Sequence[str] = ()
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class Followed:
    """What is found out about a network: its operations, and the values that go in and come out."""

    inference: Inference
    inputs: list[Value]
    outputs: Mapping[str, Value]
    scopes: Scopes
    premises: list[str]


@contextmanager
def follow(network: Network) -> Iterator[Followed]:
    """Follow a network from its inputs to its outputs; what is found out of its sizes is known meanwhile."""
    with session.installed(Session()) as here:
        inference = Inference(network.graph)
        given = _given(inference, network.inputs)
        _enter_variables(inference, network.objects, network.shapes)
        found = inference.run([*network.outputs.values(), *network.also], given)
        here.assume_premises()
        premises = [note.text for note in here.assumptions]
        values = dict(zip(network.outputs, found))
        yield Followed(inference, list(given.values()), values, Scopes(inference, network.objects), premises)


def architecture(network: Network) -> Architecture:
    """Describe a network."""
    with follow(network) as followed:
        return _described(followed, network)


def _given(inference: Inference, inputs: Mapping[str, tuple[str, ToldShape, str | None]]) -> dict[str, Value]:
    """Return the inputs by their nodes, with symbols for sizes that are left open."""
    batch = inference.fresh(BATCH)
    open_ones = [node.partition(":")[0] for node, shape, _ in inputs.values() if shape is None]
    demanded = ranks(inference.graph, open_ones) if open_ones else {}
    given = {}
    for label, (node, shape, kind) in inputs.items():
        name = node.partition(":")[0]
        if shape is None and name in demanded:
            shape = (None,) * demanded[name]
        known = None
        if shape is None and kind not in _WITHOUT_SHAPE:
            inference.notes.setdefault(
                f"the file does not say how many dimensions the input {label} has, and no operation demands a number"
            )
        if shape is not None:
            known = tuple(
                size if size is not None else inference.fresh(label, f"d{axis}") if axis else batch
                for axis, size in enumerate(shape)
            )
        given[name] = Value(label, known, kind)
    return given


def _enter_variables(
    inference: Inference, objects: Objects | None, shapes: Mapping[str, tuple[ToldShape, str | None]]
) -> None:
    """Give handles of variables the shapes that objects or a checkpoint state."""
    stated_shapes = {v.name: (v.shape, v.dtype) for v in objects.variables} if objects is not None else {}
    for node in inference.graph.nodes:
        if node.op not in ("VarHandleOp", "VariableV2", "Variable"):
            continue
        there, own = node.shape()
        known = stated_shapes.get(node.name) or shapes.get(node.name)
        shorter = _SUFFIX.sub("", node.name)
        if node.name not in stated_shapes and shorter in stated_shapes and own == stated_shapes[shorter][0]:
            inference.aliases[node.name] = shorter  # a handle of the same variable for another function
        elif known is not None and (not there or own is None or None in own):
            inference.enter_weight(node.name, told(known[0]), known[1] or node.type("dtype"))


def _described(followed: Followed, network: Network) -> Architecture:
    inference, scopes, inputs, outputs = followed.inference, followed.scopes, followed.inputs, followed.outputs
    name, target, path, objects = network.name, network.target, network.path, network.objects
    place = Place(path)
    ops = tuple(_op(operation, scopes) for operation in inference.operations)
    weights = _weights(inference, objects, scopes)
    modules = _modules(inference, scopes, outputs, weights, objects, inputs)
    contradicted = inference.contradictions[:_MOST_NOTES]
    if len(inference.contradictions) > _MOST_NOTES:
        count = len(inference.contradictions) - _MOST_NOTES
        contradicted.append(f"{count} more shapes in the file contradict its operations")
    is_shared = sum(1 for value in inputs if value.shape and str(value.shape[0]) == BATCH) > 1
    return Architecture(
        name=name,
        target=target,
        framework=FRAMEWORK,
        inputs=tuple(StatedValue(value.name, stated(value.shape), value.dtype) for value in inputs),
        outputs=tuple(StatedValue(label, stated(value.shape), value.dtype) for label, value in outputs.items()),
        modules=modules,
        weights=weights,
        ops=ops,
        unknowns=tuple(Note(each, place) for each in inference.notes),
        diagnostics=tuple(Diagnostic(CONTRADICTED, one_line(each), place) for each in contradicted),
        assumptions=tuple(Note(text, place) for text in [*([_SAME_BATCH] if is_shared else []), *followed.premises]),
        separator=SEPARATOR,
        results=tuple(value.name for value in outputs.values()),
    )


class Scopes:
    """Which module an operation belongs to: the scope in its name, without what stands for the whole network."""

    def __init__(self, inference: Inference, objects: Objects | None) -> None:
        paths = [_parts(operation.path)[:-1] for operation in inference.operations]
        first = Counter(parts[0] for parts in paths if parts)
        count = len(paths)
        self.layers = {} if objects is None else objects.layers
        self.root = ""
        common = first.most_common(1)
        inner = {parts[1] for parts in paths if len(parts) > 1 and common and parts[0] == common[0][0]}
        told = None if objects is None or objects.root is None else objects.root.config.get("name")
        if common and common[0][1] > 0.6 * count and len(inner) > 1:
            label = common[0][0]
            self.root = label if label not in self.layers or label == told else ""
        self.is_numbered = False
        self.names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._learn(inference)

    def _learn(self, inference: Inference) -> None:
        """Find the names of layers by the variables that they read: scopes may have numbers behind them."""
        numbered = 0
        for operation in inference.operations:
            parts = self._inside(_parts(operation.path)[:-1])
            for value in operation.inputs:
                if value.weight is None or not parts:
                    continue
                home = tuple(value.weight.split("/")[:-1])
                for start in (1, 0):
                    rest = home[start:]
                    length = min(len(rest), len(parts))
                    if not length or (start and not self.root):
                        continue
                    pairs = list(zip(parts[:length], rest[:length]))
                    if all(a == b or re.fullmatch(re.escape(b) + r"_\d+", a) for a, b in pairs):
                        for at in range(length):
                            self.names[tuple(parts[: at + 1])] = rest[: at + 1]
                        numbered += sum(a != b for a, b in pairs) - sum(a == b for a, b in pairs)
                        break
        self.is_numbered = numbered > 0

    def _inside(self, parts: list[str]) -> list[str]:
        return parts[1:] if self.root and parts and parts[0] == self.root else parts

    def scope(self, operation: Operation) -> tuple[str, ...]:
        """Return the scope of an operation as the file names it: two calls of a layer have two."""
        return tuple(self._inside(_parts(operation.path)[:-1]))

    def module(self, operation: Operation) -> str:
        """Return the path of the module that an operation belongs to."""
        parts = self.scope(operation)
        known = self.names.get(parts)
        if known is None:
            known = ()
            for at, part in enumerate(parts):
                longer = self.names.get(parts[: at + 1])
                if longer is not None:
                    known = longer
                elif self.is_numbered and not at:
                    known = (*known, _SUFFIX.sub("", part))
                else:
                    known = (*known, part)
        return SEPARATOR.join(known)

    def weight_home(self, name: str, modules: Iterable[str]) -> str:
        """Return the module that a variable belongs to by its name."""
        parts = name.split("/")[:-1]
        paths = set(modules)
        for start in (1, 0) if self.root or len(parts) > 1 else (0,):
            for end in range(len(parts), start, -1):
                path = SEPARATOR.join(parts[start:end])
                if path in paths:
                    return path
        return ""


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/")[:-1] if not _NO_SCOPE.fullmatch(part)] + [path.rpartition("/")[2]]


def _op(operation: Operation, scopes: Scopes) -> Op:
    return Op(
        f"{OPERATIONS}.{operation.node.op}",
        _attributes(operation),
        tuple(StatedValue(v.name, stated(v.shape), v.dtype) for v in operation.inputs),
        tuple(StatedValue(v.name, stated(v.shape), v.dtype) for v in operation.outputs),
        scopes.module(operation),
        None,
        quantity(operation.macs),
        condition=operation.condition,
        repeat=1 if operation.repeat == 1 else quantity(operation.repeat),
    )


def _attributes(operation: Operation) -> dict[str, Setting]:
    """Return the settings of an operation, and the numbers among its inputs that are fixed."""
    made: dict[str, Setting] = {}
    for name in operation.node.raw:
        if not name.startswith("_") and name not in ("T", "dtype", "value", "Tidx", "Tshape", "Tperm", "Tpaddings"):
            setting = _setting(operation.node, name)
            if setting is not None:
                made[name] = setting
    for at, value in enumerate(operation.inputs):
        known = value.whole() if value.is_constant else None
        if known is not None and len(known) <= 16:
            made[str(at)] = known[0] if value.shape == () else list(known)
    return made


def _setting(node: Node, name: str) -> Setting:
    held = node.attribute(name) or {}
    if 2 in held:
        return text(held, 2)
    if 3 in held:
        return number(held, 3)
    if 5 in held:
        return bool(number(held, 5))
    if 6 in held:
        return dtype(number(held, 6))
    listed = message(held, 1) if 1 in held else None
    if listed is not None and 3 in listed:
        return list(numbers(listed, 3, 64))
    return None


def _weights(inference: Inference, objects: Objects | None, scopes: Scopes) -> tuple[Weight, ...]:
    paths = {scopes.module(operation) for operation in inference.operations}
    paths |= {path.rpartition(SEPARATOR)[0] for path in paths}
    trainable = {v.name: v.trainable for v in objects.variables} if objects is not None else {}
    found: dict[str, Weight] = {}
    used = [inference.weights[name] for name in inference.used if name in inference.weights]
    if any(weight.is_variable for weight in used):  # numbers that are fixed in the graph are none of its weights then
        used = [weight for weight in used if weight.is_variable]
    order = {name: at for at, name in enumerate(trainable)}
    for weight in sorted(used, key=lambda each: order.get(each.name, len(order))):
        kind = "parameter" if weight.is_variable else "tensor"
        can_train = trainable.get(weight.name, trainable.get(_SUFFIX.sub("", weight.name)))
        home = scopes.weight_home(weight.name, paths)
        found[weight.name] = Weight(weight.name, stated(weight.shape), weight.dtype, kind, can_train, None, home)
    known = {_SUFFIX.sub("", name) for name in found}
    for variable in objects.variables if objects is not None else ():
        is_again = variable.name in found or _SUFFIX.sub("", variable.name) in known
        if is_again or re.fullmatch(r"Variable(_\d+)?|.*seed_generator_state(_\d+)?", variable.name):
            continue
        home = scopes.weight_home(variable.name, paths)
        found[variable.name] = Weight(
            variable.name, variable.shape, variable.dtype, "parameter", variable.trainable, None, home
        )
    return tuple(found.values())


def _modules(
    inference: Inference,
    scopes: Scopes,
    outputs: Mapping[str, Value],
    weights: Sequence[Weight],
    objects: Objects | None,
    inputs: Sequence[Value],
) -> tuple[Module, ...]:
    """Return a module for each scope, with what goes into it and comes out of it."""
    homes = [scopes.module(operation) for operation in inference.operations]
    results = {value.name for value in outputs.values()}
    paths: dict[str, None] = {"": None}
    for path in [*homes, *(weight.module or "" for weight in weights)]:
        parts = path.split(SEPARATOR) if path else []
        paths.update((SEPARATOR.join(parts[: at + 1]), None) for at in range(len(parts)))
    calls = _calls(inference, scopes, homes, results)
    made = []
    layers = {} if objects is None else objects.layers
    for path in _ordered(paths):
        layer = layers.get(path.rpartition(SEPARATOR)[2]) if path else objects.root if objects is not None else None
        listed = [(list(inputs), list(outputs.values()))] if not path else calls.get(path, [])
        kind = layer.class_name if layer is not None else ""
        made.append(
            Module(path, kind, kind, _config(layer), None, tuple(_call(ins, outs) for ins, outs in listed if outs))
        )
    for name, layer in layers.items():
        if name not in paths and not any(path.endswith(f"{SEPARATOR}{name}") for path in paths):
            value = next((each for each in inputs if each.name == name), None)
            own = (_call([], [value]),) if value is not None and layer.class_name == "InputLayer" else ()
            made.append(Module(name, layer.class_name, layer.class_name, _config(layer), None, own))
    return tuple(made)


def _call(inputs: Sequence[Value], outputs: Sequence[Value]) -> ModuleCall:
    return ModuleCall(
        tuple(stated(value.shape) for value in inputs),
        tuple(stated(value.shape) for value in outputs),
        tuple(value.dtype for value in inputs),
        tuple(value.dtype for value in outputs),
    )


_Call = tuple[list[Value], list[Value]]


def _calls(inference: Inference, scopes: Scopes, homes: Sequence[str], results: set[str]) -> dict[str, list[_Call]]:
    """Return what goes into each module and comes out of it, for each of its calls: a scope of its own in the file."""
    within = [scopes.scope(operation) for operation in inference.operations]
    made_in: dict[str, tuple[str, ...]] = {}
    read_by: dict[str, set[tuple[str, ...]]] = {}
    for operation, scope in zip(inference.operations, within):
        made_in.update((value.name, scope) for value in operation.outputs)
        for value in operation.inputs:
            read_by.setdefault(value.name, set()).add(scope)
    found: dict[tuple[str, tuple[str, ...]], tuple[dict[str, Value], list[Value]]] = {}
    for operation, scope, home in zip(inference.operations, within, homes):
        paths = _with_parents(home)
        for depth, path in enumerate(paths[: len(scope)], 1):
            call = scope[:depth]
            going_in, going_out = found.setdefault((path, call), ({}, []))
            for value in operation.outputs:
                readers = read_by.get(value.name, ())
                if value.name in results or any(reader[:depth] != call for reader in readers):
                    going_out.append(value)
            for value in operation.inputs:
                if value.weight is None and not value.is_constant and made_in.get(value.name, ())[:depth] != call:
                    going_in.setdefault(value.name, value)
    calls: dict[str, list[_Call]] = {}
    for (path, _), (ins, outs) in found.items():
        calls.setdefault(path, []).append((list(ins.values()), outs))
    return calls


def _with_parents(path: str) -> list[str]:
    parts = path.split(SEPARATOR) if path else []
    return [SEPARATOR.join(parts[: at + 1]) for at in range(len(parts))]


def _ordered(paths: Iterable[str]) -> list[str]:
    """Return paths so that those below one follow it."""
    below: dict[str, list[str]] = {}
    for path in paths:
        if path:
            below.setdefault(path.rpartition(SEPARATOR)[0], []).append(path)
    made: list[str] = []
    waiting = [""]
    while waiting:
        path = waiting.pop()
        made.append(path)
        waiting.extend(reversed(below.get(path, [])))
    return made


def _config(layer: Layer | None) -> dict[str, Setting]:
    if layer is None:
        return {}
    return {
        key: value
        for key, value in layer.config.items()
        if isinstance(value, (bool, int, float, str))
        or (isinstance(value, list) and all(isinstance(item, (bool, int, float, str)) for item in value))
    }
