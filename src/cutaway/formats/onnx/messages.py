"""A model from the messages of an ONNX file; the numbers of tensors are read only where something asks for them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cutaway.formats.graph.model import (
    Attribute,
    Declared,
    Function,
    Graph,
    Model,
    Node,
    Reference,
    Tensor,
    Type,
    ordered,
)
from cutaway.formats.protobuf import Buffer, Malformed, Message, Span, written

DTYPES = (
    None, "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "float64",
    "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
    "float8_e5m2fnuz", "uint4", "int4", "float4_e2m1fn", "float8_e8m0fnu", "uint2", "int2", "float6_e2m3fn",
    "float6_e3m2fn",
)  # fmt: skip
"""Element types by their numbers in a file."""

CODES = {
    "float32": "f", "float64": "d", "float16": "e", "int8": "b", "uint8": "B", "bool": "?", "int16": "h", "uint16": "H",
    "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q",
}  # fmt: skip
"""How `struct` reads the numbers of an element type."""

DEEPEST, MOST_DIMENSIONS = 48, 64

# Numbers of fields.
_IR_VERSION, _PRODUCER, _GRAPH, _OPSET, _TRAINING, _FUNCTION = 1, 2, 7, 8, 20, 25
_NODE, _NAME, _TENSOR, _INPUT, _OUTPUT, _VALUE, _SPARSE = 1, 2, 5, 11, 12, 13, 15
_INTEGERS, _LONGS, _REALS, _DOUBLES, _UNSIGNED, _RAW = 5, 7, 4, 10, 11, 9
_KEY, _TEXT = 1, 2


def read_model(data: Buffer) -> Model:
    """Return the model of a file."""
    message = Message(data)
    graph = message.message(_GRAPH)
    if graph is None:
        raise Malformed("there is no graph in it (field 7)")
    functions = [_function(each) for each in message.messages(_FUNCTION)]
    return Model(
        _graph(graph, 0),
        _opsets(message, _OPSET),
        {(each.domain, each.name, each.overload): each for each in functions},
        message.text(_PRODUCER),
        message.number(_IR_VERSION),
        ("what the file says about training is not read",) if message.spans(_TRAINING) else (),
    )


def dtype_name(number: int) -> str | None:
    """Return the name of an element type by its number in a file."""
    return DTYPES[number] if 0 <= number < len(DTYPES) else None


def domain_of(name: str) -> str:
    """Return a domain by its only name: that of the operators of the standard is empty."""
    return "" if name == "ai.onnx" else name


def _opsets(message: Message, field: int) -> dict[str, int]:
    return {domain_of(each.text(1)): each.number(2) for each in message.messages(field)}


def _function(message: Message) -> Function:
    return Function(
        message.text(1),
        domain_of(message.text(10)),
        message.text(13),
        tuple(message.texts(4)),
        tuple(message.texts(5)),
        dict(_attribute(each, 0) for each in message.messages(11)),
        tuple(_node(each, 0) for each in message.messages(7)),
        _opsets(message, 9),
    )


def _graph(message: Message, depth: int) -> Graph:
    if depth > DEEPEST:
        raise Malformed(f"graphs are nested more than {DEEPEST} deep")
    tensors = [_tensor(each) for each in message.messages(_TENSOR)]
    tensors += [_sparse(each) for each in message.messages(_SPARSE)]
    return Graph(
        message.text(_NAME),
        tuple(map(_declared, message.messages(_INPUT))),
        tuple(map(_declared, message.messages(_OUTPUT))),
        tuple(map(_declared, message.messages(_VALUE))),
        tuple(tensors),
        ordered([_node(each, depth) for each in message.messages(_NODE)]),
    )


def _node(message: Message, depth: int) -> Node:
    return Node(
        message.text(4),
        domain_of(message.text(7)),
        message.text(3),
        tuple(message.texts(1)),
        tuple(message.texts(2)),
        dict(_attribute(each, depth) for each in message.messages(5)),
        message.text(8),
        _entries(message, 9) if 9 in message.fields else {},
    )


def _entries(message: Message, field: int) -> dict[str, str]:
    return {each.text(_KEY): each.text(_TEXT) for each in message.messages(field)}


def _attribute(message: Message, depth: int) -> tuple[str, Attribute]:
    name = message.text(1)
    if 21 in message.fields:
        return name, Reference(message.text(21))
    kind = message.number(20) or _stated_kind(message)
    return name, _ATTRIBUTES[kind](message, depth) if kind in _ATTRIBUTES else None


def _stated_kind(message: Message) -> int:
    """Return the kind of an attribute of an old file, which does not state it, by the field that is there."""
    return next((kind for field, kind in _KINDS if field in message.fields), 0)


_KINDS = ((2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (7, 6), (8, 7), (9, 8), (10, 9), (11, 10), (22, 11), (14, 13))


def _one(field: int, read: Callable[..., Any]) -> Callable[[Message, int], Any]:
    def attribute(message: Message, depth: int) -> Any:
        inner = message.message(field)
        return None if inner is None else read(inner)

    return attribute


def _inner_graph(message: Message, depth: int) -> Graph | None:
    inner = message.message(6)
    return None if inner is None else _graph(inner, depth + 1)


_ATTRIBUTES: dict[int, Callable[[Message, int], Any]] = {
    1: lambda message, depth: (message.fixed(2, "f") or [0.0])[-1],
    2: lambda message, depth: message.number(3),
    3: lambda message, depth: message.text(4),
    4: _one(5, lambda inner: _tensor(inner)),
    5: _inner_graph,
    6: lambda message, depth: message.fixed(7, "f"),
    7: lambda message, depth: message.numbers(8),
    8: lambda message, depth: message.texts(9),
    9: lambda message, depth: [_tensor(each) for each in message.messages(10)],
    10: lambda message, depth: [_graph(each, depth + 1) for each in message.messages(11)],
    11: _one(22, lambda inner: _sparse(inner)),
    13: _one(14, lambda inner: _type(inner)),
}
"""The kind of an attribute -> how its value is read."""


def _declared(message: Message) -> Declared:
    inner = message.message(2)
    return Declared(message.text(1), None if inner is None else _type(inner))


def _type(message: Message, depth: int = 0) -> Type:
    for field, kind in ((1, "tensor"), (8, "sparse")):
        tensor = message.message(field)
        if tensor is not None:
            shape = tensor.message(2)
            dims = None if shape is None else tuple(_dimension(each) for each in shape.messages(1))
            return Type(kind, dtype_name(tensor.number(1)), dims)
    for field, kind, place in ((4, "sequence", 1), (9, "optional", 1), (5, "map", 2)):
        outer = message.message(field)
        if outer is not None:
            inner = outer.message(place) if depth < DEEPEST else None
            return Type(kind, element=None if inner is None else _type(inner, depth + 1))
    return Type("opaque")


def _dimension(message: Message) -> int | str | None:
    if 1 in message.fields:
        return message.number(1)
    return message.text(2) or None


def _dims(numbers: list[int], name: str) -> tuple[int, ...]:
    if len(numbers) > MOST_DIMENSIONS or any(size < 0 for size in numbers):
        raise Malformed(f"the tensor {name or 'without a name'} has the impossible shape {numbers[:8]}")
    return tuple(numbers)


def _tensor(message: Message) -> Tensor:
    name = message.text(8)
    dtype = dtype_name(message.number(2))
    dims = _dims(message.numbers(1), name)
    if message.number(14) == 1:
        entries = _entries(message, 13)
        offset = entries.get("offset", "0")
        return Tensor(
            name, dtype, dims, _absent, entries.get("location", ""), offset=int(offset) if offset.isdecimal() else 0
        )
    return Tensor(name, dtype, dims, _reader(message, dtype), pieces=lambda: _pieces(message, dtype))


def _absent(most: int) -> None:
    return None


def _sparse(message: Message) -> Tensor:
    values = message.message(1)
    if values is None:
        raise Malformed("a sparse tensor has no values")
    stored = _tensor(values)
    return Tensor(stored.name, stored.dtype, _dims(message.numbers(3), stored.name), sparse=True)


def _reader(message: Message, dtype: str | None) -> Callable[[int], list[Any] | None]:
    """Return the function that reads the numbers of a tensor."""

    def read(most: int) -> list[Any] | None:
        if dtype == "string":
            return [written(message.data, span) for span in message.spans(6)[:most]]
        raw = message.span(_RAW)
        if raw is not None:
            return raw_numbers(message.data, raw, dtype, most)
        return _listed(message, dtype, most)

    return read


def _pieces(message: Message, dtype: str | None) -> Iterator[bytes]:
    """Yield the bytes of a tensor, a bounded number at a time."""
    raw = message.span(_RAW)
    if raw is not None:
        for start in range(raw[0], raw[1], _PIECE):
            yield bytes(message.data[start : min(start + _PIECE, raw[1])])
        return
    numbers = _listed(message, dtype, _MOST_LISTED)
    if numbers is None and dtype in _SHORT:
        yield struct.pack(f"<{len(message.numbers(_INTEGERS))}H", *message.numbers(_INTEGERS))
    elif numbers is not None and dtype in CODES:
        yield struct.pack(f"<{len(numbers)}{CODES[dtype]}", *numbers)


_PIECE, _MOST_LISTED = 1 << 22, 1 << 32
_SHORT = ("float16", "bfloat16")


def raw_numbers(data: Buffer, span: Span, dtype: str | None, most: int) -> list[Any] | None:
    """Return the first numbers of a tensor that is stored as bytes; None for element types that `struct` does not have."""
    code = CODES.get(dtype or "")
    if code is None:
        return None
    start, end = span
    width = struct.calcsize(code)
    count = min((end - start) // width, most)
    return list(struct.unpack(f"<{count}{code}", data[start : start + count * width]))


_LISTED: Mapping[str, tuple[int, str | None]] = {
    "float32": (_REALS, "f"), "float64": (_DOUBLES, "d"), "int64": (_LONGS, None), "uint64": (_UNSIGNED, None),
    "uint32": (_UNSIGNED, None), **dict.fromkeys(("int32", "int16", "int8", "uint16", "uint8", "bool"), (_INTEGERS, None)),
}  # fmt: skip
"""Element type -> the field that has its numbers where they are not stored as bytes, and its code in `struct`."""


def _listed(message: Message, dtype: str | None, most: int) -> list[Any] | None:
    if dtype is None or dtype not in _LISTED:
        return None
    field, code = _LISTED[dtype]
    if code is not None:
        return message.fixed(field, code, most)
    numbers = message.numbers(field, most)
    return [bool(each) for each in numbers] if dtype == "bool" else numbers
