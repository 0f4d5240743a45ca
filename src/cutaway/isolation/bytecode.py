"""Compiled files of Cutaway's own modules: the child that imports them may not write them, so the parent does."""

from __future__ import annotations

import os
from contextlib import suppress

_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


def note_uncompiled() -> list[str]:
    """Return a list to which every module is added from now on whose compiled file is missing or outdated."""
    from importlib.machinery import SourceFileLoader

    paths: list[str] = []

    def note(_loader: object, source_path: str, _cache_path: str, _data: object) -> None:
        paths.append(source_path)

    SourceFileLoader._cache_bytecode = note  # type: ignore[attr-defined]
    return paths


def compile_own(paths: bytes) -> None:
    """Compile modules of this package; others are left alone, whatever the child says."""
    import py_compile

    for path in paths.decode("utf-8", "surrogateescape").split("\0"):
        real = os.path.realpath(path)
        if real.startswith(os.path.realpath(_PACKAGE) + os.sep) and real.endswith(".py"):
            with suppress(OSError, py_compile.PyCompileError):
                py_compile.compile(path, quiet=2)
