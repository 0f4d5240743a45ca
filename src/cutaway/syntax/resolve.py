"""Locates modules on disk by their dotted names."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cutaway.core import disk
from cutaway.core.import_path import DROPPED
from cutaway.core.record import dataclass
from cutaway.syntax import markdown, notebook, project


@dataclass(frozen=True, slots=True)
class Location:
    """A module on disk: its file (None for a namespace package) and, for packages, its folders."""

    file: str | None
    folders: tuple[str, ...] = ()


_SUFFIXES = (".so", ".pyd")
_NOT_IN_NAMES = ("/", "\\", "\0", ":")


def find(name: str, folders: Sequence[str]) -> Location | None:
    """Look for the last part of a module name in the folders of its parent."""
    last = name.rpartition(".")[2]
    if not last or any(mark in last for mark in _NOT_IN_NAMES):
        return None
    namespaces = []
    for folder in folders:
        base = os.path.join(folder, last)
        initial = os.path.join(base, "__init__.py")
        if disk.is_file(initial) and stays_inside(base, folder) and stays_inside(initial, folder):
            return Location(initial, (base,))
        if disk.is_file(base + ".py") and stays_inside(base + ".py", folder):
            return Location(base + ".py")
        if disk.is_folder(base) and stays_inside(base, folder):
            namespaces.append(base)
        elif _has_extension(folder, last):
            return Location(None)
    return Location(None, tuple(namespaces)) if namespaces else None


def stays_inside(path: str, folder: str) -> bool:
    """Tell whether a path is no symbolic link, or one that does not lead out of the project that the folder belongs to."""
    if not disk.is_link(path) or may_link_out(folder):
        return True
    return is_below(disk.real_path(path), disk.real_path(project_root(folder)))


def is_below(path: str, folder: str) -> bool:
    """Tell whether a path lies below a folder."""
    return path.startswith(os.path.join(folder, ""))


def project_root(folder: str) -> str:
    """Return the root of the project that a folder belongs to, or the folder itself; a home folder is no project."""
    return project.root(folder) or os.path.abspath(folder)


def _has_extension(folder: str, name: str) -> bool:
    """Tell whether a folder has a compiled module; one that may not be listed, such as a home folder, has none."""
    try:
        entries = disk.names(folder, *_SUFFIXES) if disk.is_folder(folder) else ()
    except PermissionError:
        return False
    return any(entry.startswith(name) and entry.partition(".")[0] == name for entry in entries)


def environment_folders() -> list[str]:
    """Return the folders of installed packages of the current environment, without the standard library."""
    standard = {os.path.dirname(os.__file__)}
    own_source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    folders = []
    for folder in [*DROPPED, *sys.path]:
        folder = os.path.abspath(folder or ".")
        if disk.is_folder(folder) and folder not in standard and not folder.endswith("lib-dynload"):
            if folder != own_source or "site-packages" in folder:
                folders.append(folder)
    return folders


def is_installation(folder: str) -> bool:
    """Tell whether a folder is one that packages are installed into."""
    return os.path.basename(os.path.normpath(folder)) in ("site-packages", "dist-packages")


def may_link_out(folder: str) -> bool:
    """Tell whether links in a folder may lead anywhere: where the user installs packages, not where a project has some."""
    if not is_installation(folder):
        return False
    if folder in environment_folders() or project.root(folder) is None:
        return True
    return any(home and is_below(folder, os.path.abspath(home)) for home in project.active_environments())


def own_folder(path: str) -> str:
    """Return the folder of the outermost package that a file is in, or the folder of the file."""
    folder = own = os.path.dirname(os.path.abspath(path))
    while disk.is_file(os.path.join(folder, "__init__.py")) and folder != os.path.dirname(folder):
        own, folder = folder, os.path.dirname(folder)
    return own


def package_root(path: str, levels: int = 0) -> tuple[str, str]:
    """Return the folder that a file's imports start from, and the file's dotted name below it.

    A file with relative imports is in a package, even if nothing marks the folder as one: as many folders as its imports
    go up by, `levels`, are packages.
    """
    path = os.path.abspath(path)
    folder, file = os.path.split(path)
    stem = (
        file.partition(".")[0] if markdown.is_document(file) else file.removesuffix(".py").removesuffix(notebook.ENDING)
    )
    parts = [] if stem == "__init__" else [stem]
    while disk.is_file(os.path.join(folder, "__init__.py")) or levels > 0:
        above, package = os.path.split(folder)
        if not package:
            break
        folder, levels = above, levels - 1
        parts.insert(0, package)
    return folder, ".".join(parts)


_AT_START = frozenset(
    """abc codecs collections contextlib copyreg encodings enum functools genericpath importlib io itertools keyword
    operator os posixpath ntpath re reprlib site stat sys types typing warnings weakref zipimport""".split()
)


def is_loaded_at_start(name: str) -> bool:
    """Tell whether Python itself loads a module before a program starts, so that no file can shadow it."""
    return name in _AT_START or name in sys.builtin_module_names


def is_standard(name: str) -> bool:
    """Tell whether a module belongs to Python's standard library."""
    return name.partition(".")[0] in sys.stdlib_module_names


def is_standard_module(name: str) -> bool:
    """Tell whether there is a module of this name in the standard library."""
    if "." not in name or not is_standard(name):
        return name in sys.stdlib_module_names
    base = os.path.join(os.path.dirname(os.__file__), *name.split("."))
    return disk.is_file(f"{base}.py") or disk.is_folder(base)


def absolute(package: str, module: str, level: int) -> str:
    """Return the absolute name of a possibly relative import inside a package."""
    if level == 0:
        return module
    parts = package.split(".") if package else []
    if level - 1 > len(parts) or not package:
        raise ImportError("attempted relative import with no known parent package")
    base = ".".join(parts[: len(parts) - (level - 1)])
    return f"{base}.{module}" if module else base
