"""Code beside the data of an archive: sources that a loader imports, and compiled functions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cutaway.core.error import one_line
from cutaway.scan.finding import IMPORTS, RUNS, Report

RULE = "code"
_MOST = 10
_LUA = re.compile(rb"\x1bLJ[\x01\x02]|\x1bLua[QRST\x50-\x54]")
_CAFFE = re.compile(rb"\x12\x06Python(?=.{0,2000}?\x92\x08)", re.DOTALL)
"""A layer of Caffe: its type, and the field that only layers of Python have."""
_LUA_FILE = re.compile(rb"[\x01-\x08]\0\0\0")


def scan(names: Sequence[str], report: Report, inner: str) -> None:
    """Enter the sources among the members of an archive; those of TorchScript are no Python, and have their own rule."""
    sources = [name for name in names if name.endswith(".py") and "/code/" not in f"/{name}"]
    loader = next((loader for mark, loader in _LOADERS.items() if any(mark in f"/{name}" for name in names)), "")
    for name in sources[:_MOST]:
        if loader:
            report.add(RUNS, RULE, f"{one_line(name)} is Python that {loader} runs", inner)
        else:
            report.add(IMPORTS, RULE, f"{one_line(name)} is Python, which runs where it is imported", inner)


_LOADERS = {
    "/MAR-INF/MANIFEST": "a server",
    "/.data/extern_modules": "an importer of packages",
    "/.data/python_version": "an importer of packages",
}


def has_python_layer(content: bytes) -> bool:
    """Tell whether a network of Caffe has a layer whose class Python imports."""
    return _CAFFE.search(content) is not None


def has_lua(content: bytes) -> bool:
    """Tell whether a file of numbered objects has a compiled function of Lua."""
    return _LUA_FILE.match(content) is not None and _LUA.search(content) is not None
