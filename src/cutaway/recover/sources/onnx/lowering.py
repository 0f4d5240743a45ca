"""The contents of an ONNX, TFLite or TensorFlow file to a graph in terms of PyTorch."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import cutaway.recover.sources.onnx as rows
import cutaway.recover.sources.tensorflow as tensorflow
import cutaway.recover.sources.tflite as tflite
from cutaway.core.contents import Contents, Fact, Operation, Stored
from cutaway.core.record import replace
from cutaway.core.size.dim import Dim
from cutaway.recover.graph import Graph, Literal, Node, Path, Tensor
from cutaway.recover.sources.emission import Unsupported, complete, followed, resolve_aliases
from cutaway.recover.sources.onnx.registry import ROWS, Call

_TABLES = ("lowering", "registry")


def lowered(contents: Contents) -> Graph:
    """Return the graph of a file: each operation by its row, or a place where there is no code."""
    _load()
    facts = dict(contents.facts)
    for name, stored in contents.tensors.items():
        facts.setdefault(name, Fact(stored.shape, stored.dtype))
    graph = Graph(
        contents.name,
        list(contents.inputs),
        list(contents.outputs),
        [],
        facts,
        {name: Tensor(stored) for name, stored in contents.tensors.items()},
        {path_of(module, contents.separator): name for module, name in contents.classes.items()},
        list(contents.problems),
    )
    for operation in _read(contents):
        if operation.condition is None and operation.repeat == 1:
            graph.nodes += _nodes(operation, graph, path_of(operation.module, contents.separator))
    resolve_aliases(graph)
    complete(graph)
    graph.sweep()
    return graph


def _read(contents: Contents) -> Iterator[Operation]:
    """Yield the operations, without the names of results beyond the first that nothing reads."""
    read = {*contents.outputs, *(name for operation in contents.operations for name in operation.inputs)}
    inner = {name for operation in contents.operations for name in _outer(operation)}
    for operation in contents.operations:
        first, *rest = operation.outputs or ("",)
        kept = [name if name in read or name in inner else "" for name in rest]
        if first and first not in read and first not in inner and any(kept):
            first = ""
        yield operation if [first, *kept] == list(operation.outputs) else replace(operation, outputs=(first, *kept))


def _outer(operation: Operation) -> Iterator[str]:
    """Yield all that the graphs inside of an operation read."""
    for value in operation.attributes.values():
        if isinstance(value, Contents):
            yield from value.outputs
            for inner in value.operations:
                yield from inner.inputs
                yield from _outer(inner)


def path_of(module: str, separator: str) -> Path:
    """Return the names of nested modules."""
    return tuple(part for part in module.split(separator) if part)


def _load() -> None:
    for package in (rows, tensorflow, tflite):
        for module in iter_modules(package.__path__):
            if module.name not in _TABLES:
                import_module(f"{package.__name__}.{module.name}")


def _nodes(operation: Operation, graph: Graph, path: Path) -> list[Node]:
    """Return the nodes of an operation."""
    made = [name for name in operation.outputs if name]
    stored = operation.op == "onnx.Constant" or (
        operation.op == "onnx.Identity" and operation.inputs[0] in graph.tensors
    )
    if made and not stored and all(_is_constant(graph.fact(name)) for name in made):
        return [node for name in made for node in _constant(name, graph, path)]
    call = Call(operation, graph, path)
    try:
        row = ROWS.get(operation.op)
        if row is None:
            raise Unsupported(f"{operation.op}: there is no code for this operator")
        followed(operation.op, lambda: row(call))
        return call.nodes
    except Unsupported as unsupported:
        if made and all(_is_constant(graph.fact(name)) for name in made):
            return [node for name in made for node in _constant(name, graph, path)]
        inputs = [name for name in operation.inputs if name]
        return [Node("missing", list(inputs), list(operation.outputs), path=path, missing=str(unsupported))]


def _is_constant(fact: Fact) -> bool:
    """Tell whether all numbers of a value are known, possibly as expressions of sizes."""
    numbers = fact.numbers
    if fact.dtype is not None and fact.dtype not in CODES:
        return False
    return numbers is not None and fact.shape is not None and not any(n is None or isinstance(n, str) for n in numbers)


def _constant(name: str, graph: Graph, path: Path) -> list[Node]:
    """Return the node that makes known numbers; where no size is among them, they are a tensor as if it were stored."""
    fact = graph.fact(name)
    numbers, shape, dtype = fact.numbers or (), fact.shape or (), fact.dtype or "float32"
    code = CODES.get(dtype)
    if any(isinstance(number, Dim) for number in numbers) or code is None:
        return [Node("torch.tensor", [Literal(_nested(numbers, shape))], [name], {"dtype": dtype}, path=path)]
    content = struct.pack(f"<{len(numbers)}{code}", *numbers)
    graph.tensors[name] = Tensor(Stored(name, dtype, tuple(map(int, shape)), lambda: iter((content,))), constant=True)
    return []


def _nested(numbers: tuple[Any, ...], shape: tuple[Any, ...]) -> Any:
    """Return numbers in lists as a shape says."""
    if not shape:
        return numbers[0]
    if len(shape) == 1:
        return list(numbers)
    width = len(numbers) // int(shape[0]) if shape[0] else 0
    return [_nested(numbers[at * width : (at + 1) * width], shape[1:]) for at in range(int(shape[0]))]


CODES = {
    "float32": "f", "float64": "d", "float16": "e", "int8": "b", "uint8": "B", "bool": "?", "int16": "h", "int32": "i",
    "int64": "q",
}  # fmt: skip
