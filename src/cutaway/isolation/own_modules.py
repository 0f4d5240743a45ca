"""Cutaway's own modules, found where their package is: no other place is searched, and none of a dozen endings is tried.

A command imports some 250 of them, and Python's search takes as long as reading what is found. A module that is not
compiled, or whose source has changed since, is left to Python.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from types import CodeType, ModuleType

_PACKAGE = f"{__name__.partition('.')[0]}."
_HEADER = 16
_READ = 1 << 16


class _Compiled(SourceFileLoader):
    """Loads a module whose code has been read."""

    code: CodeType | None = None

    def get_code(self, fullname: str) -> CodeType | None:
        code, self.code = self.code, None
        return super().get_code(fullname) if code is None else code


class OwnModules:
    """Finds Cutaway's own modules for Python's import."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return how a module of ours is loaded; None for any other, and where that takes more than reading it."""
        if not name.startswith(_PACKAGE) or path is None or len(path) != 1:
            return None
        base = f"{path[0]}{os.sep}{name.rpartition('.')[2]}"
        module = _spec(name, path[0], f"{base}.py")
        if module is not None:
            return module
        package = _spec(name, base, f"{base}{os.sep}__init__.py")
        if package is not None:
            package.submodule_search_locations = [base]
        return package


def _spec(name: str, folder: str, file: str) -> ModuleSpec | None:
    stem = file[len(folder) + 1 : -len(".py")]
    compiled = os.sep.join((folder, "__pycache__", f"{stem}.{sys.implementation.cache_tag}.pyc"))
    try:
        source = os.stat(file)
        data = _read(compiled)
    except OSError:
        return None
    if data[:_HEADER] != _header(source):
        return None
    loader = _Compiled(name, file)
    loader.code = marshal.loads(memoryview(data)[_HEADER:])
    spec = ModuleSpec(name, loader, origin=file)
    spec.cached, spec.has_location = compiled, True
    return spec


def _header(source: os.stat_result) -> bytes:
    """Return how the compiled file of a source begins, as Python checks it by its time and size."""
    numbers = (0, int(source.st_mtime), source.st_size)
    return MAGIC_NUMBER + b"".join((number & 0xFFFFFFFF).to_bytes(4, "little") for number in numbers)


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        parts = []
        while part := os.read(descriptor, _READ):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def install() -> None:
    """Find Cutaway's own modules before Python does, unless compiled files are elsewhere or of another kind."""
    if not (sys.pycache_prefix or sys.flags.optimize or sys.implementation.cache_tag is None):
        sys.meta_path.insert(0, OwnModules())  # type: ignore[arg-type]
