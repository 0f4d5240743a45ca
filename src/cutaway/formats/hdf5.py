"""HDF5 files as far as Keras writes them: groups, attributes, the shapes and types of datasets, and where their data lie."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cutaway.formats.beginnings import HDF5
from cutaway.formats.hdf5_bytes import Cursor, Damaged, Window, is_undefined
from cutaway.formats.hdf5_heaps import fractal_heap, global_object, records, symbol_table

_DATASPACE, _LINK_INFO, _DATATYPE, _LINK, _LAYOUT, _ATTRIBUTE, _CONTINUATION, _SYMBOLS, _ATTRIBUTE_INFO = (
    1, 2, 3, 6, 8, 12, 16, 17, 21,
)  # fmt: skip
_CONTIGUOUS, _VIRTUAL = 1, 3
_EXTERNAL, _EXTERNAL_LINK = 7, 64
_PIECE = 1 << 22
_MOST_MESSAGES = 20_000
_MOST_STRINGS = 200_000
_DEEPEST = 32
_FLOATS = {2: "float16", 4: "float32", 8: "float64"}


@dataclass(frozen=True, slots=True)
class _Type:
    """An element type: its class and size; of strings whether each lies in the heap, of others our name."""

    kind: str  # "number", "string", "vlen" or "other"
    size: int
    name: str | None = None


@dataclass(slots=True)
class Node:
    """A group, or a dataset where there is a shape."""

    attributes: dict[str, Any] = field(default_factory=dict)
    links: dict[str, int] = field(default_factory=dict)
    outside: list[str] = field(default_factory=list)
    """The other files that it needs, in words."""
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    is_dataset: bool = False
    data: tuple[int, int] | None = None  # where its numbers lie in one piece, and how many bytes they are


class File:
    """An open file; nodes are read when they are asked for."""

    def __init__(self, window: Window) -> None:
        self.window = window
        head = window.up_to(0, 128)
        head.expect(HDF5)
        version = head.number(1)
        if version in (0, 1):
            head.take(4)
            self._widths(head)
            head.take(9 if version == 0 else 13)
            self._base(head)
            for _ in range(4):
                head.offset()
            self.root = head.offset()
        elif version in (2, 3):
            self._widths(head)
            head.take(1)
            self._base(head)
            head.offset()
            head.offset()
            self.root = head.offset()
        else:
            raise Damaged(f"byte 8: there is no version {version} of HDF5")

    def _widths(self, head: Cursor) -> None:
        self.window.offset_width, self.window.length_width = head.number(1), head.number(1)
        if self.window.offset_width not in (2, 4, 8) or self.window.length_width not in (2, 4, 8):
            raise Damaged("byte 13: addresses of an unusual width")

    def _base(self, head: Cursor) -> None:
        self.window.base = head.offset()

    def node(self, address: int) -> Node:
        """Read a group, or what is said about a dataset."""
        node = Node()
        kind: _Type | None = None
        ordered: list[tuple[int, str, int]] = []
        for number, body in self._messages(address):
            if number == _DATASPACE:
                node.shape, node.is_dataset = _dataspace(body), True
            elif number == _DATATYPE:
                kind = _datatype(body)
            elif number == _LAYOUT:
                node.data = _layout(body)
                if body.data[1:2] == bytes([_VIRTUAL]):
                    node.outside.append("the sources of a virtual dataset")
            elif number == _EXTERNAL:
                node.outside.append("the file that its numbers lie in")
            elif number == _LINK:
                ordered.extend(_link(body, node.outside))
            elif number == _LINK_INFO:
                ordered.extend(self._dense_links(body, node.outside))
            elif number == _SYMBOLS:
                links = symbol_table(self.window, body.offset(), body.offset())
                ordered.extend((0, name, target) for name, target in links)
            elif number == _ATTRIBUTE:
                self._attribute(body, node)
            elif number == _ATTRIBUTE_INFO:
                for each in self._dense_attributes(body):
                    self._attribute(each, node)
        node.links = {name: target for _, name, target in sorted(ordered, key=lambda link: link[0])}
        node.dtype = None if kind is None else kind.name
        return node

    def numbers(self, node: Node) -> Callable[[], Iterator[bytes]] | None:
        """Return what yields the bytes of a dataset; None where they do not lie in one piece."""
        if node.data is None:
            return None
        (start, size), window = node.data, self.window

        def pieces() -> Iterator[bytes]:
            for at in range(start, start + size, _PIECE):
                window.file.seek(window.start + window.base + at)
                yield window.file.read(min(_PIECE, start + size - at))

        return pieces

    def walk(self, address: int | None = None) -> Iterator[tuple[str, Node]]:
        """Yield every node below a group with its path, each once, groups before what is in them."""
        waiting = [("", self.root if address is None else address)]
        seen = set()
        while waiting:
            path, at = waiting.pop()
            if at in seen:
                continue
            if path.count("/") > _DEEPEST * 2:
                raise Damaged(f"{path[:60]}: groups are nested too deeply")
            seen.add(at)
            node = self.node(at)
            yield path, node
            below = [(f"{path}/{name}" if path else name, target) for name, target in node.links.items()]
            waiting.extend(reversed(below))

    def at(self, path: str, address: int | None = None) -> int | None:
        """Return the address of a path below a group, None where there is no such."""
        found = self.root if address is None else address
        for part in path.split("/"):
            inner = self.node(found).links.get(part) if part else found
            if inner is None:
                return None
            found = inner
        return found

    def _messages(self, address: int) -> Iterator[tuple[int, Cursor]]:
        is_new = self.window.read(address, 4) == b"OHDR"
        waiting, tracked = [self._first_chunk(address, is_new)], False
        if is_new:
            tracked = bool(self.window.read(address + 5, 1)[0] & 4)
        count = 0
        while waiting:
            chunk = waiting.pop(0)
            least = 4 + 2 * tracked if is_new else 8
            while chunk.rest >= least:
                count += 1
                if count > _MOST_MESSAGES:
                    raise Damaged(f"byte {address}: an object has more messages than there can be")
                number = chunk.number(1 if is_new else 2)
                size, flags = chunk.number(2), chunk.number(1)
                chunk.take(2 * tracked if is_new else 3)
                body = Cursor(chunk.take(size), self.window, chunk.address + chunk.at - size)
                if number == _CONTINUATION:
                    waiting.append(self._next_chunk(body.offset(), body.length(), is_new))
                elif not flags & 2:  # one that is shared with other objects says nothing that is needed
                    yield number, body

    def _first_chunk(self, address: int, is_new: bool) -> Cursor:
        if not is_new:
            head = self.window.cursor(address, 16)
            if head.number(1) != 1:
                raise Damaged(f"byte {address}: no object begins here")
            head.take(7)
            return self.window.cursor(address + 16, head.number(4))
        head = self.window.up_to(address, 40)
        head.take(5)
        flags = head.number(1)
        head.take((16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0))
        size = head.number(1 << (flags & 3))
        return self.window.cursor(address + head.at, size)

    def _next_chunk(self, address: int, size: int, is_new: bool) -> Cursor:
        if not is_new:
            return self.window.cursor(address, size)
        chunk = self.window.cursor(address, size)
        chunk.expect(b"OCHK")
        return Cursor(chunk.take(max(size - 8, 0)), self.window, address + 4)

    def _dense_links(self, body: Cursor, outside: list[str]) -> Iterator[tuple[int, str, int]]:
        for data in self._dense(body, 8, 4):
            yield from _link(Cursor(data, self.window), outside)

    def _dense_attributes(self, body: Cursor) -> Iterator[Cursor]:
        for data in self._dense(body, 2, 0):
            yield Cursor(data, self.window)

    def _dense(self, body: Cursor, index_width: int, at: int) -> Iterator[bytes]:
        """Yield what a heap holds; records of its index have the id behind `at` bytes."""
        body.take(1)
        if body.number(1) & 1:
            body.take(index_width)
        heap, tree = body.offset(), body.offset()
        if is_undefined(heap, self.window):
            return
        held = fractal_heap(self.window, heap)
        for record in records(self.window, tree):
            yield held.object(record[at : at + held.id_width])

    def _attribute(self, body: Cursor, node: Node) -> None:
        version = body.number(1)
        body.take(1)
        name_size, type_size, space_size = body.number(2), body.number(2), body.number(2)
        if version == 3:
            body.take(1)
        padded = version == 1

        def part(size: int) -> bytes:
            found = body.take(size)
            if padded:
                body.take(min(-size % 8, body.rest))
            return found

        name = part(name_size).rstrip(b"\0").decode("utf-8", "replace")
        kind = _datatype(Cursor(part(type_size), self.window))
        shape = _dataspace(Cursor(part(space_size), self.window))
        node.attributes[name] = self._values(body, kind, shape)

    def _values(self, body: Cursor, kind: _Type, shape: tuple[int, ...] | None) -> Any:
        """Return the strings or numbers of an attribute; None for what it can't be read as."""
        if shape is None or kind.kind == "other":
            return None
        count = 1
        for size in shape:
            count *= size
            if count > _MOST_STRINGS:
                raise Damaged("an attribute has more values than there can be")
        if count * kind.size > body.rest:
            raise Damaged(f"byte {body.address}: an attribute is cut off")
        values = [self._value(Cursor(body.take(kind.size), self.window), kind) for _ in range(count)]
        return values[0] if shape == () else values

    def _value(self, cell: Cursor, kind: _Type) -> Any:
        if kind.kind == "string":
            return cell.data.rstrip(b"\0").decode("utf-8", "replace")
        if kind.kind == "vlen":
            size, collection, index = cell.number(4), cell.offset(), cell.number(4)
            if not size or is_undefined(collection, self.window):
                return ""
            return global_object(self.window, collection, index)[:size].decode("utf-8", "replace")
        if kind.name in ("float32", "float64"):
            return struct.unpack("<f" if kind.size == 4 else "<d", cell.data)[0]
        return int.from_bytes(cell.data, "little", signed=str(kind.name).startswith("int"))


def _layout(body: Cursor) -> tuple[int, int] | None:
    """Return where the numbers of a dataset lie; None where they are in several pieces, or in an older form."""
    version, kind = body.number(1), body.number(1)
    if version not in (3, 4) or kind != _CONTIGUOUS:
        return None
    address = body.offset()
    return None if is_undefined(address, body.window) else (address, body.length())


def _dataspace(body: Cursor) -> tuple[int, ...] | None:
    version, rank, _flags = body.number(1), body.number(1), body.number(1)
    if version == 1:
        body.take(5)
    elif version == 2:
        if body.number(1) == 2:
            return None  # it has no elements at all
    else:
        raise Damaged(f"byte {body.address}: there is no version {version} of a shape")
    if rank > _DEEPEST:
        raise Damaged(f"byte {body.address}: a shape of {rank} dimensions")
    return tuple(body.length() for _ in range(rank))


def _datatype(body: Cursor, depth: int = 0) -> _Type:
    head = body.number(1)
    flags, size = body.number(3), body.number(4)
    kind = head & 15
    if kind == 0:
        return _Type("number", size, f"{'' if flags & 8 else 'u'}int{8 * size}" if size in (1, 2, 4, 8) else None)
    if kind == 1:
        body.take(5)
        exponent = body.number(1)
        return _Type("number", size, "bfloat16" if (size, exponent) == (2, 8) else _FLOATS.get(size))
    if kind == 3:
        return _Type("string", size)
    if kind == 9 and flags & 15 == 1:
        return _Type("vlen", size)
    if kind == 8 and size == 1:
        return _Type("other", size, "bool")
    if kind == 6 and size in (8, 16):
        return _Type("other", size, f"complex{8 * size}")
    return _Type("other", size)


def _link(body: Cursor, outside: list[str]) -> Iterator[tuple[int, str, int]]:
    """Yield the order, name and address of a link to an object in the same file; enter the file that another leads to."""
    body.take(1)
    flags = body.number(1)
    kind = body.number(1) if flags & 8 else 0
    order = body.number(8) if flags & 4 else 0
    body.take(1 if flags & 16 else 0)
    name = body.take(body.number(1 << (flags & 3))).decode("utf-8", "replace")
    if not kind:
        yield order, name, body.offset()
    elif kind == _EXTERNAL_LINK:
        parts = body.take(body.number(2))[1:].split(b"\0")
        outside.append(b":".join(parts[:2]).decode("utf-8", "replace"))
