"""Where HDF5 keeps many links, many attributes and long strings: heaps, and trees that index them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cutaway.formats.hdf5_bytes import Cursor, Damaged, Window, is_undefined

_DEEPEST = 32
_MOST_RECORDS = 200_000
_HEADER = 160


def symbol_table(window: Window, tree: int, heap: int) -> Iterator[tuple[str, int]]:
    """Yield names and addresses of a group of the old style."""
    head = window.cursor(heap, 8 + 2 * window.length_width + window.offset_width)
    head.expect(b"HEAP")
    head.take(4)
    size = head.length()
    head.length()
    names = window.read(head.offset(), size)
    yield from _tree_entries(window, tree, names, 0)


def _tree_entries(window: Window, address: int, names: bytes, depth: int) -> Iterator[tuple[str, int]]:
    if depth > _DEEPEST:
        raise Damaged(f"byte {address}: a tree of names is nested too deeply")
    head = window.cursor(address, 8 + 2 * window.offset_width)
    signature = head.take(4)
    if signature == b"SNOD":
        count = int.from_bytes(head.take(4)[2:], "little")
        width = 2 * window.offset_width + 24
        entries = window.cursor(address + 8, count * width)
        for _ in range(count):
            name, target = entries.offset(), entries.offset()
            entries.take(24)
            end = names.find(b"\0", name)
            if name >= len(names) or end < 0:
                raise Damaged(f"byte {address}: the name of a link is not in its heap")
            yield names[name:end].decode("utf-8", "replace"), target
        return
    if signature != b"TREE":
        raise Damaged(f"byte {address}: TREE or SNOD was expected")
    head.take(2)
    count = head.number(2)
    step = window.length_width + window.offset_width
    children = window.cursor(address + 8 + 2 * window.offset_width, count * step)
    for _ in range(count):
        children.length()
        yield from _tree_entries(window, children.offset(), names, depth + 1)


def global_object(window: Window, collection: int, index: int) -> bytes:
    """Return what a collection of the global heap holds under an index."""
    head = window.cursor(collection, 8 + window.length_width)
    head.expect(b"GCOL")
    head.take(4)
    body = window.cursor(collection, head.length())
    body.take(8 + window.length_width)
    while body.rest >= 8 + window.length_width:
        number = body.number(2)
        body.take(6)
        size = body.length()
        if number == index:
            return body.take(size)
        if not number:
            break
        body.take(size + -size % 8)
    raise Damaged(f"byte {collection}: the global heap has no object {index}")


@dataclass(slots=True)
class FractalHeap:
    """A heap of blocks that double in size; objects have ids."""

    window: Window
    id_width: int
    is_filtered: bool
    largest_managed: int
    huge_tree: int
    width: int
    start: int
    largest_direct: int
    bits: int
    root: int
    rows: int
    has_checksum: bool

    @property
    def offset_bytes(self) -> int:
        """How many bytes a place in the heap takes."""
        return (self.bits + 7) // 8

    def object(self, identity: bytes) -> bytes:
        """Return the object of an id."""
        kind = identity[0] >> 4 & 3
        if kind == 2:
            return identity[1 : 2 + (identity[0] & 15)]
        if kind == 1:
            return self._huge(identity)
        if kind or self.is_filtered:
            raise Damaged("an object of a heap is stored in a way that is not supported")
        limit = min(self.largest_direct, self.largest_managed)
        width = (max(limit, 1).bit_length() + 7) // 8
        offset = int.from_bytes(identity[1 : 1 + self.offset_bytes], "little")
        length = int.from_bytes(identity[1 + self.offset_bytes : 1 + self.offset_bytes + width], "little")
        block, begin = self._block(offset)
        return self.window.read(block + offset - begin, length)

    def _huge(self, identity: bytes) -> bytes:
        wanted = int.from_bytes(identity[1:], "little")
        for record in records(self.window, self.huge_tree):
            cursor = Cursor(record, self.window)
            address, length, number = cursor.offset(), cursor.length(), cursor.length()
            if number == wanted:
                return self.window.read(address, length)
        raise Damaged("a large object of a heap is missing")

    def _block(self, offset: int) -> tuple[int, int]:
        """Return the direct block that a place is in: its address, and where it begins in the heap."""
        if not self.rows:
            return self.root, 0
        address, begin, rows = self.root, 0, self.rows
        for _ in range(_DEEPEST):
            row, row_begin, size = self._row(offset - begin)
            if row >= rows:
                break
            column = (offset - begin - row_begin) // size
            direct_rows = max(self.largest_direct // self.start, 1).bit_length() + 1
            at = 5 + self.window.offset_width + self.offset_bytes
            at += (row * self.width + column) * self.window.offset_width
            child = int.from_bytes(self.window.read(address + at, self.window.offset_width), "little")
            begin += row_begin + column * size
            if row < direct_rows:
                return child, begin
            address = child
            rows = (size // self.start // self.width).bit_length()
        raise Damaged("a place in a heap is beyond its blocks")

    def _row(self, offset: int) -> tuple[int, int, int]:
        """Return the row of a place, where the row begins, and the size of its blocks."""
        size, begin, row = self.start, 0, 0
        while offset >= begin + size * self.width:
            begin += size * self.width
            row += 1
            size = self.start << max(row - 1, 0)
            if row > 64:
                raise Damaged("a place in a heap is beyond its blocks")
        return row, begin, size


def fractal_heap(window: Window, address: int) -> FractalHeap:
    """Read the header of a heap."""
    head = window.up_to(address, _HEADER)
    head.expect(b"FRHP")
    head.take(1)
    id_width, filters, flags = head.number(2), head.number(2), head.number(1)
    largest = head.number(4)
    head.length()
    huge = head.offset()
    head.length()
    head.offset()
    for _ in range(8):
        head.length()
    width, start, direct = head.number(2), head.length(), head.length()
    bits = head.number(2)
    head.number(2)
    root, rows = head.offset(), head.number(2)
    if not (width and start and direct) or bits > 64 or start > direct:
        raise Damaged(f"byte {address}: the sizes of a heap contradict each other")
    return FractalHeap(
        window, id_width, bool(filters), largest, huge, width, start, direct, bits, root, rows, bool(flags & 2)
    )


def records(window: Window, address: int) -> Iterator[bytes]:
    """Yield the records of a tree of the new style."""
    if is_undefined(address, window):
        return
    head = window.up_to(address, 48)
    head.expect(b"BTHD")
    head.take(2)
    node_size, width, depth = head.number(4), head.number(2), head.number(2)
    head.take(2)
    root, count = head.offset(), head.number(2)
    if not width or depth > _DEEPEST or node_size < 16:
        raise Damaged(f"byte {address}: the sizes of a tree contradict each other")
    widths = _count_widths(window, node_size, width, depth)
    for done, record in enumerate(_node_records(window, root, count, depth, width, node_size, widths)):
        if done > _MOST_RECORDS:
            raise Damaged(f"byte {address}: a tree has more records than a network has weights")
        yield record


def _count_widths(window: Window, node_size: int, width: int, depth: int) -> list[tuple[int, int]]:
    """Return, for each level, how many bytes the counts of a child take: its own records, and all below it."""
    most = (node_size - 10) // width
    own = _width(most)
    widths, total = [(0, 0)], most
    total_width = 0
    for level in range(1, depth + 1):
        pointer = window.offset_width + own + (total_width if level > 1 else 0)
        widths.append((own, total_width if level > 1 else 0))
        most = max((node_size - 10 - pointer) // (width + pointer), 1)
        total = (most + 1) * total + most
        total_width = _width(total)
    return widths


def _width(number: int) -> int:
    return max((number.bit_length() + 7) // 8, 1)


def _node_records(
    window: Window, address: int, count: int, level: int, width: int, node_size: int, widths: list[tuple[int, int]]
) -> Iterator[bytes]:
    node = window.cursor(address, node_size)
    node.expect(b"BTIN" if level else b"BTLF")
    node.take(2)
    own = [node.take(width) for _ in range(count)]
    if not level:
        yield from own
        return
    for at in range(count + 1):
        child, held = node.offset(), node.number(widths[level][0])
        node.take(widths[level][1])
        yield from _node_records(window, child, held, level - 1, width, node_size, widths)
        if at < count:
            yield own[at]
