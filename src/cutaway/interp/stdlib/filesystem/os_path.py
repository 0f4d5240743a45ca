"""Files and folders of the project as a target sees them: `os.path`, `os.listdir`, `os.walk`, `glob`."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cutaway.core import disk, session
from cutaway.core.unknown import Undecidable, Unknown, other_than_truth
from cutaway.interp.run.iteration import counted
from cutaway.interp.stdlib.filesystem.open_files import allowed, plain_path
from cutaway.interp.stdlib.modules import standard


def _ours(path: str) -> bool:
    """Tell whether a folder is one that imports are looked for in, or lies below one."""
    return allowed(os.path.join(path, "any"))


def _outside(name: str) -> Unknown:
    return session.current().unknown(f"{name} of a path outside the project: add its folder with --path")


def known(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            if type(value) is Unknown:
                return other_than_truth(value)
        return function(*args, **kwargs)

    return call


def _asking(name: str, ask: Callable[[str], bool]) -> Callable[[Any], Any]:
    """A question about what is at a path; unknown outside of the project."""

    def answer(path: Any) -> Any:
        if type(path) is Unknown:
            return other_than_truth(path)
        path = plain_path(path)
        return ask(path) if allowed(path) or _ours(path) else _outside(f"os.path.{name}")

    return answer


exists = _asking("exists", disk.exists)
is_file, is_dir = _asking("isfile", disk.is_file), _asking("isdir", disk.is_folder)


def listdir(path: Any = ".") -> Any:
    """`os.listdir`, sorted: in which order a system lists a folder is not known."""
    if type(path) is Unknown:
        return other_than_truth(path)
    path = plain_path(path)
    return counted(disk.names(path)) if _ours(path) else _outside("os.listdir")


def walk(top: Any, topdown: bool = True, onerror: Any = None, followlinks: bool = False) -> Iterator[Any]:
    """`os.walk`, in the order of the names."""
    names = listdir(top)
    if type(names) is Unknown:
        raise Undecidable(names)
    top = plain_path(top)
    folders = [name for name in names if disk.is_folder(os.path.join(top, name))]
    entry = (top, folders, [name for name in names if name not in set(folders)])
    if topdown:
        yield entry
    for name in folders:
        if not disk.is_link(os.path.join(top, name)):
            yield from walk(os.path.join(top, name), topdown)
    if not topdown:
        yield entry


def matching(pattern: str, recursive: bool) -> Any:
    fixed = pattern if not glob.has_magic(pattern) else pattern[: min(map(pattern.find, _magic(pattern)))]
    base = os.path.dirname(fixed) or "."
    if ".." in pattern.split(os.sep) or not _ours(base):
        return _outside("glob")
    return [path for path in counted(disk.matching(pattern, recursive)) if allowed(path)]


def _magic(pattern: str) -> Iterable[str]:
    return [character for character in "*?[" if character in pattern]


def find(pathname: Any, *, root_dir: Any = None, recursive: Any = False, **_options: Any) -> Any:
    """`glob.glob`, sorted."""
    for value in (pathname, root_dir, recursive):
        if type(value) is Unknown:
            return other_than_truth(value)
    if root_dir is None:
        return matching(plain_path(pathname), bool(recursive))
    root = plain_path(root_dir)
    found = matching(os.path.join(root, plain_path(pathname)), bool(recursive))
    return found if type(found) is Unknown else [os.path.relpath(path, root) for path in found]


def _find_each(*args: Any, **kwargs: Any) -> Any:
    found = find(*args, **kwargs)
    return found if type(found) is Unknown else iter(found)


def undone(*_args: Any, **_options: Any) -> None:
    """Make, move or delete nothing; the functions that do give no value."""
    session.current().assume("files and folders that the program would make, move or delete stay as they are")


@standard("os.path")
def os_path() -> dict[str, Any]:
    """Return the names of `os.path`."""
    pure = "basename dirname join split splitext normpath isabs commonprefix relpath splitdrive commonpath abspath"
    table: dict[str, Any] = {name: known(getattr(os.path, name)) for name in pure.split()}
    table.update(exists=exists, isfile=is_file, isdir=is_dir, lexists=exists, realpath=known(os.path.abspath))
    table.update(expanduser=known(lambda path: path), expandvars=known(lambda path: path), sep=os.path.sep)
    return table


@standard("glob")
def glob_names() -> dict[str, Any]:
    """Return the names of `glob`."""
    return {"glob": find, "iglob": _find_each, "escape": known(glob.escape), "has_magic": known(glob.has_magic)}
