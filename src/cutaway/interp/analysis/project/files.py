"""The files of the project that a function belongs to, the nearest first."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator

from cutaway.core import disk
from cutaway.interp.modules import loader
from cutaway.interp.run.frame import MODULE_STATE
from cutaway.interp.run.function import Record
from cutaway.syntax import project, resolve, source

_MAX_FILES = 200
_MAX_BYTES = 1 << 18
_MAX_PARENTS = 6
_MAX_FOLDERS = 400
_FOLDERS = ("", "config", "configs", "conf", "scripts", "tools", "src")
_SKIPPED = frozenset(("node_modules", "site-packages", "build", "dist", "__pycache__"))


def project_files(record: Record, *endings: str) -> Iterator[str]:
    """Yield the files of a project that may say how a network is made, those of the network's own folder first."""
    folder = _home(record)
    if folder is None:
        return
    roots = [os.path.abspath(each) for each in project.import_folders(folder)]
    tops = [folder]
    while (
        tops[-1] not in roots and len(tops) < _MAX_PARENTS and any(resolve.is_below(tops[-1], each) for each in roots)
    ):
        tops.append(os.path.dirname(tops[-1]))
    tops += roots
    folders = dict.fromkeys(os.path.normpath(os.path.join(top, below)) for top in tops for below in _FOLDERS)
    yield from _files_in(folders, endings)


def all_files(record: Record, *endings: str) -> Iterator[str]:
    """Yield the files of a project in all of its folders, those of the network's own folder first."""
    folder = _home(record)
    if folder is not None:
        nearest = [folder, os.path.dirname(folder)]
        roots = project.import_folders(folder)
        inside = [each for each in nearest if any(resolve.is_below(each, root) or each == root for root in roots)]
        yield from _files_in(dict.fromkeys([*inside, *_folders_below(roots)]), endings)


def text_of(path: str) -> bytes:
    """Return the content of a file, nothing if it is large."""
    text = source.content(path)
    return text if len(text) <= _MAX_BYTES else b""


def _home(record: Record) -> str | None:
    """Return the folder of the file that a function of the user's own is defined in."""
    state = record.globals.get(MODULE_STATE)
    return os.path.dirname(os.path.abspath(state.file)) if state is not None and state.is_own else None


def _files_in(folders: dict[str, None], endings: tuple[str, ...]) -> Iterator[str]:
    count = 0
    for each in folders:
        for name in disk.names(each, *endings) if disk.is_folder(each) else ():
            path = os.path.join(each, name)
            if count < _MAX_FILES and loader.current().may_read(path):
                count += 1
                yield path


def _folders_below(roots: list[str]) -> Iterator[str]:
    """Yield folders and those inside them, the outer ones first; environments and hidden folders are left out."""
    waiting = deque(map(os.path.abspath, roots))
    for _ in range(_MAX_FOLDERS):
        if not waiting:
            return
        folder = waiting.popleft()
        names = disk.names(folder) if disk.is_folder(folder) else []
        if "pyvenv.cfg" in names or "conda-meta" in names:
            continue
        yield folder
        for name in names:
            path = os.path.join(folder, name)
            if "." not in name and name not in _SKIPPED and disk.is_folder(path) and not disk.is_link(path):
                waiting.append(path)
