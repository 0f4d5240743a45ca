"""The tar archives that torch wrote before version 0.1.10: storages, tensors that lie in them, and a pickle."""

from __future__ import annotations

import struct
import tarfile
from typing import Any, BinaryIO

from cutaway.core.dtype import itemsize
from cutaway.formats import pickle_machine
from cutaway.formats.pickle_machine import Damaged, Made, Name, Persistent
from cutaway.formats.pickled_tensor import STORAGES, Storage, Stored

_MAGIC, _AT = b"ustar", 257
_BLOCK = 512
_MEMBERS = ("pickle", "storages", "tensors")
_MOST = 1_000_000


def is_tar(file: BinaryIO) -> bool:
    """Tell whether a file is a tar archive; it is left at its beginning."""
    file.seek(0)
    head = file.read(_BLOCK)
    file.seek(0)
    return is_header(head)


def is_header(block: bytes) -> bool:
    """Tell whether a block is the header of a tar archive: by its mark, or by its checksum in the oldest form."""
    if len(block) < _BLOCK:
        return False
    if block[_AT : _AT + len(_MAGIC)] == _MAGIC:
        return True
    digits = block[148:156].strip(b" \0")
    is_number = digits.isdigit() and not digits.strip(b"01234567")
    return is_number and int(digits, 8) == sum(block[:148]) + 8 * ord(" ") + sum(block[156:])


def content(file: BinaryIO) -> Any:
    """Return the description of what was saved, with tensors in place of their numbers."""
    try:
        with tarfile.open(fileobj=file, mode="r:") as archive:
            members = {member.name: member for member in archive if member.name in _MEMBERS}
            missing = [name for name in _MEMBERS if name not in members]
            if missing:
                raise Damaged(f"it is a tar archive without {missing[0]}: not what torch.save wrote")
            opened = {name: archive.extractfile(member) for name, member in members.items()}
            stored = _tensors(opened["tensors"], _storages(opened["storages"]))
            return _resolved(pickle_machine.load(opened["pickle"]), stored)  # type: ignore[arg-type]
    except tarfile.TarError as error:
        raise Damaged(f"it is a damaged tar archive: {error}") from None


def _count(file: Any) -> int:
    count = pickle_machine.load(file)
    if type(count) is not int or not 0 <= count <= _MOST:
        raise Damaged("a number of tensors is none")
    return count


def _storages(file: Any) -> dict[str, Storage]:
    found: dict[str, Storage] = {}
    for _ in range(_count(file)):
        entry = pickle_machine.load(file)
        if not isinstance(entry, tuple) or len(entry) != 3 or not isinstance(entry[2], Name):
            raise Damaged("a storage is not described by its key, place and type")
        dtype = STORAGES.get(entry[2].name)
        size = file.read(8)
        if len(size) < 8 or dtype is None:
            raise Damaged("the size or type of a storage is unknown")
        (count,) = struct.unpack("<q", size)
        if count < 0:
            raise Damaged(f"a storage has {count} elements")
        file.seek(count * itemsize(dtype), 1)
        found[str(entry[0])] = Storage(str(entry[0]), dtype, count)
    views = pickle_machine.load(file)
    for view in views if isinstance(views, list) else []:
        if isinstance(view, tuple) and len(view) == 4 and str(view[1]) in found and type(view[3]) is int:
            root = found[str(view[1])]
            found[str(view[0])] = Storage(f"{root.key}+{view[2]}", root.dtype, view[3])
    return found


def _tensors(file: Any, storages: dict[str, Storage]) -> dict[str, Stored]:
    found: dict[str, Stored] = {}
    for _ in range(_count(file)):
        entry = pickle_machine.load(file)
        if not isinstance(entry, tuple) or len(entry) != 3:
            raise Damaged("a tensor is not described by its key, storage and type")
        rank = int.from_bytes(file.read(8)[:4], "little")
        if rank > 64:
            raise Damaged(f"a tensor has {rank} dimensions")
        numbers = file.read(8 * (2 * rank + 1))
        if len(numbers) < 8 * (2 * rank + 1):
            raise Damaged("the sizes of a tensor are cut off")
        values = struct.unpack(f"<{2 * rank + 1}q", numbers)
        sizes, strides, offset = values[:rank], values[rank : 2 * rank], values[-1]
        storage = storages.get(str(entry[1]))
        if min(values, default=0) < 0 or (storage is None and entry[1] is not None):
            raise Damaged("a tensor lies in no storage")
        found[str(entry[0])] = Stored(sizes, storage.dtype if storage else None, storage, offset, None, strides)
    return found


def _resolved(value: Any, stored: dict[str, Stored]) -> Any:
    """Put tensors in place of the numbers that stand for them, in all that a description holds."""
    waiting, seen = [value], set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, Made):
            each.arguments = tuple(_of(item, stored) for item in each.arguments)
            each.state = _of(each.state, stored)
            each.items[:] = [_of(item, stored) for item in each.items]
            waiting += [*each.arguments, each.state, *each.items, each.pairs]
        elif isinstance(each, pickle_machine.Table):
            each.pairs = [(key, _of(item, stored)) for key, item in each.pairs]
            waiting += [item for _, item in each.pairs]
        elif isinstance(each, list):
            each[:] = [_of(item, stored) for item in each]
            waiting += each
        elif isinstance(each, tuple):
            waiting += each
    return _of(value, stored)


def _of(value: Any, stored: dict[str, Stored]) -> Any:
    if isinstance(value, Persistent):
        if isinstance(value.key, tuple):  # a class, with the source of its module
            return Persistent(("module", *value.key))
        return stored.get(str(value.key), value)
    if isinstance(value, tuple):
        return tuple(_of(item, stored) for item in value)
    return value
