"""The configuration that a project has for a network: a class with defaults, or the defaults of a command line.

A constructor that takes a `config` says which settings it reads. Where exactly those are found in one place of the project,
the network is shown with them, and that is listed as an assumption.
"""

from __future__ import annotations

import ast
import json
import os
import types
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from cutaway.core import disk
from cutaway.core.place import Place
from cutaway.core.record import dataclass
from cutaway.core.unknown import Exhausted, Undecidable, Unknown
from cutaway.interp.boundary.call import call
from cutaway.interp.boundary.gate import is_host_class
from cutaway.interp.modules import loader
from cutaway.interp.run.frame import MODULE_STATE, Pending
from cutaway.interp.run.function import Record, record_of
from cutaway.interp.run.signature import signature
from cutaway.interp.symbolic.missing_arguments import callee_of
from cutaway.knowledge.base.framework import FRAMEWORKS
from cutaway.knowledge.base.registry import is_shared
from cutaway.syntax import project, resolve, source
from cutaway.syntax.source import SourceError

_LEAST_SHARE = 0.75
_MAX_DEPTH = 3
_MAX_FILES = 200
_MAX_BYTES = 1 << 18
_MAX_PARENTS = 6
_MODULES = ("default", "config", "cfg")
_WORDS = (b"CfgNode", b"ConfigNode", b"CN()", b"ConfigDict", b"edict", b"EasyDict")
_VALUES = {
    "_C": False,
    "cfg": False,
    "config": False,
    "get_default_config": True,
    "get_cfg_defaults": True,
    "get_default_configs": True,
    "get_config": True,
    "get_cfg": True,
}
"""Names of a module of defaults, and whether they are functions."""
_FOLDERS = ("", "config", "configs", "conf", "scripts", "tools", "src")


@dataclass(frozen=True, slots=True)
class Configuration:
    """A value for an argument, and where it is from, in words."""

    value: Any
    origin: str
    place: Place | None = None


def configuration(value: Any, name: str) -> Configuration | None:
    """Return the settings that a project has for an argument of a class or function, None where it is not clear which."""
    record = record_of(getattr(value, "__init__", None) if isinstance(value, type) else value)
    if record is None:
        return None
    settings = set(_settings(record, value, name))
    if not settings:
        return None
    for find in (_from_classes, _from_modules, _from_command_lines, _from_files):
        with suppress(Undecidable, Exhausted, SourceError, OSError):
            found = find(record, settings)
            if found is not None:
                return found
    return None


def _settings(record: Record, value: Any, name: str, depth: int = 0) -> Iterator[str]:
    """Yield the attributes that a function reads of an argument, and those that functions read which it passes it to."""
    body = record.code.node.body
    for node in (child for part in (body if isinstance(body, list) else [body]) for child in ast.walk(part)):
        match node:
            case ast.Attribute(ast.Name(read), attribute, ast.Load()) if read == name:
                yield attribute
            case ast.Call(function, args, keywords) if depth < _MAX_DEPTH:
                yield from _passed_on(record, function, args, keywords, name, depth)


def _passed_on(
    record: Record, function: ast.expr, args: list[ast.expr], keywords: list[ast.keyword], name: str, depth: int
) -> Iterator[str]:
    positions = [at for at, arg in enumerate(args) if isinstance(arg, ast.Name) and arg.id == name]
    named = [each.arg for each in keywords if isinstance(each.value, ast.Name) and each.value.id == name and each.arg]
    if not positions and not named:
        return
    callee = callee_of(function, record)
    inner = record_of(getattr(callee, "__init__", None) if isinstance(callee, type) else callee)
    if inner is None:
        return
    try:
        names = list(signature(callee).parameters)
    except (TypeError, ValueError, Undecidable):
        return
    for parameter in (*(names[at] for at in positions if at < len(names)), *named):
        yield from _settings(inner, callee, parameter, depth + 1)


def _from_classes(record: Record, settings: set[str]) -> Configuration | None:
    """Return an instance of the one class beside the network that has all settings, with its defaults."""
    classes = []
    for name, bound in list(record.globals.items()):
        bound = bound.resolve() if type(bound) is Pending and name.lower().endswith(("config", "args")) else bound
        if isinstance(bound, type) and not is_host_class(bound) and not is_shared(bound):
            if settings <= _declared(bound) and not any(each.is_network_class(bound) for each in FRAMEWORKS):
                classes.append(bound)
    if len({id(each) for each in classes}) != 1 or not _has_defaults(classes[0]):
        return None
    return Configuration(call(classes[0], [], {}), f"{classes[0].__name__}(), with its defaults")


def _declared(cls: type) -> set[str]:
    """Return the names that a class annotates or assigns."""
    names: set[str] = set()
    for base in cls.__mro__[:-1]:
        names.update(vars(base).get("__annotations__", {}), (name for name in vars(base) if not name.startswith("__")))
        initializer = record_of(vars(base).get("__init__"))
        if initializer is not None:
            names.update(
                node.attr
                for node in ast.walk(initializer.code.node)
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            )
    return names


def _has_defaults(cls: Any) -> bool:
    try:
        parameters = signature(cls).parameters.values()
    except (TypeError, ValueError):
        return False
    return all(
        each.default is not each.empty or each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in parameters
    )


def _from_modules(record: Record, settings: set[str]) -> Configuration | None:
    """Return what a module of defaults holds, or makes without arguments, if it has all settings."""
    for path in project_files(record, ".py"):
        if not os.path.basename(path).startswith(_MODULES) or not any(word in _text(path) for word in _WORDS):
            continue
        name = resolve.package_root(path)[1]
        module = loader.current().load(name)
        if isinstance(module, Unknown):
            continue
        for made, is_function in _VALUES.items():
            value = getattr(module, made, None)
            if is_function:
                value = call(value, [], {}) if record_of(value) is not None and _has_defaults(value) else None
            if value is not None and type(value) is not Unknown and all(hasattr(value, each) for each in settings):
                brackets = "()" if is_function else ""
                return Configuration(value, f"{made}{brackets} of {os.path.relpath(path)}")
    return None


def _from_command_lines(record: Record, settings: set[str]) -> Configuration | None:
    """Return the defaults of the command line of the one script of the project whose options have all settings."""
    found: dict[str, dict[str, Any]] = {}
    for path in project_files(record, ".py"):
        text = _text(path)
        if b"add_argument" in text:
            found[path] = dict(_options(source.parse(text, path), path))
    best = _best(found, settings)
    if best is None:
        return None
    origin = f"the defaults of the command line of {os.path.relpath(best)}"
    return Configuration(types.SimpleNamespace(**found[best]), origin)


def _best(found: Mapping[str, Mapping[str, Any]], settings: set[str]) -> str | None:
    """Return which of some sources has the most of the settings, None where none has most, or equal ones disagree.

    Some settings are read only in cases that do not arise.
    """
    shares = {name: len(settings & values.keys()) / len(settings) for name, values in found.items()}
    most = max(shares.values(), default=0.0)
    best = [name for name, share in shares.items() if share == most]
    texts = {repr([repr(found[name].get(each)) for each in sorted(settings)]) for name in best}
    return best[0] if most >= _LEAST_SHARE and len(texts) == 1 else None


def _options(tree: ast.Module, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the options that a script adds to a parser, with their defaults."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Attribute(_, "add_argument"), [*names], keywords) if names:
                given = {each.arg: each.value for each in keywords}
                words = [name.value for name in names if isinstance(name, ast.Constant) and isinstance(name.value, str)]
                destination = given.get("dest")
                if isinstance(destination, ast.Constant):
                    yield str(destination.value), _default(given, path)
                elif words:
                    longest = next((word for word in words if word.startswith("--")), words[0])
                    yield longest.lstrip("-").replace("-", "_"), _default(given, path)


def _default(given: dict[str | None, ast.expr], path: str) -> Any:
    """Return what an option is without being given."""
    action = given["action"].value if isinstance(given.get("action"), ast.Constant) else None  # type: ignore[attr-defined]
    if action in ("store_true", "store_false") and "default" not in given:
        return action == "store_false"
    if "default" not in given:
        is_required = isinstance(given.get("required"), ast.Constant)
        return Unknown(f"an option of {os.path.relpath(path)} has no default") if is_required else None
    try:
        value = ast.literal_eval(given["default"])
    except (ValueError, SyntaxError, TypeError):
        return Unknown(f"a default of the command line of {os.path.relpath(path)} is computed")
    kind = given.get("type")
    if isinstance(value, str) and isinstance(kind, ast.Name) and kind.id in ("int", "float"):
        return int(value) if kind.id == "int" else float(value)
    return value


def _from_files(record: Record, settings: set[str]) -> Configuration | None:
    """Return the content of the first JSON file of the project that has all settings; several may be as good."""
    for path in project_files(record, ".json"):
        with suppress(ValueError):
            content = json.loads(_text(path) or b"null")
            if isinstance(content, dict) and settings <= content.keys():
                return Configuration(_namespace(content), f"the content of {os.path.relpath(path)}")
    return None


def _namespace(value: Any) -> Any:
    if isinstance(value, dict):
        return types.SimpleNamespace(**{str(key): _namespace(item) for key, item in value.items()})
    return [_namespace(item) for item in value] if isinstance(value, list) else value


def project_files(record: Record, ending: str) -> Iterator[str]:
    """Yield the files of a project that may say how a network is made, those of the network's own folder first."""
    state = record.globals.get(MODULE_STATE)
    if state is None or not state.is_own:
        return
    folder = os.path.dirname(os.path.abspath(state.file))
    roots = [os.path.abspath(each) for each in project.import_folders(folder)]
    tops = [folder]
    while (
        tops[-1] not in roots and len(tops) < _MAX_PARENTS and any(resolve.is_below(tops[-1], each) for each in roots)
    ):
        tops.append(os.path.dirname(tops[-1]))
    tops += roots
    folders = dict.fromkeys(os.path.normpath(os.path.join(top, below)) for top in tops for below in _FOLDERS)
    count = 0
    for each in folders:
        for name in disk.names(each, ending) if disk.is_folder(each) else ():
            path = os.path.join(each, name)
            if count < _MAX_FILES and loader.current().may_read(path):
                count += 1
                yield path


def _text(path: str) -> bytes:
    text = source.content(path)
    return text if len(text) <= _MAX_BYTES else b""
