"""What `torch.save` writes, and archives of TorchScript: read by the inert machine, the weights left on disk."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

from cutaway.core.architecture import Architecture
from cutaway.core.dtype import itemsize
from cutaway.core.error import CutawayError, one_line
from cutaway.formats import pickle_machine, pickled_module, weights
from cutaway.formats.pickle_machine import Damaged
from cutaway.formats.pickled_tensor import Storage, Stored, tensor

_ZIP = b"PK\x03\x04"
_LEGACY = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."  # the pickle of torch's magic number
_DATA = "data.pkl"
_DEEPEST = 3
_MOST_ENTRIES = 1_000_000


def sniff(head: bytes) -> bool:
    """Tell whether a file that begins like this may have been written by torch."""
    return head.startswith((_ZIP, _LEGACY))


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the networks of a file: each dict of tensors in it by its key, each module that was saved whole."""
    with _told(path):
        found, sizes = _content(file)
        made = list(_networks(found, path))
        for _, stored in (pair for each in made for pair in each[1]):
            _check(stored.storage, sizes)
    if not made:
        raise CutawayError(f"{path}: there are no weights in it, only {pickled_module.in_words(found)}")
    return [each[0] for each in made]


def tensors(file: BinaryIO, path: str) -> tuple[dict[str, Stored], str]:
    """Return the tensors of a file that is one part of a network's weights."""
    with _told(path):
        found, _ = _content(file)
        return _tensors(found) or {}, "pytorch"


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Say in one line what is wrong with a file."""
    try:
        yield
    except Damaged as error:
        raise CutawayError(f"{path}: {one_line(str(error))}") from None
    except (ValueError, zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
        # An archive that is damaged, or of a kind that torch never writes: encrypted, spread over disks.
        raise CutawayError(f"{path}: it can't be unpacked: {one_line(str(error)) or 'it is cut off'}") from None


def _content(file: BinaryIO) -> tuple[Any, dict[str, int] | None]:
    """Return the description of what was saved, and the bytes of each storage, where the file tells them."""
    head = file.read(len(_LEGACY))
    file.seek(0)
    if head != _LEGACY:
        return _archive(file)
    for _ in range(3):  # the magic number, the version of the form, the sizes of numbers
        pickle_machine.load(file)
    return pickle_machine.load(file), None


def _archive(file: BinaryIO) -> tuple[Any, dict[str, int]]:
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        if len(entries) > _MOST_ENTRIES:
            raise Damaged(f"it is an archive of {len(entries):,} files, more than a network has weights")
        data = next(
            (each for each in entries if each.filename.count("/") == 1 and each.filename.endswith(f"/{_DATA}")), None
        )
        if data is None:
            raise Damaged(f"it is a zip archive without {_DATA}: not what torch.save writes")
        if data.file_size > pickle_machine.LARGEST:
            raise Damaged(f"{data.filename} has {data.file_size:,} bytes, more than a description of weights takes")
        with archive.open(data) as member:
            content = member.read(pickle_machine.LARGEST)
        home = data.filename.removesuffix(_DATA)
        sizes = {e.filename.removeprefix(f"{home}data/"): e.file_size for e in entries}
    return pickle_machine.load(io.BytesIO(content)), sizes


def _check(storage: Storage | None, sizes: Mapping[str, int] | None) -> None:
    """Compare what a pickle says of a storage with the file that holds it."""
    if storage is None or sizes is None or storage.dtype is None:
        return
    there, said = sizes.get(storage.key), storage.count * itemsize(storage.dtype)
    if there is None:
        raise Damaged(f"data/{storage.key} is missing, which a tensor lies in")
    if there < said:
        raise Damaged(f"data/{storage.key} has {there:,} bytes, where {said:,} were expected")


_Network = tuple[Architecture, list[tuple[str, Stored]]]


def _networks(found: Any, path: str, key: str = "", depth: int = 0) -> Iterator[_Network]:
    """Yield the networks in a value with their tensors: the value itself, or what a dict holds under its keys."""
    name = key or os.path.basename(path)
    target = f"{path}::{key}" if key else path
    if pickled_module.is_module(found):
        yield pickled_module.architecture(found, name=name, target=target)
        return
    named = _tensors(found)
    if named:
        made = weights.architecture(named, name=name, target=target, framework="pytorch")
        yield made, list(named.items())
        return
    entries = pickle_machine.entries(found)
    if entries is None or depth >= _DEEPEST:
        return
    for inner, value in entries.items():
        yield from _networks(value, path, f"{key}.{inner}" if key else inner, depth + 1)


def _tensors(value: Any) -> dict[str, Stored] | None:
    """Return the tensors of a state dict by name; None for what holds none directly."""
    entries = pickle_machine.entries(value)
    if entries is None:
        return None
    found = {name: stored for name, each in entries.items() if (stored := tensor(each)) is not None}
    return found or None
