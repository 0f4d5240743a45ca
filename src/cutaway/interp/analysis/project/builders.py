"""How the project itself builds a network, for arguments that are missing.

What refers to its class is looked for in the files of the project: a class that has it as a part, a function that returns
it, a script. One that can be started without arguments, or with a configuration of the project, is run until the network
is there; those that can't be started are looked for in turn.
"""

from __future__ import annotations

import ast
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from cutaway.core.place import Place
from cutaway.core.record import dataclass, field
from cutaway.core.session import Session
from cutaway.core.unknown import Exhausted, Interruption, Undecidable, Unknown
from cutaway.interp.analysis.project.calls import imported_as
from cutaway.interp.analysis.project.files import all_files, text_of
from cutaway.interp.analysis.project.unrecorded import unrecorded
from cutaway.interp.boundary.call import call
from cutaway.interp.modules import loader
from cutaway.interp.modules.main_block import run_main
from cutaway.interp.modules.module import ModuleState
from cutaway.interp.run import budget
from cutaway.interp.run.frame import MODULE_STATE, Frame
from cutaway.interp.run.function import Record, record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.syntax import project, resolve, source
from cutaway.syntax.scope import assigned
from cutaway.syntax.source import SourceError

_MAX_DEPTH = 4
_MAX_STARTS = 4
_SECONDS, _SHARE = 3.0, 0.15
"""What looking for a builder may take: seconds, and a share of what is left."""


@dataclass(frozen=True, slots=True)
class Built:
    """A network as a definition of the project builds it, and where.

    There is no network if something that its constructor is given there is unknown: there are the other `arguments` then.
    """

    network: Any
    builder: str
    place: Place
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Definition:
    """A class or function of a file, or the file itself as a script."""

    path: str
    name: str
    line: int = field(default=0, compare=False)


_MISSING = object()


class _Complete(Interruption):
    """The network that is looked for is built."""


Instantiate = Callable[[Any, str], Any]
"""Builds what a class or function of a name builds without arguments; None where it requires some that are not found."""


def built_by_project(cls: type, instantiate: Instantiate, session: Session) -> Built | None:
    """Return a network of a class as the project builds it, None where nothing that builds it can be started."""
    record = record_of(getattr(cls, "__init__", None))
    if record is None or not session.looks_beside:
        return None
    seconds = min(_SECONDS, budget.current().seconds_left() * _SHARE)
    deadline = time.process_time() + seconds
    starts, partial = 0, None
    for definition in _definitions(cls.__name__, record):
        if starts >= _MAX_STARTS or time.process_time() > deadline:
            break
        capture = _Capture(record)
        with (
            unrecorded(session),
            budget.separate_budget(max(0.1, (deadline - time.process_time()) / 2), within=True),
            capture.collecting(),
            suppress(Exception, SystemExit, Undecidable, Exhausted, _Complete),
        ):
            starts += _start(definition, instantiate)
        if capture.arguments is not None:
            with suppress(Exception, Undecidable):
                capture.network = call(cls, [], capture.arguments)
        place = Place(os.path.relpath(definition.path), definition.line)
        if capture.network is not None:
            return Built(capture.network, definition.name or "the script", place)
        if partial is None or len(capture.known) > len(partial.arguments):
            partial = Built(None, definition.name or "the script", place, capture.known)
    return partial if partial is not None and partial.arguments else None


class _Capture:
    """Notes the first network whose constructor has ended and was given nothing unknown, or what it was given by another class.

    Otherwise `known` is what the constructor was given that is known, of the call that says the most.
    """

    def __init__(self, record: Record) -> None:
        self._code, self._origin = record.code, _origin(record)
        self.network: Any = None
        self.arguments: dict[str, Any] | None = None
        self.known: dict[str, Any] = {}

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Collect during what is run inside."""
        running = interpreter()
        before, running.leaving = running.leaving, self._leave
        try:
            yield
        finally:
            running.leaving = before

    def _leave(self, frame: Frame) -> None:
        function: Record | None = frame.function
        is_raising = sys.exc_info()[0] is not None
        if (
            self.network is not None
            or self.arguments is not None
            or function is None
            or not function.code.positional
            or is_raising
        ):
            return
        if function.code is not self._code and _origin(function) != self._origin:
            return
        code = function.code
        network = frame.vars.get(code.positional[0])
        names = (*code.positional[1:], *code.keyword_only)
        if interpreter().tried or any(type(frame.vars.get(name)) is Unknown for name in names):
            self._keep_known(frame, names)
            return
        if record_of(getattr(type(network), "__init__", None)) is function:
            self.network = network
        else:  # of a class that derives from it
            self.arguments = {name: frame.vars[name] for name in names if name in frame.vars}
        raise _Complete(Unknown("the network is built"))

    def _keep_known(self, frame: Frame, names: Collection[str]) -> None:
        """Keep the arguments that are known, but for those that the constructor binds again."""
        changed = assigned(frame.function.code.node.body)
        known = {
            name: value
            for name in names
            if name not in changed
            and type(value := frame.vars.get(name, _MISSING)) is not Unknown
            and value is not _MISSING
        }
        if len(known) > len(self.known):
            self.known = known


def _origin(record: Record) -> tuple[str, int]:
    """Return where a function is defined: a file may be loaded as two modules."""
    return ("", 0) if record.place is None else (os.path.abspath(record.place.file), record.place.line)


def _start(definition: _Definition, instantiate: Instantiate) -> bool:
    """Run a definition, if it can be; tell whether it was."""
    state = _state(definition.path)
    if state is None:
        return False
    if not definition.name:
        run_main(state)
        return True
    return instantiate(state.lookup(definition.name), definition.name) is not None


def _state(path: str) -> ModuleState | None:
    """Return the module of a file of the project, evaluated as far as it can be."""
    modules = loader.current()
    root, name = resolve.package_root(path, source.relative_levels(text_of(path)))
    modules.add_project(project.import_folders(os.path.dirname(path)), [])
    for state in modules.states.values():
        if state.file is not None and os.path.abspath(state.file) == path:
            return state
    module = modules.load(name)
    loaded: ModuleState | None = None if isinstance(module, Unknown) else module.__dict__.get("__cutaway__")
    if loaded is not None and os.path.abspath(loaded.file) == path:
        return loaded
    return modules.add(f"{os.path.basename(root)}.{name}", resolve.Location(path, ()), text_of(path))


def _definitions(name: str, record: Record) -> Iterator[_Definition]:
    """Yield what refers to a name of a file, then what refers to that, and so on; scripts last."""
    state = record.globals.get(MODULE_STATE)
    if state is None:
        return
    trees: dict[str, ast.Module | None] = {}
    files = list(all_files(record, ".py"))
    home = os.path.abspath(state.file)
    waiting = deque([(_Definition(home, name), 0)])
    seen = {_Definition(home, name)}
    scripts: dict[str, int] = {}
    while waiting:
        current, depth = waiting.popleft()
        for found in _referring(current, files, trees):
            if found in seen:
                continue
            seen.add(found)
            if found.name:
                yield found
                if depth + 1 < _MAX_DEPTH:
                    waiting.append((found, depth + 1))
            scripts.setdefault(found.path, found.line)
    yield from (_Definition(path, "", line) for path, line in scripts.items() if b"__main__" in text_of(path))


def _referring(
    target: _Definition, files: Collection[str], trees: dict[str, ast.Module | None]
) -> Iterator[_Definition]:
    """Yield the definitions that refer to one: those of its own file, then of others that import it."""
    word = target.name.encode()
    stem = os.path.basename(target.path).removesuffix(".py")
    folder = os.path.basename(os.path.dirname(target.path))
    modules = {stem, folder}
    for path in dict.fromkeys([target.path, *files]):
        with suppress(SourceError, OSError):
            if word not in text_of(path):
                continue
            if path not in trees:
                trees[path] = source.parse(text_of(path), path)
            tree = trees[path]
            assert tree is not None, "it was parsed"
            names = {target.name} if path == target.path else set(imported_as(tree, target.name, modules))
            if names:
                yield from _definitions_with(tree, names, path, target)


def _definitions_with(tree: ast.Module, names: set[str], path: str, target: _Definition) -> Iterator[_Definition]:
    """Yield the definitions of a file that use one of some names; one of a module's may be found by what it is called there."""
    of_module = target.name if any("." in name for name in names) else None
    for statement in tree.body:
        own = statement.name if isinstance(statement, (ast.ClassDef, ast.FunctionDef)) else ""
        if isinstance(statement, (ast.Import, ast.ImportFrom)) or (path == target.path and own == target.name):
            continue
        for node in ast.walk(statement):
            match node:
                case ast.Name(used) if used in names:
                    yield _Definition(path, own, node.lineno)
                    break
                case ast.Attribute(_, used) if used == of_module or ast.unparse(node) in names:
                    yield _Definition(path, own, node.lineno)
                    break
