"""Graphs in the format of ONNX Runtime: the same operators as in an ONNX file, in a flatbuffer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO

from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError, one_line
from cutaway.formats import protobuf
from cutaway.formats.flatbuffer import Damaged, Flatbuffer, Table
from cutaway.formats.graph.model import Attribute, Declared, Graph, Model, Node, Tensor, Type, ordered
from cutaway.formats.onnx.messages import DEEPEST, MOST_DIMENSIONS, domain_of, dtype_name, raw_numbers

_TENSOR, _SEQUENCE, _MAP = 1, 2, 3
_VALUE, _PARAMETER = 1, 2


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the graph of a file."""
    # late: which reader a file is for is asked of all of them
    from cutaway.formats.graph.architecture import architecture
    from cutaway.formats.onnx.operators.table import RULES

    try:
        return [architecture(_model(Flatbuffer(protobuf.opened(file))), path, RULES, "onnx")]
    except (Damaged, protobuf.Malformed) as error:
        raise CutawayError(f"{path}: it is not a complete ORT file: {one_line(str(error))}") from None


def _model(buffer: Flatbuffer) -> Model:
    table = buffer.root().table(1)
    graph = None if table is None else table.table(7)
    if table is None or graph is None:
        raise Damaged("there is no graph in it")
    opsets = {domain_of(each.text(0)): each.number(1, "q") for each in table.tables(1)}
    return Model(_graph(graph, 0), opsets, {}, table.text(2), table.number(0, "q"))


def _graph(table: Table, depth: int) -> Graph:
    if depth > DEEPEST:
        raise Damaged(f"graphs are nested more than {DEEPEST} deep")
    values = {each.text(0): Declared(each.text(0), _type(each.table(2), 0)) for each in table.tables(1)}
    tensors = [_tensor(each) for each in table.tables(0)]
    for sparse in table.tables(7):
        inner = sparse.table(0)
        if inner is not None:
            stored = _tensor(inner)
            tensors.append(Tensor(stored.name, stored.dtype, _dims(sparse, 2), sparse=True))
    inputs = [values.get(name, Declared(name, None)) for name in table.texts(5)]
    outputs = [values.get(name, Declared(name, None)) for name in table.texts(6)]
    nodes = sorted(table.tables(2), key=lambda each: int(each.number(4, "I")))
    return Graph(
        "",
        tuple(inputs),
        tuple(outputs),
        tuple(values.values()),
        tuple(tensors),
        ordered([_node(each, depth) for each in nodes]),
    )


def _node(table: Table, depth: int) -> Node:
    attributes = {each.text(0): _attribute(each, depth) for each in table.tables(10)}
    return Node(
        table.text(5),
        domain_of(table.text(2)),
        table.text(0),
        tuple(table.texts(8)),
        tuple(table.texts(9)),
        attributes,
        version=table.number(3),
    )


def _inner(field: int, read: Callable[..., Any]) -> Callable[[Table, int], Any]:
    def attribute(table: Table, depth: int) -> Any:
        inner = table.table(field)
        return None if inner is None else read(inner, depth)

    return attribute


_ATTRIBUTES: dict[int, Callable[[Table, int], Any]] = {
    1: lambda table, depth: table.number(3, "f", 0.0),
    2: lambda table, depth: table.number(4, "q"),
    3: lambda table, depth: table.text(5),
    4: _inner(6, lambda inner, depth: _tensor(inner)),
    5: _inner(7, lambda inner, depth: _graph(inner, depth + 1)),
    6: lambda table, depth: table.numbers(8, "f") or [],
    7: lambda table, depth: table.numbers(9, "q") or [],
    8: lambda table, depth: table.texts(10),
    9: lambda table, depth: [_tensor(each) for each in table.tables(11)],
    10: lambda table, depth: [_graph(each, depth + 1) for each in table.tables(12)],
}
"""The kind of an attribute -> how its value is read."""


def _attribute(table: Table, depth: int) -> Attribute:
    kind = table.number(2)
    return _ATTRIBUTES[kind](table, depth) if kind in _ATTRIBUTES else None  # type: ignore[no-any-return]


def _type(table: Table | None, depth: int) -> Type | None:
    if table is None or depth > DEEPEST:
        return None
    kind, value = table.number(1, "B"), table.table(2)
    if value is None:
        return None
    if kind == _TENSOR:
        shape = value.table(1)
        dims = None if shape is None else tuple(_dimension(each) for each in shape.tables(0))
        return Type("tensor", dtype_name(value.number(0)), dims)
    if kind == _SEQUENCE:
        return Type("sequence", element=_type(value.table(0), depth + 1))
    return Type("map", element=_type(value.table(1), depth + 1)) if kind == _MAP else None


def _dimension(table: Table) -> int | str | None:
    value = table.table(0)
    kind = 0 if value is None else value.number(0, "b")
    if value is None or kind not in (_VALUE, _PARAMETER):
        return None
    return int(value.number(1, "q")) if kind == _VALUE else value.text(2) or None


def _dims(table: Table, field: int) -> tuple[int, ...]:
    dims = table.numbers(field, "q", MOST_DIMENSIONS + 1) or []
    if len(dims) > MOST_DIMENSIONS or any(size < 0 for size in dims):
        raise Damaged(f"a tensor has the impossible shape {dims[:8]}")
    return tuple(dims)


def _tensor(table: Table) -> Tensor:
    dtype = dtype_name(table.number(3))

    def read(most: int) -> list[Any] | None:
        found = table.vector(4)
        if found is None:
            return table.texts(5)[:most] if dtype == "string" else None
        start, count = found
        return raw_numbers(table.buffer.data, (start, start + count), dtype, most)

    return Tensor(table.text(0), dtype, _dims(table, 2), read)
