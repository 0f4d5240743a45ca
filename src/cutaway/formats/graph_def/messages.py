"""Messages of Protocol Buffers in a buffer that may be large: fields by number, and what graphs are made of."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

from cutaway.core.size.dim import Size
from cutaway.formats.protobuf import LONGEST_TEXT, Malformed, signed

Fields = dict[int, list[Any]]
"""The values of each field in order: whole numbers, or views of bytes."""

DTYPES = {
    1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 7: "string", 8: "complex64", 9: "int64",
    10: "bool", 11: "qint8", 12: "quint8", 13: "qint32", 14: "bfloat16", 15: "qint16", 16: "quint16", 17: "uint16",
    18: "complex128", 19: "float16", 20: "resource", 21: "variant", 22: "uint32", 23: "uint64", 24: "float8_e5m2",
    25: "float8_e4m3fn", 29: "int4", 30: "uint4",
}  # fmt: skip
_MOST_NUMBERS = 1024
_MOST_DIMENSIONS = 254
LARGEST_SIZE = 1 << 48
_SHAPES_SINCE = 24


def parse(data: Any) -> Fields:
    """Return the fields of a message."""
    if isinstance(data, int):
        raise Malformed("a message was expected, not a number")
    found: Fields = {}
    at, end = 0, len(data)
    while at < end:
        key, at = _varint(data, at, end)
        kind, number = key & 7, key >> 3
        if kind == 2:
            size, at = _varint(data, at, end)
            value: Any = data[at : at + size]
            at += size
        elif kind == 0:
            value, at = _varint(data, at, end)
        elif kind in (1, 5):
            width = 8 if kind == 1 else 4
            value = data[at : at + width]
            at += width
        else:
            raise Malformed(f"there is no wire type {kind}")
        if at > end or not number:
            raise Malformed("a field goes beyond the end")
        held = found.get(number)
        if held is None:
            found[number] = [value]
        else:
            held.append(value)
    return found


def _varint(data: Any, at: int, end: int) -> tuple[int, int]:
    if at >= end:
        raise Malformed("a number does not end")
    byte: int = data[at]
    if byte < 0x80:
        return byte, at + 1
    value, shift = byte & 0x7F, 7
    while True:
        at += 1
        if at >= end or shift > 63:
            raise Malformed("a number does not end")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at + 1
        shift += 7


def text(fields: Fields, number: int) -> str:
    """Return a string, empty where it is missing."""
    values = fields.get(number)
    return decoded(values[-1]) if values else ""


def decoded(value: Any) -> str:
    """Return bytes as text."""
    if isinstance(value, int):
        raise Malformed("a text was expected")
    return bytes(value[:LONGEST_TEXT]).decode("utf-8", "replace")


def texts(fields: Fields, number: int) -> list[str]:
    """Return strings."""
    return [decoded(value) for value in fields.get(number, ())]


def number(fields: Fields, key: int, default: int = 0) -> int:
    """Return a whole number with its sign."""
    values = fields.get(key)
    if not values:
        return default
    if not isinstance(values[-1], int):
        raise Malformed("a number was expected")
    return signed(values[-1])


def numbers(fields: Fields, key: int, most: int = _MOST_NUMBERS) -> list[int]:
    """Return whole numbers, packed or not."""
    found: list[int] = []
    for value in fields.get(key, ()):
        if isinstance(value, int):
            found.append(signed(value))
            continue
        at = 0
        while at < len(value) and len(found) < most:
            each, at = _varint(value, at, len(value))
            found.append(signed(each))
    return found[:most]


def message(fields: Fields, key: int) -> Fields | None:
    """Return a message; None where it is missing."""
    values = fields.get(key)
    if not values:
        return None
    if isinstance(values[-1], int):
        raise Malformed("a message was expected")
    return parse(values[-1])


def messages(fields: Fields, key: int) -> list[Fields]:
    """Return the messages of a repeated field."""
    values = fields.get(key, ())
    if any(isinstance(value, int) for value in values):
        raise Malformed("a message was expected")
    return [parse(value) for value in values]


def entries(fields: Fields, key: int) -> dict[str, Any]:
    """Return a map: keys, and views of the values."""
    found = {}
    for pair in messages(fields, key):
        found[text(pair, 1)] = pair[2][-1] if 2 in pair else b""
    return found


ToldShape = tuple[int | None, ...] | None
"""A shape as a file states it: None for sizes that it leaves open, and for a rank that it leaves open."""


def shape(data: Any) -> ToldShape:
    """Return a TensorShapeProto."""
    fields = parse(data)
    if number(fields, 3):
        return None
    dims = fields.get(2, [])
    if len(dims) > _MOST_DIMENSIONS:
        raise Malformed("a shape has more dimensions than there can be")
    sizes = [number(parse(dim), 1) for dim in dims]
    return tuple(None if not 0 <= size <= LARGEST_SIZE else size for size in sizes)


def dtype(code: int) -> str | None:
    """Return an element type by its number; a reference to a variable has that of the variable."""
    return DTYPES.get(code - 100 if code > 100 else code)


@dataclass(slots=True)
class Constant:
    """A tensor in a file: its numbers only where they are few whole ones."""

    shape: ToldShape
    dtype: str | None
    numbers: tuple[Size, ...] | None = None
    strings: tuple[str, ...] = ()


_CODES = {
    "int32": "i",
    "int64": "q",
    "int16": "h",
    "int8": "b",
    "uint8": "B",
    "bool": "?",
    "uint16": "H",
    "uint32": "I",
}


def constant(data: Any) -> Constant:
    """Return a TensorProto."""
    fields = parse(data)
    kind = dtype(number(fields, 1))
    told = shape(fields[2][-1]) if 2 in fields else ()
    made = Constant(told, kind)
    if told is None or kind is None or any(size is None for size in told):
        return made
    count = 1
    for size in told:
        count *= size or 0
    if kind == "string" and count <= 64:
        made.strings = tuple(decoded(value) for value in fields.get(8, ())[:64])
    if count > _MOST_NUMBERS or kind not in _CODES:
        return made
    content = [value for value in fields.get(4, ()) if not isinstance(value, int)]
    code = _CODES[kind]
    if content and len(content[-1]):
        width = struct.calcsize(f"<{code}")
        if len(content[-1]) != count * width:
            raise Malformed(f"a tensor of {count} numbers has {len(content[-1])} bytes")
        made.numbers = tuple(int(each) for each in struct.unpack(f"<{count}{code}", bytes(content[-1])))
        return made
    listed = numbers(fields, {"int64": 10, "bool": 11, "uint32": 16}.get(kind, 7))
    if count and not listed:
        listed = [0]
    if listed and len(listed) < count:
        listed += [listed[-1]] * (count - len(listed))
    made.numbers = tuple(listed[:count])
    return made


@dataclass(slots=True)
class Node:
    """An operation of a graph; its attributes are read when they are asked for."""

    name: str
    op: str
    inputs: list[str]
    raw: dict[str, Any]
    _read: dict[str, Fields] = field(default_factory=dict)

    def attribute(self, name: str) -> Fields | None:
        """Return an AttrValue."""
        if name not in self.raw:
            return None
        if name not in self._read:
            self._read[name] = parse(self.raw[name])
        return self._read[name]

    def integer(self, name: str, default: int = 0) -> int:
        """Return a whole number."""
        found = self.attribute(name)
        return default if found is None else number(found, 3, default)

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a truth value."""
        found = self.attribute(name)
        return default if found is None else bool(number(found, 5, int(default)))

    def string(self, name: str, default: str = "") -> str:
        """Return a string."""
        found = self.attribute(name)
        return default if found is None or 2 not in found else text(found, 2)

    def type(self, name: str) -> str | None:
        """Return an element type."""
        found = self.attribute(name)
        return None if found is None else dtype(number(found, 6))

    def types(self, name: str) -> list[str | None]:
        """Return a list of element types."""
        found = self.attribute(name)
        listed = message(found, 1) if found is not None else None
        return [] if listed is None else [dtype(code) for code in numbers(listed, 6)]

    def integers(self, name: str) -> list[int]:
        """Return a list of whole numbers."""
        found = self.attribute(name)
        listed = message(found, 1) if found is not None else None
        return [] if listed is None else numbers(listed, 3)

    def strings(self, name: str) -> list[str]:
        """Return a list of strings."""
        found = self.attribute(name)
        listed = message(found, 1) if found is not None else None
        return [] if listed is None else texts(listed, 2)

    def shape(self, name: str = "shape") -> tuple[bool, ToldShape]:
        """Return whether there is a shape, and which."""
        found = self.attribute(name)
        if found is None or 7 not in found:
            return False, None
        return True, shape(found[7][-1])

    def shapes(self, name: str = "_output_shapes") -> list[ToldShape]:
        """Return a list of shapes."""
        found = self.attribute(name)
        listed = message(found, 1) if found is not None else None
        return [] if listed is None else [shape(each) for each in listed.get(7, ())]

    def tensor(self, name: str = "value") -> Constant | None:
        """Return a tensor."""
        found = self.attribute(name)
        return None if found is None or 8 not in found else constant(found[8][-1])

    def raw_tensor(self, name: str = "value") -> Any:
        """Return a tensor as it is written; None where there is none."""
        found = self.attribute(name)
        return None if found is None or 8 not in found else found[8][-1]

    def function(self, name: str) -> str:
        """Return the name of a function."""
        found = self.attribute(name)
        inner = message(found, 10) if found is not None else None
        return "" if inner is None else text(inner, 1)

    def functions(self, name: str) -> list[str]:
        """Return the names of functions in a list."""
        found = self.attribute(name)
        listed = message(found, 1) if found is not None else None
        return [] if listed is None else [text(each, 1) for each in messages(listed, 9)]


def node(data: Any) -> Node:
    """Return a NodeDef."""
    fields = parse(data)
    raw = {}
    for pair in fields.get(5, ()):
        held = parse(pair)
        raw[text(held, 1)] = held[2][-1] if 2 in held else b""
    return Node(text(fields, 1), text(fields, 2), texts(fields, 3), raw)


@dataclass(slots=True)
class Function:
    """A function of a graph's library, read when it is called."""

    data: Any
    name: str
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    returns: dict[str, str] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    is_read: bool = False

    def read(self) -> Function:
        """Read the body."""
        if not self.is_read:
            fields = parse(self.data)
            signature = message(fields, 1) or {}
            self.inputs = [text(each, 1) for each in messages(signature, 2)]
            self.outputs = [text(each, 1) for each in messages(signature, 3)]
            self.returns = {name: decoded(value) for name, value in entries(fields, 4).items()}
            self.nodes = [node(each) for each in fields.get(3, ())]
            self.is_read = True
        return self


@dataclass(slots=True)
class Graph:
    """The nodes of a graph, and the functions that they may call."""

    nodes: list[Node]
    functions: dict[str, Function]
    producer: int = 0

    def placeholder_shape(self, node: Node) -> ToldShape:
        """Return the shape of an input; before version 24, an empty one says that nothing is known."""
        there, own = node.shape()
        claims = node.shapes()
        if claims and claims[0] is not None and (not there or not own):
            return claims[0]
        return None if not there or (own == () and self.producer < _SHAPES_SINCE) else own


def graph(data: Any) -> Graph:
    """Return a GraphDef."""
    fields = parse(data)
    functions: dict[str, Function] = {}
    for library in messages(fields, 2):
        for each in library.get(1, ()):
            signature = message(parse_first(each), 1) or {}
            functions[text(signature, 1)] = Function(each, text(signature, 1))
    versions = message(fields, 4)
    producer = number(versions, 1) if versions is not None else number(fields, 3)
    return Graph([node(each) for each in fields.get(1, ())], functions, producer)


def parse_first(data: Any) -> Fields:
    """Return only the first field of a message, without looking at the others, if it is a message."""
    if isinstance(data, int):
        raise Malformed("a message was expected, not a number")
    key, at = _varint(data, 0, len(data))
    if key & 7 != 2:
        return parse(data)
    size, at = _varint(data, at, len(data))
    if key >> 3 != 1 or at + size > len(data):
        return parse(data)
    return {1: [data[at : at + size]]}
