"""Paths, and the files and folders of the project as a target sees them: `os.path`, `pathlib`, `glob` and the like."""

from __future__ import annotations

import contextlib
import glob
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp import loader
from cutaway.interp.budget import counted
from cutaway.interp.builtins import unasked, unreachable
from cutaway.interp.files import allowed, plain_path, read_bytes, read_text


def _ours(path: str) -> bool:
    """Tell whether a folder is one that imports are looked for in, or lies below one."""
    return allowed(os.path.join(path, "any"))


def _outside(name: str) -> Unknown:
    return session.current().unknown(f"{name} of a path outside the project")


def _known(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            if type(value) is Unknown:
                return value
        return function(*args, **kwargs)

    return call


def _asking(name: str) -> Callable[[Any], Any]:
    """A question about what is at a path; unknown outside of the project."""

    def ask(path: Any) -> Any:
        if type(path) is Unknown:
            return path
        path = plain_path(path)
        return getattr(os.path, name)(path) if allowed(path) or _ours(path) else _outside(f"os.path.{name}")

    return ask


exists, is_file, is_dir = _asking("exists"), _asking("isfile"), _asking("isdir")


def listdir(path: Any = ".") -> Any:
    """`os.listdir`, sorted: in which order a system lists a folder is not known."""
    if type(path) is Unknown:
        return path
    path = plain_path(path)
    return sorted(counted(os.listdir(path))) if _ours(path) else _outside("os.listdir")


def walk(top: Any, topdown: bool = True, onerror: Any = None, followlinks: bool = False) -> Iterator[Any]:
    """`os.walk`, in the order of the names."""
    names = listdir(top)
    if type(names) is Unknown:
        raise Undecidable(names)
    top = plain_path(top)
    folders = [name for name in names if os.path.isdir(os.path.join(top, name))]
    entry = (top, folders, [name for name in names if name not in set(folders)])
    if topdown:
        yield entry
    for name in folders:
        if not os.path.islink(os.path.join(top, name)):
            yield from walk(os.path.join(top, name), topdown)
    if not topdown:
        yield entry


def _matching(pattern: str, recursive: bool) -> Any:
    fixed = pattern if not glob.has_magic(pattern) else pattern[: min(map(pattern.find, _magic(pattern)))]
    base = os.path.dirname(fixed) or "."
    if ".." in pathlib.PurePath(pattern).parts or not _ours(base):
        return _outside("glob")
    return sorted(path for path in counted(glob.iglob(pattern, recursive=recursive)) if allowed(path))


def _magic(pattern: str) -> Iterable[str]:
    return [character for character in "*?[" if character in pattern]


def find(pathname: Any, *, root_dir: Any = None, recursive: Any = False, **_options: Any) -> Any:
    """`glob.glob`, sorted."""
    for value in (pathname, root_dir, recursive):
        if type(value) is Unknown:
            return value
    if root_dir is None:
        return _matching(plain_path(pathname), bool(recursive))
    root = plain_path(root_dir)
    found = _matching(os.path.join(root, plain_path(pathname)), bool(recursive))
    return found if type(found) is Unknown else [os.path.relpath(path, root) for path in found]


def _find_each(*args: Any, **kwargs: Any) -> Any:
    found = find(*args, **kwargs)
    return found if type(found) is Unknown else iter(found)


class Path(pathlib.PurePosixPath):
    """A path that can be computed with, and whose text can be read beside the source."""

    cwd = staticmethod(unasked("Path.cwd"))
    home = staticmethod(unasked("Path.home"))

    def exists(self) -> Any:
        """Tell whether there is something at it."""
        return exists(self)

    def is_file(self) -> Any:
        """Tell whether it is a file."""
        return is_file(self)

    def is_dir(self) -> Any:
        """Tell whether it is a folder."""
        return is_dir(self)

    def resolve(self, strict: bool = False) -> Path:
        """Return it as an absolute path; links are not followed."""
        return type(self)(os.path.abspath(plain_path(self)))

    def absolute(self) -> Path:
        """Return it as an absolute path."""
        return type(self)(os.path.join(os.getcwd(), plain_path(self)))

    def expanduser(self) -> Path:
        """Return it as it is: there is no user."""
        return self

    def iterdir(self) -> Any:
        """Return what is in a folder, in the order of the names."""
        names = listdir(self)
        return names if type(names) is Unknown else iter([self / name for name in names])

    def glob(self, pattern: Any, **_options: Any) -> Any:
        """Return what matches a pattern below it."""
        if type(pattern) is Unknown:
            return pattern
        found = _matching(os.path.join(glob.escape(plain_path(self)), plain_path(pattern)), recursive=True)
        return found if type(found) is Unknown else iter([type(self)(path) for path in found])

    def rglob(self, pattern: Any, **_options: Any) -> Any:
        """Return what matches a pattern anywhere below it."""
        return pattern if type(pattern) is Unknown else self.glob(f"**/{plain_path(pattern)}")

    def open(self, mode: str = "r", *_args: Any, **_kwargs: Any) -> Any:
        """Return its text as a file in memory."""
        return read_text(str(self), mode)

    def read_text(self, *_args: Any, **_kwargs: Any) -> Any:
        """Return its text."""
        file = read_text(str(self), "r")
        return file if type(file) is Unknown else file.read()

    def read_bytes(self) -> Any:
        """Return its bytes."""
        return read_bytes(str(self))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return unreachable(f"Path.{name}")


def os_path() -> dict[str, Any]:
    """Return the names of `os.path`."""
    pure = "basename dirname join split splitext normpath isabs commonprefix relpath splitdrive commonpath abspath"
    table: dict[str, Any] = {name: _known(getattr(os.path, name)) for name in pure.split()}
    table.update(exists=exists, isfile=is_file, isdir=is_dir, lexists=exists, realpath=_known(os.path.abspath))
    table.update(expanduser=_known(lambda path: path), expandvars=_known(lambda path: path), sep=os.path.sep)
    return table


def pathlib_names() -> dict[str, Any]:
    """Return the names of `pathlib`."""
    return {"Path": Path, "PurePath": pathlib.PurePath, "PosixPath": Path, "PurePosixPath": pathlib.PurePosixPath}


def glob_names() -> dict[str, Any]:
    """Return the names of `glob`."""
    return {"glob": find, "iglob": _find_each, "escape": _known(glob.escape), "has_magic": _known(glob.has_magic)}


def _folder(package: Any) -> Any:
    """Return the folder of a package, which is given by name or as a module."""
    if type(package) is Unknown:
        return package
    home = loader.current().load(package) if isinstance(package, str) else package
    file = getattr(home, "__file__", None)
    if not isinstance(file, str):
        return session.current().unknown(f"the folder of package {package} is not found")
    return Path(os.path.dirname(file))


def _at(package: Any, resource: Any) -> Any:
    folder = _folder(package)
    for value in (folder, resource):
        if type(value) is Unknown:
            return value
    return folder / plain_path(resource)


def pkgutil_names() -> dict[str, Any]:
    """Return the names of `pkgutil`."""

    def get_data(package: Any, resource: Any) -> Any:
        path = _at(package, resource)
        return path if type(path) is Unknown else path.read_bytes()

    return {"get_data": get_data, "extend_path": lambda path, _name: path}


def resources_names() -> dict[str, Any]:
    """Return the names of `importlib.resources`."""

    def reading(package: Any, resource: Any, *_args: Any, **_kwargs: Any) -> Any:
        path = _at(package, resource)
        return path if type(path) is Unknown else path.read_text()

    def opening(package: Any, resource: Any, *_args: Any, **_kwargs: Any) -> Any:
        path = _at(package, resource)
        return path if type(path) is Unknown else path.open()

    def located(package: Any, resource: Any) -> Any:
        path = _at(package, resource)
        return path if type(path) is Unknown else contextlib.nullcontext(path)

    return {"files": _folder, "read_text": reading, "open_text": opening, "path": located,
            "as_file": _known(contextlib.nullcontext)}  # fmt: skip
