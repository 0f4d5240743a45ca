"""Files of numpy: one array, or a zip archive of them; the numbers stay on disk, and pickled objects are not unpickled."""

from __future__ import annotations

import ast
import math
import os
import re
import zipfile
from typing import Any, BinaryIO

from cutaway.core.architecture import Architecture, Note
from cutaway.core.error import CutawayError, one_line
from cutaway.core.place import Place
from cutaway.formats import weights
from cutaway.formats.beginnings import NUMPY
from cutaway.formats.pickled_tensor import CODES, Stored

ENDING = ".npy"
_LARGEST = 1 << 20
_MOST = 100_000
_WIDTH = re.compile(r"[<>|=]?([a-zA-Z?])(\d+)?")
_CODE = re.compile(r"[<>|=]?([a-zA-Z]\d*)")


class Malformed(ValueError):
    """A header that says what can't be."""


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the header of an array."""
    try:
        stored, dtype = array(file)
    except Malformed as error:
        raise CutawayError(f"{path}: {error}") from None
    name = os.path.splitext(os.path.basename(path))[0]
    return [_network({name: stored}, {name: dtype}, path)]


def is_archive(archive: zipfile.ZipFile) -> bool:
    """Tell whether a zip archive holds arrays, and nothing else."""
    names = [entry.filename for entry in archive.infolist()]
    return bool(names) and all(name.endswith(ENDING) for name in names)


def read_archive(archive: zipfile.ZipFile, path: str) -> list[Architecture]:
    """Read the headers of all arrays of an archive."""
    entries = archive.infolist()
    if len(entries) > _MOST:
        raise CutawayError(f"{path}: it is an archive of {len(entries):,} arrays, more than a network has")
    named: dict[str, Stored] = {}
    dtypes: dict[str, str] = {}
    for entry in entries:
        name = entry.filename.removesuffix(ENDING)
        with archive.open(entry) as member:
            try:
                named[name], dtypes[name] = array(member)
            except Malformed as error:
                raise CutawayError(f"{path}: {one_line(entry.filename)}: {error}") from None
    return [_network(named, dtypes, path)]


def array(file: Any) -> tuple[Stored, str]:
    """Read the header of an array, and return what it is and its element type in numpy's words."""
    start = file.read(8)
    if not start.startswith(NUMPY) or len(start) < 8:
        raise Malformed("byte 0: it is no array of numpy")
    width = 2 if start[6] == 1 else 4
    length = int.from_bytes(file.read(width), "little")
    if length > _LARGEST:
        raise Malformed(f"byte 8: the header is said to have {length:,} bytes")
    text = file.read(length)
    if len(text) < length:
        raise Malformed("byte 10: the header is cut off")
    try:
        header = ast.literal_eval(text.decode("latin-1").strip())
        shape, dtype = header["shape"], header["descr"]
    except (ValueError, SyntaxError, KeyError, TypeError, RecursionError, MemoryError):
        raise Malformed("byte 10: the header is no dict with shape and descr") from None
    if not isinstance(shape, tuple) or not all(type(size) is int and 0 <= size < 1 << 63 for size in shape):
        raise Malformed("shape: expected whole numbers")
    code = _CODE.fullmatch(dtype) if isinstance(dtype, str) else None
    return Stored(shape, CODES.get(code[1]) if code else None, None), str(dtype)


def size(stored: Stored, dtype: str) -> int:
    """Return how many bytes the numbers of an array take; 0 where its element type does not say."""
    found = _WIDTH.match(dtype)
    if found is None or stored.shape is None:
        return 0
    width = int(found[2] or 1) * (4 if found[1] == "U" else 1)
    return math.prod(stored.shape) * width


def _network(named: dict[str, Stored], dtypes: dict[str, str], path: str) -> Architecture:
    unknown = [
        Note(f"{one_line(name)}: the element type {one_line(dtypes[name])[:80]} is not one of tensors", Place(path))
        for name, stored in named.items()
        if stored.dtype is None
    ]
    return weights.architecture(
        named, name=os.path.basename(path), target=path, framework="numpy", unknowns=unknown[:20]
    )
