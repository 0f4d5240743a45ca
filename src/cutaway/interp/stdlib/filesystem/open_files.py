"""Files that a target reads while its network is built: text beside its source, never written."""

from __future__ import annotations

import io
import os
from typing import Any

from cutaway.core import disk, session
from cutaway.core.unknown import Unknown
from cutaway.interp.modules import loader
from cutaway.syntax import resolve

_MAXIMUM = 4 << 20


def plain_path(path: Any) -> str:
    """Return a path as a text of the host's own: one of the target's may say something else each time it is asked."""
    name = os.fspath(path)
    return str.__str__(name) if isinstance(name, str) else os.fsdecode(bytes(name))


def allowed(path: str) -> bool:
    """Tell whether a file lies below one of the folders that imports are looked for in.

    A link leads out of a project; where packages are installed, their files may be links to where they are kept.
    """
    folders = loader.current().folders
    real, plain = disk.real_path(path), os.path.abspath(path)
    return any(real.startswith(disk.real_path(folder) + os.sep) for folder in folders) or any(
        plain.startswith(os.path.join(folder, "")) for folder in folders if resolve.is_installation(folder)
    )


def read_text(path: Any, mode: Any) -> Any:
    """Return an in-memory copy of a text file, or an unknown that says why not."""
    here = session.current()
    if type(path) is Unknown or type(mode) is Unknown:
        return path if type(path) is Unknown else mode
    name = plain_path(path) if not isinstance(path, int) else ""
    mode = str.__str__(mode)
    if any(letter in mode for letter in "wax+b") or not name:
        return here.unknown(f"open({name!r}, {mode!r}) is not done: only text files are read, and nothing is written")
    data = read_bytes(name)
    return data if isinstance(data, Unknown) else io.StringIO(data.decode("utf-8", "replace"))


def beside(name: str) -> str:
    """Return where a file is: where its name says, or beside the program, where most programs are started."""
    if os.path.isabs(name) or disk.is_file(name):
        return name
    for folder in sorted(loader.current().own):
        if disk.is_file(os.path.join(folder, name)):
            session.current().assume(f"the program is started in its own folder, where {name} is")
            return os.path.join(folder, name)
    return name


def read_bytes(name: str) -> Any:
    """Return the bytes of a file of the project, or an unknown that says why not."""
    here = session.current()
    name = beside(plain_path(name))
    if not disk.is_file(name):
        return here.unknown(f"the file {name} is not there to be read")
    if not allowed(name) or os.path.getsize(name) > _MAXIMUM:
        return here.unknown(
            f"the file {name} is not read: it is too large, or outside the project: add its folder with --path"
        )
    with open(name, "rb") as file:
        content = file.read()
    disk.was_read(name, content)
    return content
