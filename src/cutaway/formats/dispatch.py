"""Which reader a saved file is for, by what is in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module

from cutaway.core.architecture import Architecture
from cutaway.core.contents import Contents, Stored
from cutaway.core.error import CutawayError
from cutaway.core.record import replace
from cutaway.formats import recognised
from cutaway.formats.beginnings import BEGINNINGS
from cutaway.formats.description import Description

_HEAD = 64
_INDEX = ".index.json"
_IN_FOLDERS = ("saved_model.pb", "saved_model.pbtxt")
READERS = ("tensorboard", "keras_file", "torch_save", "safetensors", "gguf", "numpy_file", "ort", "tflite", "executorch", "tf_checkpoint",
           "saved_model", "onnx", "pickled", "flax_msgpack", "recognised")  # fmt: skip
"""The readers of files that begin in a way of their own, those that can tell best first."""
_UNSURE = ("saved_model", "onnx", "torch_save", "pickled", "flax_msgpack", "keras_file")
"""The readers that may take a file of another format for one of theirs."""
FOLDERS = ("checkpoint_folder",)
"""The readers of folders: each has `is_folder(path)` and `read(path)`."""


def is_saved(text: str) -> bool:
    """Tell whether a target names a saved file."""
    return _reader(text.partition("::")[0]) is not None


def read(text: str) -> list[Architecture | Description] | None:
    """Return the networks of a saved file, of which `file::name` names one; None where it is no saved file."""
    path, _, name = text.partition("::")
    reader = _reader(path)
    if reader is None:
        return None
    module = import_module(f"cutaway.formats.{reader}")
    file_path = _file(path)
    if os.path.isdir(file_path):
        return _chosen(module.read(path), path, name)
    with open(file_path, "rb") as file:
        try:
            found: list[Architecture | Description] = module.read(file, file_path)
        except CutawayError:
            # Some formats begin in a way that others begin in, too.
            refused = recognised.refusal(file_path) if reader in _UNSURE else None
            if refused is None:
                raise
            raise refused from None
        if hasattr(module, "beside") and name and all(each.name != name for each in found):
            file.seek(0)
            found = [*found, *module.beside(file, path)]
    if file_path != path:
        found = [replace(each, target=path + each.target[len(file_path) :]) for each in found]  # type: ignore[type-var]
    return _chosen(found, path, name)


@contextmanager
def contents(text: str) -> Iterator[Contents | None]:
    """Open a saved graph for what it contains; None where it is read in another way. Tensors are read while it is open."""
    path, _, name = text.partition("::")
    reader = _reader(path)
    module = None if reader is None else import_module(f"cutaway.formats.{reader}")
    if module is None or not hasattr(module, "contents"):
        yield None
        return
    with open(_file(path), "rb") as file:
        yield module.contents(file, path, name)


@contextmanager
def stored(text: str, network: Architecture) -> Iterator[Mapping[str, Stored]]:
    """Open a saved file for its weights, by the names that its network has for them; empty where there are none in it."""
    path = text.partition("::")[0]
    reader = _reader(path)
    module = None if reader is None else import_module(f"cutaway.formats.{reader}")
    if module is None or not hasattr(module, "stored"):
        yield {}
        return
    with open(_file(path), "rb") as file:
        yield module.stored(file, path, network)


def names_operations(text: str) -> bool:
    """Tell whether the operations of a network have the names that a saved file gives them, which may be any."""
    path = text.partition("::")[0]
    reader = _reader(path)
    module = None if reader is None else import_module(f"cutaway.formats.{reader}")
    if module is None or not hasattr(module, "names_operations"):
        return False
    with open(_file(path), "rb") as file:
        named: bool = module.names_operations(file)
        return named


def _chosen(found: list[Architecture | Description], path: str, name: str) -> list[Architecture | Description]:
    chosen = [each for each in found if not name or each.name == name]
    if not chosen:
        raise CutawayError(f"{path}: there is no {name} in it; there are {', '.join(e.name for e in found[:8])}")
    return chosen


def _sniff(reader: str) -> Callable[[bytes], bool]:
    """Return what tells whether a file is for a reader, which is imported for it only if it has that itself."""
    return BEGINNINGS.get(reader) or import_module(f"cutaway.formats.{reader}").sniff  # type: ignore[no-any-return]


def _file(path: str) -> str:
    """Return the file that is read for a path: a folder may hold a graph under a fixed name."""
    if os.path.isdir(path):
        candidates = (os.path.join(path, name) for name in _IN_FOLDERS)
        return next((each for each in candidates if os.path.isfile(each)), path)
    return path


def _reader(path: str) -> str | None:
    path = _file(path)
    if os.path.isdir(path):
        return next((each for each in FOLDERS if import_module(f"cutaway.formats.{each}").is_folder(path)), None)
    if path.endswith((".py", ".ipynb")) or not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            if path.endswith(".json"):
                shards = import_module("cutaway.formats.shards")
                head = file.read(1 << 16)
                if path.endswith(_INDEX) or shards.sniff(head):
                    return "shards"
                if import_module("cutaway.formats.tfjs").sniff(head):
                    return "tfjs"
                if import_module("cutaway.formats.keras_file").is_configuration(head):
                    return "keras_file"
                return "recognised" if recognised.sniff(head) else None
            if path.endswith((".yaml", ".yml")):
                head = file.read(1 << 16)
                is_keras = import_module("cutaway.formats.keras_file").is_configuration(head)
                return "keras_file" if is_keras else "recognised"
            head = file.read(_HEAD)
    except OSError as error:
        raise CutawayError(f"{path}: can't be read ({error.strerror})") from None
    found = next((each for each in READERS if _sniff(each)(head)), None)
    if found is None and (path.endswith(recognised.ENDINGS) or b"\0" in head or recognised.name_of(path)):
        return "recognised"
    return found
