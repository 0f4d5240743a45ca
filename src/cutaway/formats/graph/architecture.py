"""The network of a graph: modules as its names tell them, tensors as weights, operations with what is inferred."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from cutaway.core import session
from cutaway.core.architecture import (
    Architecture,
    Condition,
    Diagnostic,
    Module,
    ModuleCall,
    Note,
    Op,
    Setting,
    Shape,
    Value,
    Weight,
)
from cutaway.core.error import one_line
from cutaway.core.place import Place
from cutaway.core.record import replace
from cutaway.core.session import Session
from cutaway.core.size.dim import is_known
from cutaway.core.size.parser import detached
from cutaway.formats.graph.hierarchy import Flow, Naming, ancestors, naming
from cutaway.formats.graph.inference import Exhaustion, Inference, Step
from cutaway.formats.graph.model import Attribute, Graph, Model, Node, Tensor, Type
from cutaway.formats.graph.value import Known, Rule
from cutaway.formats.weights import ALIKE

CONTRADICTED = "contradicted-declaration"
_MOST_LISTED = 64


def architecture(
    model: Model, path: str, rules: Mapping[tuple[str, str], Rule], framework: str, key: str = ""
) -> Architecture:
    """Return the network of a model; one of several in a file has a key."""
    place = Place(path)
    unknowns = [Note(text, place) for text in model.unread]
    notes: dict[tuple[str, str], Note] = {}
    inference, assumed = inferred(model, rules, unknowns, place)
    names = naming(nodes_of(model.graph), (tensor.name for tensor in model.graph.tensors))
    homes = [names.module(step.node, step.scope) for step in inference.steps]
    weights = tuple(_weights(model.graph, names, inference, homes))
    ops = tuple(_op(step, home, framework, place) for step, home in zip(inference.steps, homes))
    for step, home in zip(inference.steps, homes):
        problem = step.problem or _open_rank(step)
        if problem:
            notes.setdefault((problem, home), Note(one_line(problem), place, home))
    inputs = tuple(_value(name, known) for name, known in inference.inputs)
    outputs = tuple(_value(name, known) for name, known in inference.outputs)
    unknowns += [
        Note(one_line(f"the file does not say how many dimensions the input {name} has"), place, "")
        for name, known in inference.inputs
        if known.shape is None and known.kind == "tensor"
    ]
    unknowns += [*notes.values(), *_outside(model.graph, path)]
    return Architecture(
        name=key or os.path.splitext(os.path.basename(path))[0],
        target=f"{path}::{key}" if key else path,
        framework=framework,
        inputs=inputs,
        outputs=outputs,
        modules=_modules(names, ops, weights, inputs, outputs, place),
        weights=weights,
        ops=ops,
        unknowns=tuple(unknowns),
        assumptions=(*assumed, *((Note(ALIKE, place),) if weights else ())),
        diagnostics=tuple(_diagnostics(inference, place)),
        separator=names.separator,
        results=tuple(name for name, _ in inference.outputs),
        conditions=tuple(_conditions(ops, place)),
    )


def _open_rank(step: Step) -> str:
    """Return what is unknown of an operation that makes a tensor of any rank from inputs whose ranks are known."""
    if any(value.shape is None and value.kind == "tensor" for _, value in step.inputs):
        return ""
    made = next((name for name, value in step.outputs if value.shape is None and value.kind == "tensor"), None)
    return "" if made is None else f"{step.node.op}: how many dimensions its output {made} has is not known"


def inferred(
    model: Model, rules: Mapping[tuple[str, str], Rule], unknowns: list[Note], place: Place
) -> tuple[Inference, list[Note]]:
    """Infer a model: from its inputs and operators alone, then with what it says of values that this does not reach."""
    told = len(unknowns)
    plain, assumed = _run(Inference(model, rules, believe=False), unknowns, place)
    reached = all(value.shape is not None for step in plain.steps for _, value in step.outputs)
    # A shape that the file states where an input may have any rank is true for some ranks at most.
    is_ranked = all(value.shape is not None or value.kind != "tensor" for _, value in plain.inputs)
    if not reached and is_ranked and not plain.contradictions and len(unknowns) == told:
        helped, more = _run(Inference(model, rules), [], place)
        if not helped.contradictions and len(helped.problems) <= len(plain.problems):
            return helped, more
    return plain, assumed


def _run(inference: Inference, unknowns: list[Note], place: Place) -> tuple[Inference, list[Note]]:
    with session.installed(Session()) as here:
        try:
            inference.infer()
        except Exhaustion as error:
            unknowns.append(Note(f"the rest is not followed: {error}", place, ""))
        here.assume_premises()
        assumed = [Note(text, place) for text in (*inference.assumed, *(note.text for note in here.assumptions))]
    return inference, assumed


def nodes_of(graph: Graph) -> Iterator[Node]:
    """Yield the nodes of a graph and of the graphs inside of it."""
    for node in graph.nodes:
        yield node
        for inner in _graphs(node):
            yield from nodes_of(inner)


def _graphs(node: Node) -> Iterator[Graph]:
    for value in node.attributes.values():
        for each in value if isinstance(value, list) else (value,):
            if isinstance(each, Graph):
                yield each


def tensors_of(graph: Graph) -> Iterator[Tensor]:
    """Yield the tensors of a graph and of the graphs inside of it."""
    yield from graph.tensors
    for node in graph.nodes:
        for inner in _graphs(node):
            yield from tensors_of(inner)


def _weights(graph: Graph, names: Naming, inference: Inference, homes: Iterable[str]) -> Iterator[Weight]:
    readers: dict[str, str] = {}
    paths: set[str] = set()
    for step, home in zip(inference.steps, homes):
        paths.update(ancestors(home, names.separator))
        for name, _ in step.inputs:
            readers.setdefault(name, home)
    told: Counter[str] = Counter()
    for tensor in tensors_of(graph):
        own = names.owner(tensor.name)
        name = inference.tensor_names.get(id(tensor), tensor.name)
        told[name] += 1
        if told[name] > 1:  # of a graph inside of an operator that is not modelled
            name = f"{name}#{told[name]}"
        reader = readers.get(name, "")
        module = own if (own and (own in paths or names.weights_tell)) or not reader else reader
        yield Weight(name, tensor.dims, tensor.dtype, "tensor", None, module=module)


def _op(step: Step, home: str, framework: str, place: Place) -> Op:
    node = step.node
    return Op(
        one_line(f"{node.domain or framework}.{node.op}"),
        {name: setting(value) for name, value in step.attributes.items()},
        tuple(_value(name, known) for name, known in step.inputs),
        tuple(_value(name, known) for name, known in step.outputs),
        home,
        place,
        quantity(step.macs),
        not step.view,
        step.condition,
        quantity(step.repeat),
    )


def quantity(size: Any) -> Any:
    """Return a size as an architecture has it; None where it is not known."""
    if size is None or isinstance(size, int):
        return size
    return detached(size) if is_known(size) else None


def _value(name: str, known: Known) -> Value:
    if known.kind == "tensor":
        shape: Shape = None if known.shape is None else tuple(map(quantity, known.shape))
        return Value(name, shape, known.dtype)
    return Value(name, None, _kind(known))


def _kind(known: Known, depth: int = 0) -> str:
    if known.kind == "tensor":
        return known.dtype or "tensor"
    inner = "" if known.element is None or depth > 4 else f" of {_kind(known.element, depth + 1)}"
    return f"{known.kind}{inner}"


def setting(value: Attribute) -> Setting:
    """Return an attribute as an architecture has it."""
    if isinstance(value, list):
        listed: list[Setting] = [setting(each) for each in value[:_MOST_LISTED]]
        return [*listed, "..."] if len(value) > _MOST_LISTED else listed
    if isinstance(value, dict):
        return {name: setting(each) for name, each in value.items()}
    if isinstance(value, Tensor):
        shape = "x".join(map(str, value.dims)) or "scalar"
        return f"<tensor {shape} {value.dtype}>"
    if isinstance(value, Graph):
        return f"<graph {value.name}>"
    if isinstance(value, Type):
        return f"<{value.kind}>"
    return value if isinstance(value, (bool, int, float, str)) else None


def _modules(
    names: Naming,
    ops: tuple[Op, ...],
    weights: tuple[Weight, ...],
    inputs: tuple[Value, ...],
    outputs: tuple[Value, ...],
    place: Place,
) -> tuple[Module, ...]:
    """Return the modules around operations and weights, parents before children, with what goes in and comes out."""
    flow = Flow(names.separator)
    for value in inputs:
        flow.given(value.name, value.shape, value.dtype)
    below: dict[str, dict[str, None]] = {"": {}}
    for path in [*(op.module for op in ops), *(weight.module or "" for weight in weights)]:
        if path not in below:
            chain = ancestors(path, names.separator)
            for outer, inner in pairwise(chain):
                below.setdefault(outer, {})[inner] = None
            below.setdefault(path, {})
    for op in ops:
        for value in op.inputs:
            flow.read(value.name, op.module)
        for value in op.outputs:
            flow.make(value.name, op.module, value.shape, value.dtype)
    for value in outputs:
        flow.read(value.name, None)
    ordered: list[str] = []
    waiting = [""]
    while waiting:
        path = waiting.pop()
        ordered.append(path)
        waiting += reversed(below[path])
    modules = []
    for path in ordered:
        qualified = names.classes.get(path, "")
        modules.append(Module(path, qualified.rpartition(".")[2], qualified, calls=flow.calls(path)))
    if modules and not modules[0].calls and ops:
        shapes = tuple(value.shape for value in inputs), tuple(value.shape for value in outputs)
        modules[0] = replace(modules[0], calls=(ModuleCall(*shapes),))
    return tuple(modules)


def _outside(graph: Graph, path: str) -> Iterator[Note]:
    """Yield which files the graph refers to that are not in its folder; nothing of them is opened."""
    told = set()
    for tensor in tensors_of(graph):
        location = tensor.location
        if location is None or location in told:
            continue
        told.add(location)
        normal = os.path.normpath(location.replace("\\", "/"))
        if os.path.isabs(normal) or normal.split("/")[0] == ".." or "\0" in location:
            yield Note(
                f"the numbers of {tensor.name} are said to be in {location!r}, which is not in the folder of the file: "
                "it is not opened",
                Place(path),
            )


def _diagnostics(inference: Inference, place: Place) -> Iterator[Diagnostic]:
    for name, text in inference.contradictions.items():
        yield Diagnostic(CONTRADICTED, one_line(f"{name}: {text}"), place)
    for problem in inference.problems:
        yield Diagnostic(problem.fault.code.value, one_line(problem.text), place)


def _conditions(ops: Iterable[Op], place: Place) -> Iterator[Condition]:
    told = set()
    for op in ops:
        for part in (op.condition or "").split(" and "):
            text = part.removeprefix("not ")
            if text and text not in told:
                told.add(text)
                yield Condition(text, "data", place)
