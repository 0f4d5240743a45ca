"""Files and folders of the project as the target sees them: `os.path`, `os.listdir`, `os.walk`, `glob`."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cutaway.core import disk, session
from cutaway.core.condition import ENVIRONMENT, Term
from cutaway.core.unknown import Undecidable, Unknown, Usual, derived_unknown
from cutaway.interp.run.iteration import counted
from cutaway.interp.stdlib.filesystem.open_files import is_readable, plain_path, working_folder
from cutaway.interp.stdlib.modules import stdlib_module


def _is_readable_folder(path: str) -> bool:
    """Tell whether a folder is one that imports are searched in, or below one."""
    return is_readable(os.path.join(path, "any"))


def _outside_project(name: str) -> Unknown:
    return session.current().unknown(f"{name}() of a path outside the project: add its folder with --path")


def propagate_unknown(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that returns an unknown for unknown arguments."""

    def call(*args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            if type(value) is Unknown:
                return derived_unknown(value)
        return function(*args, **kwargs)

    return call


def _path_query(name: str, query: Callable[[str], bool]) -> Callable[[Any], Any]:
    """Return a function that answers a question about a path; of what is not in the project, the answer is unknown."""

    def answer(path: Any) -> Any:
        if type(path) is Unknown:
            return derived_unknown(path)
        path = plain_path(path)
        if (is_readable(path) or _is_readable_folder(path)) and disk.exists(path):
            return query(path)
        words, here = f"os.path.{name}({path!r})", session.current().place()
        usual = Usual(False, f"{path} does not exist where the program runs")
        return Unknown("what files there are is unknown", here, kind=bool, term=Term(words, ENVIRONMENT), usual=usual)

    return answer


exists = _path_query("exists", disk.exists)
is_file, is_dir = _path_query("isfile", disk.is_file), _path_query("isdir", disk.is_folder)


join = propagate_unknown(os.path.join)


def listdir(path: Any = ".") -> Any:
    """`os.listdir`, sorted: the order in which a system lists a folder is arbitrary."""
    if type(path) is Unknown:
        return derived_unknown(path)
    path = plain_path(path)
    return _in_order(counted(disk.names(path))) if _is_readable_folder(path) else _outside_project("os.listdir")


def _in_order(names: Iterable[str]) -> list[str]:
    """Return names in their order, which is assumed where the user's own code asks for them."""
    listed = list(names)
    here = session.current()
    if len(listed) > 1 and here.in_own_code():
        here.presume("the system lists the names in a folder in their order")
    return listed


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


def matching_paths(pattern: str, recursive: bool) -> Any:
    prefix = pattern if not glob.has_magic(pattern) else pattern[: min(map(pattern.find, _magic(pattern)))]
    base = os.path.dirname(prefix) or "."
    if ".." in pattern.split(os.sep) or not _is_readable_folder(base):
        return _outside_project("glob")
    paths = _in_order(path for path in counted(disk.matching(pattern, recursive)) if is_readable(path))
    return paths or session.current().unknown("no file matches a pattern here, but one may where the program runs")


def _magic(pattern: str) -> Iterable[str]:
    return [character for character in "*?[" if character in pattern]


def glob_paths(pathname: Any, *, root_dir: Any = None, recursive: Any = False, **_options: Any) -> Any:
    """`glob.glob`, sorted."""
    for value in (pathname, root_dir, recursive):
        if type(value) is Unknown:
            return derived_unknown(value)
    if root_dir is None:
        return matching_paths(plain_path(pathname), bool(recursive))
    root = plain_path(root_dir)
    paths = matching_paths(os.path.join(root, plain_path(pathname)), bool(recursive))
    return paths if type(paths) is Unknown else [os.path.relpath(path, root) for path in paths]


def _glob_iterator(*args: Any, **kwargs: Any) -> Any:
    paths = glob_paths(*args, **kwargs)
    return paths if type(paths) is Unknown else iter(paths)


def ignore_change(*_args: Any, **_options: Any) -> None:
    """Stand in for a function that creates, moves or deletes a file or folder: nothing happens."""
    text = "files and folders that the program would create, move or delete are left unchanged"
    session.current().assume(text, doubt=session.FILES)


def _is_relative(path: Any) -> bool:
    return isinstance(path, (str, os.PathLike)) and not os.path.isabs(plain_path(path))


@propagate_unknown
def absolute(path: Any) -> Any:
    """`os.path.abspath`: of a relative path it depends on where the program is started."""
    if _is_relative(path):
        working_folder()
    return os.path.abspath(path)


@propagate_unknown
def _relative(path: Any, start: Any = os.curdir) -> Any:
    if _is_relative(path) or _is_relative(start):
        working_folder()
    return os.path.relpath(path, start)


@propagate_unknown
def expanded(path: Any) -> Any:
    """`os.path.expanduser`: where the home folder is depends on the machine."""
    name = plain_path(path)
    return _usually_itself("os.path.expanduser", name, "the home folder is called ~") if name.startswith("~") else path


@propagate_unknown
def _with_variables(path: Any) -> Any:
    name = plain_path(path)
    return _usually_itself("os.path.expandvars", name, "the variables in a path are not set") if "$" in name else path


def _usually_itself(function: str, path: str, assumption: str) -> Unknown:
    term = Term(f"{function}({path!r})", ENVIRONMENT)
    reason = "the environment is unknown"
    return Unknown(reason, session.current().place(), kind=None, term=term, usual=Usual(path, assumption))


@stdlib_module("os.path")
def os_path() -> dict[str, Any]:
    """Return the names of `os.path`."""
    pure = "basename dirname join split splitext normpath isabs commonprefix splitdrive commonpath"
    table: dict[str, Any] = {name: propagate_unknown(getattr(os.path, name)) for name in pure.split()}
    table.update(exists=exists, isfile=is_file, isdir=is_dir, lexists=exists, realpath=absolute, abspath=absolute)
    table.update(expanduser=expanded, expandvars=_with_variables, relpath=_relative, sep=os.path.sep)
    return table


@stdlib_module("glob")
def glob_names() -> dict[str, Any]:
    """Return the names of `glob`."""
    return {
        "glob": glob_paths,
        "iglob": _glob_iterator,
        "escape": propagate_unknown(glob.escape),
        "has_magic": propagate_unknown(glob.has_magic),
    }
