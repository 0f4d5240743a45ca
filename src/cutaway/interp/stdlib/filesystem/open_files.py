"""Files of the project that the target reads while its network is built; none is written."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any

from cutaway.core import disk, session
from cutaway.core.unknown import Unknown
from cutaway.interp.modules import loader

_MAX_BYTES = 4 << 20
_SETTINGS = (".toml", ".json", ".yaml", ".yml")
"""Files that programs open as bytes, and read as text."""


def plain_path(path: Any) -> str:
    """Return a path as a plain string: a string subclass of the target may return something else each time it is read."""
    name = os.fspath(path)
    return str.__str__(name) if isinstance(name, str) else os.fsdecode(bytes(name))


def is_readable(path: str) -> bool:
    """Tell whether the target may read a file: below one of the folders that imports are searched in, and not hidden."""
    return loader.current().may_read(path)


def read_text(path: Any, mode: Any) -> Any:
    """Return an in-memory copy of a file, or an unknown with the reason why not."""
    here = session.current()
    if type(path) is Unknown or type(mode) is Unknown:
        return path if type(path) is Unknown else mode
    name = plain_path(path) if not isinstance(path, int) else ""
    mode = str.__str__(mode)
    if any(letter in mode for letter in "wax+") or not name:
        return here.unknown(f"open({name!r}, {mode!r}) is not called: files are only read")
    if "b" in mode and not name.endswith(_SETTINGS):
        return here.unknown(f"open({name!r}, {mode!r}) is not called: only settings are read as bytes")
    data = read_bytes(name)
    if isinstance(data, Unknown):
        return data
    return io.BytesIO(data) if "b" in mode else io.StringIO(data.decode("utf-8", "replace"))


def find_file(name: str) -> str:
    """Return the path of a file: as named, or in the folder of the program, where most programs are started."""
    return _found(name, disk.is_file)


def find_folder(name: str) -> str:
    """Return the path of a folder: as named, or in the folder of the program."""
    return _found(name, disk.is_folder)


def _found(name: str, is_there: Callable[[str], bool]) -> str:
    if os.path.isabs(name) or is_there(name):
        return name
    for folder in sorted(loader.current().own):
        if is_there(os.path.join(folder, name)):
            session.current().assume(f"the program is started in its own folder, which contains {name}")
            return os.path.join(folder, name)
    return name


def working_folder() -> str:
    """Return the folder in which the program is started: the one that the user is in."""
    session.current().suppose("the program is started in the current folder", doubt=session.FILES)
    return os.getcwd()


def read_bytes(name: str) -> Any:
    """Return the bytes of a file of the project, or an unknown with the reason why not."""
    here = session.current()
    name = find_file(plain_path(name))
    if not disk.is_file(name):
        return here.unknown(f"file {name} is not found")
    try:
        content = disk.content(name, _MAX_BYTES) if is_readable(name) else None
    except OSError:
        content = None
    if content is None:
        return here.unknown(
            f"file {name} is not read: it is too large, or outside the project: add its folder with --path"
        )
    disk.was_read(name, content)
    return content
