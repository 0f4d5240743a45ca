"""Which reader a saved file is for, by what is in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from cutaway.core.architecture import Architecture
from cutaway.core.contents import Contents
from cutaway.core.error import CutawayError
from cutaway.core.record import replace
from cutaway.formats.description import Description
from cutaway.formats.recognised import ENDINGS

_HEAD = 64
_INDEX = ".index.json"
_IN_FOLDERS = ("saved_model.pb", "saved_model.pbtxt")
READERS = ("tensorboard", "keras_file", "torch_save", "safetensors", "gguf", "numpy_file", "ort", "tflite", "executorch", "tf_checkpoint",
           "saved_model", "onnx", "pickled", "flax_msgpack", "recognised")  # fmt: skip
"""The readers of files that begin in a way of their own, those that can tell best first."""
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
        found: list[Architecture | Description] = module.read(file, file_path)
        if hasattr(module, "beside") and name and all(each.name != name for each in found):
            file.seek(0)
            found = [*found, *module.beside(file, path)]
    if file_path != path:
        found = [replace(each, target=path + each.target[len(file_path) :]) for each in found]  # type: ignore[type-var]
    return _chosen(found, path, name)


@contextmanager
def contents(path: str) -> Iterator[Contents]:
    """Open a saved graph for what it contains; tensors are read from the file while it is open."""
    reader = _reader(path)
    module = None if reader is None else import_module(f"cutaway.formats.{reader}")
    if module is None or not hasattr(module, "contents"):
        kinds = "an ONNX file" if reader is None else f"an ONNX file, not {reader.replace('_', ' ')}"
        raise CutawayError(f"{path}: code can be recovered from {kinds}")
    with open(_file(path), "rb") as file:
        yield module.contents(file, path)


def _chosen(found: list[Architecture | Description], path: str, name: str) -> list[Architecture | Description]:
    chosen = [each for each in found if not name or each.name == name]
    if not chosen:
        raise CutawayError(f"{path}: there is no {name} in it; there are {', '.join(e.name for e in found[:8])}")
    return chosen


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
    if path.endswith(".py") or not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            if path.endswith(".json"):
                shards = import_module("cutaway.formats.shards")
                head = file.read(1 << 16)
                if path.endswith(_INDEX) or shards.sniff(head):
                    return "shards"
                return "keras_file" if import_module("cutaway.formats.keras_file").is_configuration(head) else None
            if path.endswith((".yaml", ".yml")):
                head = file.read(1 << 16)
                return "keras_file" if import_module("cutaway.formats.keras_file").is_configuration(head) else None
            head = file.read(_HEAD)
    except OSError as error:
        raise CutawayError(f"{path}: can't be read ({error.strerror})") from None
    found = next((each for each in READERS if import_module(f"cutaway.formats.{each}").sniff(head)), None)
    return "recognised" if found is None and path.endswith(ENDINGS) else found
