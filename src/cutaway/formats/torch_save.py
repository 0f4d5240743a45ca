"""What `torch.save` writes, and archives of TorchScript: read by the inert machine, the weights left on disk."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

from cutaway.core.architecture import Architecture
from cutaway.core.contents import Stored as StoredNumbers
from cutaway.core.dtype import KINDS, itemsize
from cutaway.core.error import CutawayError, one_line
from cutaway.core.packed_dtype import BLOCKS, packed_bytes
from cutaway.formats import (
    checkpoint,
    exported_program,
    numpy_file,
    pickle_machine,
    pickled_module,
    tar_save,
    torch_weights,
)
from cutaway.formats.pickle_machine import Damaged
from cutaway.formats.pickled_tensor import Storage, Stored, tensor
from cutaway.formats.torch_beginning import LEGACY, ZIP

_DATA = "data.pkl"
_MOST_ENTRIES = 1_000_000
_LARGEST = 96 << 20


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the networks of a file: each dict of tensors in it by its key, each module that was saved whole."""
    with told(path):
        networks = _other_archive(file, path)
        if networks:
            return networks
        value, sizes = content(file)
        return described(value, sizes, path)


def _other_archive(file: BinaryIO, path: str) -> list[Architecture]:
    """Return the networks of a zip archive of torch.export, or of numpy; none for other files."""
    is_zip = file.read(len(ZIP)) == ZIP
    file.seek(0)
    if not is_zip:
        return []
    with zipfile.ZipFile(file) as archive:
        if numpy_file.is_archive(archive):
            return numpy_file.read_archive(archive, path)
    networks = exported_program.read(file, path)
    file.seek(0)
    return networks


def described(value: Any, sizes: Mapping[str, int] | None, path: str) -> list[Architecture]:
    """Return the networks in a pickled value."""
    networks = []
    for network, stored in checkpoint.architectures(checkpoint.parts(value), path):
        for each in stored:
            _check(each.storage, sizes)
        networks.append(network)
    if not networks:
        raise CutawayError(f"{path}: there are no weights in it, only {pickled_module.in_words(value)}")
    return networks


def beside(file: BinaryIO, path: str) -> list[Architecture]:
    """Return what training keeps in a file beside networks, such as the state of an optimizer."""
    with told(path):
        return [part.architecture(path)[0] for part in checkpoint.parts(content(file)[0]) if not part.is_network]


def tensors(file: BinaryIO, path: str) -> tuple[dict[str, Stored], str]:
    """Return the tensors of a file that is one part of a network's weights."""
    with told(path):
        entries = pickle_machine.entries(content(file)[0]) or {}
        return {name: stored for name, each in entries.items() if (stored := tensor(each)) is not None}, "pytorch"


def stored(file: BinaryIO, path: str, network: Architecture) -> dict[str, StoredNumbers]:
    """Return the weights of a file by the names that its network has for them; they are read while the file is open."""
    with told(path):
        if exported_program.is_archive(file):
            return torch_weights.of_exported(file, exported_program.DTYPES)
        file.seek(0)
        scripted = torch_weights.of_script(file)
        if scripted:
            return scripted
        file.seek(0)
        value = content(file)[0]
        whole = torch_weights.of_pickle(value, file)
        return whole or torch_weights.of_parts(checkpoint.parts(value), file)


def names_operations(file: BinaryIO) -> bool:
    """Tell whether a file names its operations itself: an exported program does, TorchScript and modules are interpreted."""
    return exported_program.is_archive(file)


@contextmanager
def told(path: str) -> Iterator[None]:
    """Say in one line what is wrong with a file."""
    try:
        yield
    except Damaged as error:
        raise CutawayError(f"{path}: {one_line(str(error))}") from None
    except (ValueError, zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
        # An archive that is damaged, or of a kind that torch never writes: encrypted, spread over disks.
        reason = one_line(str(error)) or "it is cut off"
        if isinstance(error, zipfile.BadZipFile):
            reason = f"the archive is cut off or damaged ({reason})"
        raise CutawayError(f"{path}: it can't be unpacked: {reason}") from None


def content(file: BinaryIO) -> tuple[Any, dict[str, int] | None]:
    """Return the description of what was saved, and the bytes of each storage, where the file tells them."""
    head = file.read(64)
    file.seek(0)
    if LEGACY.match(head):
        for _ in range(3):  # the magic number, the version of the form, the sizes of numbers
            pickle_machine.load(file)
        return pickle_machine.load(file), None
    if head.startswith(ZIP):
        return _archive(file)
    return tar_save.content(file) if tar_save.is_tar(file) else pickle_machine.load(file), None


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
        if data.file_size > _LARGEST or data.file_size > 100 * max(data.compress_size, 1 << 16):
            raise Damaged(f"{data.filename} has {data.file_size:,} bytes, more than a description of weights takes")
        with archive.open(data) as member:
            pickled = member.read(data.file_size)
        home = data.filename.removesuffix(_DATA)
        sizes = {e.filename.removeprefix(f"{home}data/"): e.file_size for e in entries}
    return pickle_machine.load(io.BytesIO(pickled)), sizes


def _bytes(count: int, dtype: str) -> int:
    return packed_bytes(count, dtype) or count * itemsize(dtype) if dtype in KINDS or dtype in BLOCKS else 0


def _check(storage: Storage | None, sizes: Mapping[str, int] | None) -> None:
    """Compare what a pickle says of a storage with the file that holds it."""
    if storage is None or sizes is None or storage.dtype is None:
        return
    there, said = sizes.get(storage.key.partition("+")[0]), _bytes(storage.count, storage.dtype)
    if there is None:
        raise Damaged(f"data/{storage.key} is missing, which a tensor lies in")
    if there < said:
        raise Damaged(f"data/{storage.key} has {there:,} bytes, where {said:,} were expected")
