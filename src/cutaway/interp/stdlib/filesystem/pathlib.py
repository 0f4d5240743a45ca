"""Paths that are objects, and what is found by them: `pathlib`, `pkgutil`, `importlib.resources`."""

from __future__ import annotations

import contextlib
import glob
import os
import pathlib
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown, other_than_truth
from cutaway.interp.modules import loader
from cutaway.interp.stdlib.builtins import unasked, unreachable
from cutaway.interp.stdlib.filesystem.open_files import plain_path, read_bytes, read_text
from cutaway.interp.stdlib.filesystem.os_path import exists, is_dir, is_file, known, listdir, matching, undone
from cutaway.interp.stdlib.modules import standard


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
            return other_than_truth(pattern)
        found = matching(os.path.join(glob.escape(plain_path(self)), plain_path(pattern)), recursive=True)
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

    mkdir = rmdir = unlink = touch = staticmethod(undone)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return unreachable(f"Path.{name}")


@standard("pathlib")
def pathlib_names() -> dict[str, Any]:
    """Return the names of `pathlib`."""
    return {"Path": Path, "PurePath": pathlib.PurePath, "PosixPath": Path, "PurePosixPath": pathlib.PurePosixPath}


def _folder(package: Any) -> Any:
    """Return the folder of a package, which is given by name or as a module."""
    if type(package) is Unknown:
        return other_than_truth(package)
    home = loader.current().load(package) if isinstance(package, str) else package
    file = getattr(home, "__file__", None)
    if not isinstance(file, str):
        return session.current().unknown(f"the folder of package {package} is not found")
    return Path(os.path.dirname(file))


def _at(package: Any, resource: Any) -> Any:
    folder = _folder(package)
    for value in (folder, resource):
        if type(value) is Unknown:
            return other_than_truth(value)
    return folder / plain_path(resource)


@standard("pkgutil")
def pkgutil_names() -> dict[str, Any]:
    """Return the names of `pkgutil`."""

    def get_data(package: Any, resource: Any) -> Any:
        path = _at(package, resource)
        return path if type(path) is Unknown else path.read_bytes()

    return {"get_data": get_data, "extend_path": lambda path, _name: path}


@standard("importlib.resources", "importlib_resources")
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
            "as_file": known(contextlib.nullcontext)}  # fmt: skip
