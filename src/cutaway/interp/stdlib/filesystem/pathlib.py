"""Path objects and resources of packages: `pathlib`, `pkgutil`, `importlib.resources`."""

from __future__ import annotations

import contextlib
import glob
import os
import pathlib
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown, assumed, derived_unknown
from cutaway.interp.modules import loader
from cutaway.interp.stdlib.builtins import depends_on_machine, has_effects
from cutaway.interp.stdlib.filesystem.open_files import plain_path, read_bytes, read_text, working_folder
from cutaway.interp.stdlib.filesystem.os_path import (
    absolute,
    exists,
    expanded,
    ignore_change,
    is_dir,
    is_file,
    listdir,
    matching_paths,
    propagate_unknown,
)
from cutaway.interp.stdlib.modules import stdlib_module


class Path(pathlib.PurePosixPath):
    """A path with the pure operations of `pathlib`, and read access to files of the project."""

    @classmethod
    def cwd(cls) -> Path:
        """Return the folder in which the program is started."""
        return cls(working_folder())

    home = staticmethod(depends_on_machine("Path.home"))

    def exists(self) -> Any:
        """Tell whether the path exists."""
        return exists(self)

    def is_file(self) -> Any:
        """Tell whether it is a file."""
        return is_file(self)

    def is_dir(self) -> Any:
        """Tell whether it is a folder."""
        return is_dir(self)

    def resolve(self, strict: bool = False) -> Path:
        """Return it as an absolute path; links are not followed."""
        return type(self)(absolute(self))

    def absolute(self) -> Path:
        """Return it as an absolute path."""
        return type(self)(absolute(self))

    def expanduser(self) -> Any:
        """Return it unchanged where it does not start in the home folder, which depends on the machine."""
        path = assumed(expanded(plain_path(self)))
        return type(self)(path)

    def iterdir(self) -> Any:
        """Return the entries of a folder, sorted by name."""
        names = listdir(self)
        return names if type(names) is Unknown else iter([self / name for name in names])

    def glob(self, pattern: Any, **_options: Any) -> Any:
        """Return the paths below it that match a pattern."""
        if type(pattern) is Unknown:
            return derived_unknown(pattern)
        paths = matching_paths(os.path.join(glob.escape(plain_path(self)), plain_path(pattern)), recursive=True)
        return paths if type(paths) is Unknown else iter([type(self)(path) for path in paths])

    def rglob(self, pattern: Any, **_options: Any) -> Any:
        """Return the paths at any depth below it that match a pattern."""
        return pattern if type(pattern) is Unknown else self.glob(f"**/{plain_path(pattern)}")

    def open(self, mode: str = "r", *_args: Any, **_kwargs: Any) -> Any:
        """Return its content as an in-memory text file."""
        return read_text(str(self), mode)

    def read_text(self, *_args: Any, **_kwargs: Any) -> Any:
        """Return its content as a string."""
        file = read_text(str(self), "r")
        return file if type(file) is Unknown else file.read()

    def read_bytes(self) -> Any:
        """Return its content as bytes."""
        return read_bytes(str(self))

    mkdir = rmdir = unlink = touch = staticmethod(ignore_change)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return has_effects(f"Path.{name}")


@stdlib_module("pathlib")
def pathlib_names() -> dict[str, Any]:
    """Return the names of `pathlib`."""
    return {"Path": Path, "PurePath": pathlib.PurePath, "PosixPath": Path, "PurePosixPath": pathlib.PurePosixPath}


def _folder(package: Any) -> Any:
    """Return the folder of a package, given by its name or as a module."""
    if type(package) is Unknown:
        return derived_unknown(package)
    module = loader.current().load(package) if isinstance(package, str) else package
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return session.current().unknown(f"the folder of package {package} is not found")
    return Path(os.path.dirname(file))


def _resource_path(package: Any, resource: Any) -> Any:
    folder = _folder(package)
    for value in (folder, resource):
        if type(value) is Unknown:
            return derived_unknown(value)
    return folder / plain_path(resource)


@stdlib_module("pkgutil")
def pkgutil_names() -> dict[str, Any]:
    """Return the names of `pkgutil`."""

    def get_data(package: Any, resource: Any) -> Any:
        path = _resource_path(package, resource)
        return path if type(path) is Unknown else path.read_bytes()

    return {"get_data": get_data, "extend_path": lambda path, _name: path}


@stdlib_module("importlib.resources", "importlib_resources")
def resources_names() -> dict[str, Any]:
    """Return the names of `importlib.resources`."""

    def read_text(package: Any, resource: Any, *_args: Any, **_kwargs: Any) -> Any:
        path = _resource_path(package, resource)
        return path if type(path) is Unknown else path.read_text()

    def open_text(package: Any, resource: Any, *_args: Any, **_kwargs: Any) -> Any:
        path = _resource_path(package, resource)
        return path if type(path) is Unknown else path.open()

    def resource_path(package: Any, resource: Any) -> Any:
        path = _resource_path(package, resource)
        return path if type(path) is Unknown else contextlib.nullcontext(path)

    return {"files": _folder, "read_text": read_text, "open_text": open_text, "path": resource_path,
            "as_file": propagate_unknown(contextlib.nullcontext)}  # fmt: skip
