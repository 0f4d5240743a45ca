"""Which files an analysis may read: the target's project, installed packages, and what Python itself needs.

Hidden files and folders of a project are not among them, and neither is what a link in it leads to: a home folder that
has a model in it holds other things as well.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator

from cutaway.core import disk
from cutaway.isolation.landlock import READ_FILE, READ_FOLDER
from cutaway.syntax import project, resolve

_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache")
"""Where the system has shared libraries, which numpy needs."""

_METADATA = ".metadata"  # of a checkpoint folder
_EVERYTHING = READ_FILE | READ_FOLDER
_SAMPLE = 8
_MOST_ENTRIES, _DEEPEST = 2000, 100

Right = tuple[str, int]
"""A path, and the rights of Landlock to what is below it."""


def own_folders() -> list[str]:
    """Return the folders that Cutaway and what it imports are in: Python's own, and those of installed packages."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    prefixes = dict.fromkeys((sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix))
    libraries = [os.path.join(prefix, name) for prefix in prefixes for name in ("lib", "lib64", "Lib", "DLLs")]
    compiled = [sys.pycache_prefix] if sys.pycache_prefix else []
    searched = [os.path.abspath(folder) for folder in sys.path if folder]
    return list(dict.fromkeys([package, *libraries, *compiled, *searched]))


def code_folders() -> list[str]:
    """Return where code that Cutaway runs is: its own, Python's, and that of installed packages."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    standard = os.path.dirname(os.__file__)
    return [package, standard, *(folder for folder in sys.path if resolve.is_installation(folder))]


def rights(targets: Iterable[str], paths: Iterable[str], files: Iterable[str] = ()) -> list[Right]:
    """Return what may be read for targets, with folders for imports and further files that the user names."""
    targets = list(targets)
    folders = dict.fromkeys([*own_folders(), *map(os.path.abspath, paths)])
    linked = [path for folder in folders if resolve.is_installation(folder) for path in _links(folder)]
    own = [folder for target in targets for folder in _projects(target)]
    projects = dict.fromkeys(folder for folder in [*own, *resolve.environment_folders()] if folder not in folders)
    visible = [right for folder in projects for right in _visible(folder)]
    named = [*files, *(target.partition("::")[0] for target in targets)]
    named += [file for each in named if os.path.isfile(file := os.path.join(each, _METADATA))]
    readable = [*((path, _EVERYTHING) for path in (*folders, *_LIBRARIES, *linked)), *visible]
    readable += [(os.path.abspath(file), READ_FILE) for file in named]
    readable += [(folder, READ_FOLDER) for folder in project.library_folders()]
    return [(path, right if os.path.isdir(path) else READ_FILE) for path, right in readable]


def _projects(target: str) -> Iterator[str]:
    """Yield the folders of a target's project."""
    path = target.partition("::")[0]
    if os.path.isdir(path):
        yield from _model_folder(path)
        yield from _around(path)
    elif path.endswith((".py", ".ipynb")):
        for each in (path, disk.real_path(path)) if disk.is_link(path) else (path,):
            folder = resolve.package_root(each)[0]
            yield folder
            yield from _around(folder)
    elif os.path.isfile(path):  # saved weights may be in several files, and a model folder is named by its JSON
        yield from _model_folder(os.path.dirname(os.path.abspath(path)))
    else:  # a module, or standard input
        yield os.getcwd()
        yield from _around(os.getcwd())


def _around(folder: str) -> Iterator[str]:
    """Yield where a project has its source, and the packages that are installed for it."""
    yield from project.import_folders(folder)
    yield from project.package_folders(folder)


def _model_folder(path: str) -> Iterator[str]:
    """Yield a folder, where a hub's cache keeps the files that it links to, and where an adapter finds its base."""
    path = os.path.abspath(path)
    yield path
    snapshots, above = os.path.split(os.path.dirname(path))[::-1]
    if snapshots == "snapshots" and os.path.isdir(os.path.join(above, "blobs")):
        yield os.path.join(above, "blobs")
    if os.path.isfile(os.path.join(path, "adapter_config.json")):
        yield os.path.dirname(path)
        yield os.getcwd()


def _visible(folder: str) -> Iterator[Right]:
    """Yield the rights to read a folder without what is hidden in it, at any depth."""
    if os.path.dirname(os.path.abspath(folder)) != os.path.abspath(folder):
        yield from _Walk().rights(folder)[0]
        return
    yield folder, READ_FOLDER  # the top of the file system: its files alone
    yield from ((entry.path, READ_FILE) for entry in _entries(folder) if entry.is_file() and not _is_out(entry))


class _Walk:
    """A walk through a project that ends after so many entries: folders that it has not seen then are read as a whole."""

    def __init__(self) -> None:
        self.left = _MOST_ENTRIES

    def rights(self, folder: str, depth: int = 0) -> tuple[list[Right], bool]:
        """Return the rights to a folder, and whether they are to all of it."""
        entries = _entries(folder) if self.left > 0 else []
        self.left -= len(entries) + 1
        if self.left <= 0 or depth > _DEEPEST:
            return [(folder, _EVERYTHING)], True
        parts: list[Right] = [(folder, READ_FOLDER)]
        is_whole = True
        for entry in entries:
            if _is_out(entry):
                is_whole = False
            elif entry.is_dir():
                inner, is_all = self.rights(entry.path, depth + 1)
                parts += inner
                is_whole = is_whole and is_all
            elif entry.is_file():
                parts.append((entry.path, READ_FILE))
        return ([(folder, _EVERYTHING)], True) if is_whole else (parts, False)


def _is_out(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry of a project is left out: it is hidden, or a link."""
    return entry.name.startswith(".") or entry.is_symlink()


def _links(folder: str) -> Iterator[str]:
    """Yield where links in a folder of installed packages lead to.

    Installers link whole packages, or each of their files. The files of a few packages tell whether they do.
    """
    packages = []
    for entry in _entries(folder):
        if entry.is_symlink():
            yield os.path.realpath(entry.path)
        elif entry.is_dir() and "-info" not in entry.name:
            packages.append(entry)
    found = False
    for at, package in enumerate(packages):
        if at >= _SAMPLE and not found:
            return
        for entry in _entries(package.path):
            if entry.is_symlink():
                found = True
                real = os.path.realpath(entry.path)
                yield real.removesuffix(os.path.join(os.sep, package.name, entry.name))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
