"""Files of GGUF: metadata, and tensors with their sizes and packed element types; vocabularies and numbers are passed over."""

from __future__ import annotations

import math
import os
import struct
from typing import Any, BinaryIO

from cutaway.core.architecture import Architecture, Module, Setting
from cutaway.core.dtype import KINDS, itemsize
from cutaway.core.error import CutawayError, one_line
from cutaway.core.packed_dtype import packed_bytes
from cutaway.core.record import replace
from cutaway.formats import weights
from cutaway.formats.beginnings import GGUF
from cutaway.formats.pickled_tensor import Stored

_CHUNK = 1 << 20
_LONGEST_TEXT = 300
_LONGEST_LIST = 64
_MOST_DIMENSIONS = 8
_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TYPES = {
    0: "float32", 1: "float16", 2: "q4_0", 3: "q4_1", 4: "q4_2", 5: "q4_3", 6: "q5_0", 7: "q5_1", 8: "q8_0", 9: "q8_1",
    10: "q2_k", 11: "q3_k", 12: "q4_k", 13: "q5_k", 14: "q6_k", 15: "q8_k", 16: "iq2_xxs", 17: "iq2_xs", 18: "iq3_xxs",
    19: "iq1_s", 20: "iq4_nl", 21: "iq3_s", 22: "iq2_s", 23: "iq4_xs", 24: "int8", 25: "int16", 26: "int32",
    27: "int64", 28: "float64", 29: "iq1_m", 30: "bfloat16", 31: "q4_0_4_4", 32: "q4_0_4_8", 33: "q4_0_8_8",
    34: "tq1_0", 35: "tq2_0", 39: "mxfp4", 40: "nvfp4",
}  # fmt: skip


class _Malformed(ValueError):
    """A file that says what can't be; the message names the field."""


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the header of a file."""
    try:
        metadata, tensors = header(file)
    except _Malformed as error:
        raise CutawayError(f"{path}: {error}") from None
    kind = metadata.get("general.architecture")
    network = weights.architecture(tensors, name=os.path.basename(path), target=path, framework="ggml")
    root, *others = network.modules
    own = one_line(kind) if isinstance(kind, str) else ""
    return [replace(network, modules=(Module(root.path, own, own, metadata), *others))]


def header(file: BinaryIO, longest_text: int = _LONGEST_TEXT) -> tuple[dict[str, Setting], dict[str, Stored]]:
    """Return the metadata and the tensors of a file."""
    size = file.seek(0, os.SEEK_END)
    file.seek(len(GGUF))
    version = file.read(4)
    order = "<" if version[:1] != b"\0" else ">"
    if len(version) < 4:
        raise _Malformed("byte 4: the version is cut off")
    (number,) = struct.unpack(f"{order}I", version)
    if not 1 <= number <= 3:
        raise _Malformed(f"byte 4: there is no version {number}")
    cursor = _Cursor(file, order, "I" if number == 1 else "Q", size)
    tensor_count, entry_count = cursor.count("the number of tensors"), cursor.count("the number of metadata entries")
    metadata: dict[str, Setting] = {}
    for _ in range(entry_count):
        key = cursor.text("a key of the metadata")
        metadata[one_line(key)] = _value(cursor, key, longest_text)
    tensors: dict[str, Stored] = {}
    ends = 0
    for _ in range(tensor_count):
        name, stored, end = _tensor(cursor)
        if name in tensors:
            raise _Malformed(f"{one_line(name)}: is there twice")
        tensors[name] = stored
        ends = max(ends, end)
    alignment = metadata.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment <= 0:
        raise _Malformed("general.alignment: expected a number above 0")
    begin = -(-cursor.position() // alignment) * alignment
    if tensors and begin + ends > size:
        raise _Malformed(f"it has {size:,} bytes, its header says {begin + ends:,}: it is cut off or damaged")
    return metadata, tensors


def _tensor(cursor: _Cursor) -> tuple[str, Stored, int]:
    """Read the entry of a tensor, and return its name, what it is, and where it ends."""
    name = cursor.text("a tensor's name")
    rank = cursor.number("I", f"{one_line(name)}: the number of dimensions")
    if rank > _MOST_DIMENSIONS:
        raise _Malformed(f"{one_line(name)}: has {rank} dimensions")
    sizes = [cursor.number(cursor.width, f"{one_line(name)}: a size") for _ in range(rank)]
    kind = cursor.number("I", f"{one_line(name)}: the type")
    offset = cursor.number("Q", f"{one_line(name)}: the offset")
    count = math.prod(sizes)
    if count >= 1 << 63 or offset >= 1 << 63:
        raise _Malformed(f"{one_line(name)}: is larger than any file")
    dtype = _TYPES.get(kind)
    taken = 0
    if dtype is not None:
        taken = count * itemsize(dtype) if dtype in KINDS else packed_bytes(count, dtype) or 0
    return name, Stored(tuple(reversed(sizes)), dtype, None), offset + taken


def _value(cursor: _Cursor, key: str, longest_text: int) -> Setting:
    kind = cursor.number("I", f"{one_line(key)}: the type")
    if kind in _SCALARS:
        return _plain(cursor.number(_SCALARS[kind], one_line(key)))
    if kind == _STRING:
        return _shortened(cursor.text(one_line(key)), longest_text)
    if kind == _ARRAY:
        return _array(cursor, key, 0)
    raise _Malformed(f"{one_line(key)}: there is no type {kind}")


def _array(cursor: _Cursor, key: str, depth: int) -> Setting:
    """Read a short list of numbers; of others, pass over the content and tell how long they are."""
    kind = cursor.number("I", f"{one_line(key)}: the type of items")
    length = cursor.count(f"{one_line(key)}: the length")
    if kind == _STRING:
        if length <= 8:
            return [_shortened(cursor.text(one_line(key))) for _ in range(length)]
        cursor.skip_texts(length, one_line(key))
        return {"length": length, "of": "strings"}
    if kind == _ARRAY and depth < 4:
        for _ in range(length):
            _array(cursor, key, depth + 1)
        return {"length": length, "of": "lists"}
    if kind not in _SCALARS:
        raise _Malformed(f"{one_line(key)}: there is no type {kind}")
    if length <= _LONGEST_LIST:
        return [_plain(cursor.number(_SCALARS[kind], one_line(key))) for _ in range(length)]
    cursor.skip(length * struct.calcsize(f"<{_SCALARS[kind]}"), one_line(key))
    return {"length": length, "of": "numbers"}


def _plain(value: Any) -> Setting:
    if isinstance(value, float):
        return round(value, 10) if math.isfinite(value) else {"float": str(value)}
    return value  # type: ignore[no-any-return]


def _shortened(text: str, longest: int = _LONGEST_TEXT) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."


class _Cursor:
    """Reads a file from front to back, a piece at a time."""

    def __init__(self, file: BinaryIO, order: str, width: str, size: int) -> None:
        self._file, self._order, self.width, self._size = file, order, width, size
        self._data, self._at = b"", 0
        self._start = file.tell()  # of the piece, in the file

    def position(self) -> int:
        """Return where in the file the next field is."""
        return self._start + self._at

    def _need(self, count: int, what: str) -> None:
        if len(self._data) - self._at >= count:
            return
        if self.position() + count > self._size:
            raise _Malformed(f"byte {self.position()}: {what} is cut off")
        self._start, self._data, self._at = self.position(), self._data[self._at :], 0
        self._data += self._file.read(max(count - len(self._data), _CHUNK))

    def number(self, code: str, what: str) -> Any:
        """Read a number."""
        width = struct.calcsize(f"<{code}")
        self._need(width, what)
        (value,) = struct.unpack_from(f"{self._order}{code}", self._data, self._at)
        self._at += width
        return value

    def count(self, what: str) -> int:
        """Read a number of things, of which the file must have at least a byte each."""
        value: int = self.number(self.width, what)
        if value > self._size:
            raise _Malformed(f"byte {self.position()}: {what} is {value:,}, more than the file has bytes")
        return value

    def text(self, what: str) -> str:
        """Read a string; a very long one is cut."""
        length = self.count(what)
        kept = min(length, _CHUNK)
        self._need(kept, what)
        content = self._data[self._at : self._at + kept]
        self.skip(length, what)
        return content.decode("utf-8", "replace")

    def skip(self, count: int, what: str) -> None:
        """Pass over some bytes."""
        if self.position() + count > self._size:
            raise _Malformed(f"byte {self.position()}: {what} is cut off")
        self._at += count
        if self._at > len(self._data):
            self._start, self._data, self._at = self.position(), b"", 0
            self._file.seek(self._start)

    def skip_texts(self, count: int, what: str) -> None:
        """Pass over many strings."""
        unpack = struct.Struct(f"{self._order}{self.width}").unpack_from
        width = struct.calcsize(f"<{self.width}")
        while count:
            self._need(width, what)
            data, at, end = self._data, self._at, len(self._data) - width
            while count and at <= end:
                at += width + unpack(data, at)[0]
                count -= 1
            self._at = 0
            self._data, self._start = data, self._start
            self.skip(at, what)
