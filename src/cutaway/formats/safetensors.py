"""Files of safetensors: the header alone says what is in them, and nothing else is read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO, TypeGuard

from cutaway.core import contents
from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError, one_line
from cutaway.formats import weights
from cutaway.formats.beginnings import SAFETENSORS_LARGEST, SAFETENSORS_LENGTH
from cutaway.formats.pickled_tensor import Stored

_LENGTH = 8
_PIECE = 1 << 22
_LARGEST = 100_000_000  # the format's own limit for a header
_BITS = {
    "BOOL": ("bool", 8),
    "U8": ("uint8", 8),
    "I8": ("int8", 8),
    "U16": ("uint16", 16),
    "I16": ("int16", 16),
    "U32": ("uint32", 32),
    "I32": ("int32", 32),
    "U64": ("uint64", 64),
    "I64": ("int64", 64),
    "F8_E4M3": ("float8_e4m3fn", 8),
    "F8_E5M2": ("float8_e5m2", 8),
    "F8_E8M0": ("float8_e8m0fnu", 8),
    "F8_E4M3FNUZ": ("float8_e4m3fnuz", 8),
    "F8_E5M2FNUZ": ("float8_e5m2fnuz", 8),
    "F16": ("float16", 16),
    "BF16": ("bfloat16", 16),
    "F32": ("float32", 32),
    "F64": ("float64", 64),
    "C64": ("complex64", 64),
    "F4": (None, 4),
    "F6_E2M3": (None, 6),
    "F6_E3M2": (None, 6),
}
"""The format's name of an element type -> ours, where there is one, and its bits."""
_FRAMEWORKS = {"pt": "pytorch", "tf": "tensorflow", "flax": "flax", "mlx": "mlx", "np": "numpy"}


class _Malformed(ValueError):
    """A header that says what can't be; the message names the field."""


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read a file's header."""
    named, framework = tensors(file, path)
    return [weights.architecture(named, name=os.path.basename(path), target=path, framework=framework)]


def stored(file: BinaryIO, path: str, network: Architecture) -> dict[str, contents.Stored]:
    """Return the weights of a file by name; they are read while it is open."""
    named, _ = tensors(file, path)
    file.seek(0)
    start = _LENGTH + int.from_bytes(file.read(_LENGTH), "little")
    header = json.loads(file.read(start - _LENGTH))
    found = {}
    for name, each in named.items():
        begin, end = header[name]["data_offsets"]
        if each.dtype is not None and each.shape is not None:
            pieces = partial(_pieces, file, start + begin, end - begin)
            found[name] = contents.Stored(name, each.dtype, each.shape, pieces)
    return found


def _pieces(file: BinaryIO, begin: int, size: int) -> Iterator[bytes]:
    while size > 0:
        file.seek(begin)
        piece = file.read(min(size, _PIECE))
        if not piece:
            return
        yield piece
        begin += len(piece)
        size -= len(piece)


def tensors(file: BinaryIO, path: str) -> tuple[dict[str, Stored], str]:
    """Return the tensors of a file by name, and the framework that wrote it, if it says so."""
    try:
        file.seek(0, os.SEEK_END)
        size = file.tell()
        file.seek(0)
        length = int.from_bytes(file.read(SAFETENSORS_LENGTH), "little")
        if size < SAFETENSORS_LENGTH or length > min(SAFETENSORS_LARGEST, size - SAFETENSORS_LENGTH):
            raise _Malformed(f"byte 0: the header is said to have {length:,} bytes, the file has {size:,}")
        return _header(file.read(length), size - SAFETENSORS_LENGTH - length)
    except _Malformed as error:
        raise CutawayError(f"{path}: {error}") from None


def _header(text: bytes, data: int) -> tuple[dict[str, Stored], str]:
    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=_once)
    except UnicodeDecodeError as error:
        raise _Malformed(f"byte {SAFETENSORS_LENGTH + error.start}: the header is not text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise _Malformed(
            f"byte {SAFETENSORS_LENGTH + error.pos}: the header is not JSON: {one_line(error.msg)}"
        ) from None
    except (RecursionError, ValueError) as error:
        raise _Malformed(f"the header can't be read: {one_line(str(error))}") from None
    if not isinstance(header, dict):
        raise _Malformed(f"byte {SAFETENSORS_LENGTH}: the header is no object")
    about = header.pop("__metadata__", None)
    framework = _FRAMEWORKS.get(str(about.get("format")), "") if isinstance(about, dict) and _plain(about) else ""
    found = {}
    spans = []
    for name, entry in header.items():
        stored, span = _tensor(name, entry)
        found[name] = stored
        spans.append((*span, name))
    at = 0
    for begin, end, name in sorted(spans):
        if begin != at:
            raise _Malformed(f"{one_line(name)}.data_offsets: begins at {begin}, where {at} was expected")
        at = end
    if at != data:
        raise _Malformed(f"it has {data:,} bytes of numbers, its header says {at:,}: it is cut off or damaged")
    return found, framework


def _plain(about: dict[str, Any]) -> bool:
    return all(isinstance(value, str) for value in about.values())


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Malformed(f"{one_line(twice)}: is there twice")
    return found


def _tensor(name: str, entry: Any) -> tuple[Stored, tuple[int, int]]:
    where = one_line(name)
    if not isinstance(entry, dict):
        raise _Malformed(f"{where}: expected an object with dtype, shape and data_offsets")
    dtype = entry.get("dtype")
    if not isinstance(dtype, str) or dtype not in _BITS:
        raise _Malformed(f"{where}.dtype: there is no element type {one_line(str(dtype))}")
    shape, offsets = entry.get("shape"), entry.get("data_offsets")
    if not _counts(shape):
        raise _Malformed(f"{where}.shape: expected a list of whole numbers, found {one_line(str(shape))}")
    if not _counts(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise _Malformed(f"{where}.data_offsets: expected a begin and an end, found {one_line(str(offsets))}")
    known, bits = _BITS[dtype]
    for size in shape:
        bits *= size
        if bits > 1 << 63 and 0 not in shape:
            raise _Malformed(f"{where}.shape: is larger than any file")
    if (bits + 7) // 8 != offsets[1] - offsets[0]:
        raise _Malformed(
            f"{where}.data_offsets: {dtype} {'x'.join(map(str, shape))} takes {(bits + 7) // 8:,} bytes, "
            f"not {offsets[1] - offsets[0]:,}"
        )
    return Stored(tuple(shape), known, None), (offsets[0], offsets[1])


def _counts(value: Any) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(type(item) is int and 0 <= item < 1 << 63 for item in value)
