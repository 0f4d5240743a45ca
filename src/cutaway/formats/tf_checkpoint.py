"""Checkpoints of TensorFlow: the index file says which tensors there are, with their shapes and types."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from cutaway.core import disk
from cutaway.core.architecture import Architecture, Module
from cutaway.core.error import CutawayError, one_line
from cutaway.core.record import dataclass, replace
from cutaway.formats import weights
from cutaway.formats.graph_def.messages import Fields, ToldShape, dtype, number, parse, shape
from cutaway.formats.pickled_tensor import Stored
from cutaway.formats.protobuf import Malformed, varint

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
_TRAILER = 5
_CHECKSUM = 4
_LARGEST = 64 << 20
_MOST_BLOCKS = 100_000
_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the tensors of a checkpoint."""
    try:
        data = file.read(_LARGEST + 1)
        named = {name: Stored(tuple(sizes), kind, None) for name, sizes, kind in _tensors(data)}
    except Malformed as error:
        raise CutawayError(
            f"{path}: it is not the index of a checkpoint, or it is damaged: {one_line(str(error))}"
        ) from None
    if not named:
        raise CutawayError(f"{path}: the checkpoint has no tensors")
    made = weights.architecture(named, name=os.path.basename(path), target=path, framework="tensorflow")
    listed = tuple(replace(each, module=_owner(each.name)) for each in made.weights)
    paths: dict[str, None] = {"": None}
    for each in listed:
        parts = str(each.module).split("/") if each.module else []
        paths.update(("/".join(parts[: at + 1]), None) for at in range(len(parts)))
    modules = tuple(Module(each, "", "") for each in paths)
    return [replace(made, weights=listed, modules=modules, separator="/")]


def _owner(name: str) -> str:
    """Return the path of what a tensor belongs to."""
    return name.removesuffix(_VALUE).rpartition("/")[0]


def shapes(path: str) -> dict[str, tuple[ToldShape, str | None]]:
    """Return the shapes of tensors in a checkpoint by their names; none where it is missing or can't be read."""
    if not disk.is_file(path):
        return {}
    try:
        with open(path, "rb") as file:
            return {name.removesuffix(_VALUE): (sizes, kind) for name, sizes, kind in _tensors(file.read(_LARGEST + 1))}
    except (OSError, Malformed):
        return {}  # the graph beside it is shown without


@dataclass(frozen=True, slots=True)
class Entry:
    """A tensor of a checkpoint: which of its files it is in, and where."""

    shape: tuple[int, ...]
    dtype: str | None
    shard: int
    start: int
    length: int


def entries(path: str) -> tuple[dict[str, Entry], int]:
    """Return the tensors of a checkpoint by their keys, and how many files they are in."""
    with open(path, "rb") as file:
        data = file.read(_LARGEST + 1)
    found: dict[str, Entry] = {}
    shards = 1
    for key, value in _entries(data):
        fields = parse(value)
        if not key:
            shards = number(fields, 1, 1)
            continue
        name = key.decode("utf-8", "replace")
        found[name] = Entry(
            _stored_shape(name, fields),
            dtype(number(fields, 1)),
            number(fields, 3),
            number(fields, 4),
            number(fields, 5),
        )
    return found, shards


def shard(path: str, number: int, count: int) -> str:
    """Return the path of one of the files that an index belongs to."""
    return f"{path.removesuffix('.index')}.data-{number:05}-of-{count:05}"


def tracked(path: str) -> bytes:
    """Return the graph of the objects that a checkpoint was written from; empty where there is none."""
    found, count = entries(path)
    entry = found.get(_GRAPH)
    if entry is None or not 0 < entry.length <= _LARGEST:
        return b""
    with open(shard(path, entry.shard, count), "rb") as file:
        file.seek(entry.start)
        content = file.read(entry.length)
    length, at = varint(content, 0)
    return content[at + _CHECKSUM : at + _CHECKSUM + length]


def _stored_shape(name: str, fields: Fields) -> tuple[int, ...]:
    told = shape(fields[2][-1]) if 2 in fields else ()
    if told is None or any(size is None for size in told):
        raise Malformed(f"{name}: its shape is not one of a stored tensor")
    return tuple(size or 0 for size in told)


def _tensors(data: bytes) -> Iterator[tuple[str, tuple[int, ...], str | None]]:
    for key, value in _entries(data):
        if not key:
            continue
        fields = parse(value)
        name = key.decode("utf-8", "replace")
        if name != _GRAPH:
            yield name, _stored_shape(name, fields), dtype(number(fields, 1))


def _entries(data: bytes) -> Iterator[tuple[bytes, Any]]:
    """Yield the entries of a sorted table in order."""
    if len(data) > _LARGEST:
        raise Malformed("it is larger than an index can be")
    footer = data[-_FOOTER:]
    if len(footer) < _FOOTER or int.from_bytes(footer[-8:], "little") != _MAGIC:
        raise Malformed("its last bytes are not those of a table: it is cut off")
    _, at = varint(footer, 0)
    _, at = varint(footer, at)
    start, at = varint(footer, at)
    size, at = varint(footer, at)
    for count, (_, handle) in enumerate(_block(data, start, size)):
        if count > _MOST_BLOCKS:
            raise Malformed("it has more blocks than a network has weights")
        begin, at = varint(handle, 0)
        length, _ = varint(handle, at)
        yield from _block(data, begin, length)


def _block(data: bytes, start: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield the entries of a block, whose keys share beginnings."""
    if start + size + _TRAILER > len(data) or size < 4:
        raise Malformed(f"byte {start}: a block goes beyond the end")
    if data[start + size] == 1:
        block = _unpacked(data[start : start + size])
    elif data[start + size]:
        raise Malformed(f"byte {start}: a block is compressed in an unknown way")
    else:
        block = data[start : start + size]
    restarts = int.from_bytes(block[-4:], "little")
    end = len(block) - 4 * (restarts + 1)
    if end < 0:
        raise Malformed(f"byte {start}: a block has more entries than bytes")
    at, key = 0, b""
    while at < end:
        shared, at = varint(block, at)
        own, at = varint(block, at)
        length, at = varint(block, at)
        if shared > len(key) or at + own + length > end:
            raise Malformed(f"byte {start}: an entry goes beyond its block")
        key = key[:shared] + block[at : at + own]
        yield key, block[at + own : at + own + length]
        at += own + length


def _unpacked(data: bytes) -> bytes:
    """Return what a block compressed by Snappy holds."""
    size, at = varint(data, 0)
    if size > _LARGEST:
        raise Malformed("a block unpacks to more than an index can be")
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if not tag & 3:
            length = tag >> 2
            if length >= 60:
                width = length - 59
                length = int.from_bytes(data[at : at + width], "little")
                at += width
            out += data[at : at + length + 1]
            at += length + 1
        else:
            width = (1, 2, 4)[(tag & 3) - 1]
            if tag & 3 == 1:
                length, back = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | int.from_bytes(data[at : at + 1], "little")
            else:
                length, back = (tag >> 2) + 1, int.from_bytes(data[at : at + width], "little")
            at += width
            if not 0 < back <= len(out):
                raise Malformed("a compressed block is damaged")
            for _ in range(length):
                out.append(out[-back])
        if len(out) > size:
            raise Malformed("a compressed block is longer than it says")
    return bytes(out)
