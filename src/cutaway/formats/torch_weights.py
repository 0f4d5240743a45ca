"""The numbers of weights in files of torch: where each tensor lies in an archive, read piece by piece."""

from __future__ import annotations

import json
import math
import os
import re
import zipfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from cutaway.core.contents import Stored
from cutaway.core.dtype import itemsize
from cutaway.formats import pickled_module, torchscript
from cutaway.formats.checkpoint import Part
from cutaway.formats.pickled_tensor import Stored as Pickled

_PIECE = 1 << 22
_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
_NO_WORD = re.compile(r"\W")
_LARGEST_CONFIG = 1 << 26


def of_pickle(value: Any, file: BinaryIO) -> dict[str, Stored]:
    """Return the weights of a module that was saved whole."""
    if not pickled_module.is_module(value) or not zipfile.is_zipfile(file):
        return {}
    _, named = pickled_module.architecture(value, name="", target="")
    return _of_archive(named, file)


def of_parts(parts: Iterable[Part], file: BinaryIO) -> dict[str, Stored]:
    """Return the weights of a checkpoint: those of the only network in it."""
    networks = [part.tensors for part in parts if part.is_network and part.module is None]
    if len(networks) != 1 or not zipfile.is_zipfile(file):
        return {}
    return _of_archive(networks[0].items(), file)


def of_script(file: BinaryIO) -> dict[str, Stored]:
    """Return the weights of a TorchScript archive; none for other files."""
    script = torchscript.read(file, "", "")
    return {} if script is None else _of_archive(script.tensors, file)


def _of_archive(named: Iterable[tuple[str, Pickled]], file: BinaryIO) -> dict[str, Stored]:
    archive = zipfile.ZipFile(file)
    home = next((n.removesuffix("data.pkl") for n in archive.namelist() if n.endswith("/data.pkl")), "")
    result = {}
    for name, each in named:
        if each.shape is None or each.dtype is None or each.storage is None:
            continue
        member = f"{home}data/{each.storage.key}"
        result[name] = _stored(archive, member, name, each.dtype, each.shape, each.strides, each.offset)
    return result


def of_exported(file: BinaryIO, dtypes: Mapping[int, str | None]) -> dict[str, Stored]:
    """Return the weights of an archive of torch.export; none where they are kept apart."""
    archive = zipfile.ZipFile(file)
    found = _configured(archive, "_weights_config.json", dtypes)
    # Numbers of the program that are no weights have names of their own in its graph.
    constants = _configured(archive, "_constants_config.json", dtypes)
    return {**{f"c_{_NO_WORD.sub('_', name)}": tensor for name, tensor in constants.items()}, **constants, **found}


def _configured(archive: zipfile.ZipFile, ending: str, dtypes: Mapping[int, str | None]) -> dict[str, Stored]:
    """Return the tensors that a file in an archive lists."""
    entry = next((each for each in archive.infolist() if each.filename.endswith(ending)), None)
    if entry is None or entry.file_size > _LARGEST_CONFIG:
        return {}
    home = os.path.dirname(entry.filename)
    result = {}
    for name, about in json.loads(archive.read(entry))["config"].items():
        meta = about.get("tensor_meta") or {}
        dtype = dtypes.get(meta.get("dtype", -1))
        if about.get("use_pickle") or dtype is None:
            continue
        sizes, strides = (tuple(each["as_int"] for each in meta[key]) for key in ("sizes", "strides"))
        member = f"{home}/{about['path_name']}"
        result[name] = _stored(archive, member, name, dtype, sizes, strides, meta["storage_offset"]["as_int"])
    return result


def _stored(
    archive: zipfile.ZipFile,
    member: str,
    name: str,
    dtype: str,
    shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    offset: int,
) -> Stored:
    if member not in archive.NameToInfo:
        return Stored(name, dtype, shape, None, "they are not in the archive")
    if itemsize(dtype) not in _CODES:
        return Stored(name, dtype, shape, None, f"elements of type {dtype} can't be read")
    width, count = itemsize(dtype), math.prod(shape)
    usual = tuple(math.prod(shape[at + 1 :]) for at in range(len(shape)))
    plain = strides is None or all(size == 1 or a == b for size, a, b in zip(shape, strides, usual))
    if plain or not count:
        return Stored(name, dtype, shape, _contiguous(archive, member, offset * width, count * width))
    assert strides is not None
    return Stored(name, dtype, shape, _strided(archive, member, offset, shape, strides, width))


def _contiguous(archive: zipfile.ZipFile, member: str, start: int, size: int) -> Callable[[], Iterator[bytes]]:
    def pieces() -> Iterator[bytes]:
        with archive.open(member) as content:
            content.seek(start)
            left = size
            while left > 0:
                piece = content.read(min(left, _PIECE))
                if not piece:
                    return
                left -= len(piece)
                yield piece

    return pieces


def _strided(
    archive: zipfile.ZipFile, member: str, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], width: int
) -> Callable[[], Iterator[bytes]]:
    def pieces() -> Iterator[bytes]:
        content: array[int] = array(_CODES[width])
        content.frombytes(archive.read(member))
        *outer, last = range(len(shape))
        step, count = strides[last], shape[last]
        starts = [offset]
        for axis in outer:
            starts = [start + at * strides[axis] for start in starts for at in range(shape[axis])]
        for start in starts:
            row = content[start : start + (count - 1) * step + 1 : step] if step else content[start : start + 1] * count
            yield row.tobytes()

    return pieces
