"""The configuration that a project has for a network: a class or a dict, the defaults of a command line, a file.

A constructor that takes a `config` says which settings it reads. Where exactly those are found in one place of the project,
the network is shown with them, and that is listed as an assumption.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from copy import deepcopy
from functools import lru_cache
from typing import Any

from cutaway.core.condition import Term
from cutaway.core.place import Place
from cutaway.core.record import dataclass
from cutaway.core.unknown import Exhausted, Undecidable, Unknown
from cutaway.interp.analysis.project.calls import FIRST, constants_of, literal_of
from cutaway.interp.analysis.project.files import all_files, project_files, text_of
from cutaway.interp.analysis.project.settings import settings_read
from cutaway.interp.boundary.call import call
from cutaway.interp.boundary.gate import is_host_class
from cutaway.interp.boundary.namespace import SimpleNamespace
from cutaway.interp.modules import loader
from cutaway.interp.run.frame import MODULE_STATE, Pending
from cutaway.interp.run.function import Record, record_of
from cutaway.interp.run.signature import signature
from cutaway.knowledge.base.framework import FRAMEWORKS
from cutaway.knowledge.base.registry import is_shared
from cutaway.syntax import resolve, source
from cutaway.syntax.scope import walk
from cutaway.syntax.source import SourceError

_LEAST_SHARE = 0.75
_LEAST_OPTIONAL_SHARE = 0.5
_MAX_CANDIDATES = 3
_DATA_FILES = (".json", ".yaml", ".yml")
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


@dataclass(frozen=True, slots=True)
class Configuration:
    """A value for an argument, and where it is from, in words."""

    value: Any
    origin: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a class or function reads of an argument: settings that it requires, and others, by attribute, by key or both."""

    required: frozenset[str]
    optional: frozenset[str]
    by_attribute: bool
    by_key: bool
    owner: str
    argument: str

    def share_of(self, names: Collection[str]) -> float:
        """Return how many of the settings are among some names, 0 where one is missing that must be there."""
        if not self.required <= set(names):
            return 0.0
        every = self.required | self.optional
        return len(every & set(names)) / len(every)

    def made_from(self, content: Mapping[str, Any]) -> Any:
        """Return settings in the form in which they are read."""
        if not self.by_key:
            return _namespace(content)
        if not self.by_attribute:
            return content
        module = loader.current().load("easydict")
        return call(getattr(module, "EasyDict"), [content], {})  # noqa: B009 -- the target's module


def configuration(value: Any, name: str) -> Configuration | None:
    """Return the settings that a project has for an argument of a class or function, None where it is not clear which."""
    record = record_of(getattr(value, "__init__", None) if isinstance(value, type) else value)
    if record is None:
        return None
    reads = list(settings_read(record, value, name))
    required = frozenset(each.name for each in reads if each.is_required)
    wanted = _Wanted(
        required,
        frozenset(each.name for each in reads) - required,
        any(each.by_attribute for each in reads),
        any(each.by_key for each in reads),
        getattr(value, "__name__", ""),
        name,
    )
    if not reads:
        return None
    for find in (_from_classes, _from_modules, _from_dicts, _from_command_lines, _from_files):
        with suppress(Undecidable, Exhausted, SourceError, OSError):
            found = find(record, wanted)
            if found is not None:
                return found
    return None


def _from_classes(record: Record, wanted: _Wanted) -> Configuration | None:
    """Return an instance of the one class beside the network that has all settings, with its defaults."""
    classes: list[type] = []
    settings = wanted.required
    if not settings or wanted.by_key:
        return None
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


def _from_modules(record: Record, wanted: _Wanted) -> Configuration | None:
    """Return what a module of defaults holds, or makes without arguments, if it has all settings."""
    for path in project_files(record, ".py"):
        if not os.path.basename(path).startswith(_MODULES) or not any(word in text_of(path) for word in _WORDS):
            continue
        name = resolve.package_root(path)[1]
        module = loader.current().load(name)
        if isinstance(module, Unknown):
            continue
        for made, is_function in _VALUES.items():
            value = getattr(module, made, None)
            if is_function:
                value = call(value, [], {}) if record_of(value) is not None and _has_defaults(value) else None
            if value is None or type(value) is Unknown or not wanted.by_attribute or not wanted.required:
                continue
            if all(hasattr(value, each) for each in wanted.required):
                brackets = "()" if is_function else ""
                return Configuration(value, f"{made}{brackets} of {os.path.relpath(path)}")
    return None


def _from_command_lines(record: Record, wanted: _Wanted) -> Configuration | None:
    """Return the defaults of the command line of the one script of the project whose options have most of the settings.

    Options may be added by several files of one folder. Settings that no option has are computed by the program.
    """
    if not wanted.required or wanted.by_key:
        return None
    found: dict[str, dict[str, Any]] = {}
    for path in dict.fromkeys([*project_files(record, ".py"), *all_files(record, ".py")]):
        text = text_of(path)
        if b"add_argument" in text and MODULE_STATE in record.globals:
            found[path] = dict(_options(source.parse(text, path), path))
    home = os.path.abspath(record.globals[MODULE_STATE].file)
    best = _best(found, wanted.required, home)
    for group in (os.path.dirname, lambda _path: os.curdir):
        if best is None:
            merged: dict[str, dict[str, Any]] = {}
            for path, options in found.items():
                into = merged.setdefault(group(path), {})
                into.update((name, item) for name, item in options.items() if into.get(name) is None)
            best = _best(merged, wanted.required, home)
            found = found if best is None else merged
    if best is None:
        return None
    origin = f"the defaults of the command line of {os.path.relpath(best)}"
    computed = {
        name: Unknown(f"{wanted.argument}.{name} is computed by the program", term=Term(f"{wanted.argument}.{name}"))
        for name in wanted.required - found[best].keys()
    }
    return Configuration(SimpleNamespace(**computed, **found[best]), origin)


def _best(found: Mapping[str, Mapping[str, Any]], settings: Set[str], home: str) -> str | None:
    """Return which of some files has the most of the settings, the nearest to `home` among equals; None where none has most.

    Some settings are read only in cases that do not arise.
    """
    if not found:
        return None

    def order(path: str) -> tuple[int, int, bool]:
        nearness = len(os.path.commonpath([os.path.abspath(path), home]))
        return len(settings & found[path].keys()), nearness, os.path.basename(path).startswith(FIRST)

    best = max(found, key=order)
    return best if len(settings & found[best].keys()) / len(settings) >= _LEAST_SHARE else None


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


def _from_dicts(record: Record, wanted: _Wanted) -> Configuration | None:
    """Return the dict of literals, in the first file of the project with one, that has the most of the settings."""
    words = [name.encode() for name in wanted.required or wanted.optional]
    for path in project_files(record, ".py"):
        text = text_of(path)
        if not (all if wanted.required else any)(word in text for word in words):
            continue
        with suppress(SourceError):
            found = _best_mapping(_dicts(text, path), wanted)
            if found is not None:
                place = Place(os.path.relpath(path), found[1])
                return Configuration(wanted.made_from(deepcopy(found[0])), "the dict there", place)
    return None


@lru_cache(maxsize=256)  # each class of a project that lacks arguments is looked for in the same files
def _dicts(text: bytes, path: str) -> Sequence[tuple[dict[str, Any], int]]:
    """Return the dicts that a file writes out, with their lines: displays, and calls with nothing but keywords.

    They are shared: who passes one on to a program passes a copy.
    """
    nodes = walk(source.parse(text, path))
    constants, found = constants_of(nodes), []
    for node in nodes:
        match node:
            case ast.Dict(keys, values) if keys and all(isinstance(key, ast.Constant) for key in keys):
                items = {str(key.value): value for key, value in zip(keys, values) if isinstance(key, ast.Constant)}
            case ast.Call(_, [], [*keywords]) if len(keywords) > 1 and all(each.arg for each in keywords):
                items = {str(each.arg): each.value for each in keywords}
            case _:
                continue
        content: dict[str, Any] = {}
        for key, item in items.items():
            with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                content[key] = literal_of(item, constants)
        found.append((content, node.lineno))
    return found


def arguments_in_mappings(
    value: Any, parameters: Collection[str], missing: Collection[str]
) -> dict[str, Configuration]:
    """Return arguments of a class or function that the project has in one dict: one that names it, or has all it requires."""
    record = record_of(getattr(value, "__init__", None) if isinstance(value, type) else value)
    name = getattr(value, "__name__", "")
    if record is None or not missing or not name:
        return {}

    def names_it(content: Mapping[str, Any]) -> bool:
        words = [item for item in content.values() if type(item) is str]
        return any(word == name or word.endswith(f".{name}") for word in words)

    def fits(content: Mapping[str, Any]) -> bool:
        return (
            bool(content.keys() & set(missing))
            if names_it(content)
            else len(missing) > 1 and set(missing) <= content.keys()
        )

    for path in all_files(record, ".py", *_DATA_FILES):
        text = text_of(path)
        if name.encode() not in text and not all(each.encode() in text for each in missing):
            continue
        with suppress(SourceError):
            is_code = path.endswith(".py")
            parts = _dicts(text, path) if is_code else ((each, 0) for each in _mappings(_parsed(path, text)))
            found = [(content, line) for content, line in parts if fits(content)]
            if found:
                content, line = max(found, key=lambda each: (names_it(each[0]), len(each[0].keys() & set(missing))))
                place = Place(os.path.relpath(path), line)
                given = {each: deepcopy(content[each]) for each in parameters if each in content}
                return {each: Configuration(item, f"{item!r}, as there", place) for each, item in given.items()}
    return {}


def _best_mapping(
    candidates: Iterable[tuple[dict[str, Any], int]], wanted: _Wanted
) -> tuple[dict[str, Any], int] | None:
    """Return the mapping that has the most of the settings, and its line; the first that names the network among equals."""

    def order(candidate: tuple[dict[str, Any], int]) -> tuple[bool, float]:
        content = candidate[0]
        return wanted.owner in [value for value in content.values() if type(value) is str], wanted.share_of(content)

    best = max(candidates, key=order, default=None)
    return best if best is not None and wanted.share_of(best[0]) >= _LEAST_OPTIONAL_SHARE else None


def _from_files(record: Record, wanted: _Wanted) -> Configuration | None:
    """Return the part of the first JSON or YAML file of the project that has all settings; several may be as good."""
    words = [name.encode() for name in wanted.required or wanted.optional]
    found: list[Configuration] = []
    for ending in _DATA_FILES:
        for path in all_files(record, ending):
            text = text_of(path)
            if not (all if wanted.required else any)(word in text for word in words):
                continue
            best = _best_mapping(((each, 0) for each in _mappings(_parsed(path, text))), wanted)
            if best is not None:
                origin = f"a part of {os.path.relpath(path)}"
                names_it = wanted.owner in [value for value in best[0].values() if type(value) is str]
                found.append(Configuration(wanted.made_from(best[0]), origin))
                if names_it:
                    return found[-1]
            if len(found) >= _MAX_CANDIDATES:
                break
    return found[0] if found else None


def _parsed(path: str, text: bytes) -> Any:
    """Return the content of a data file, None where it is not what its name says."""
    if path.endswith(".json"):
        with suppress(ValueError):
            return json.loads(text or b"null")
        return None
    import yaml  # type: ignore[import-untyped]  # late: few networks have a setting that no source file has

    with suppress(yaml.YAMLError, ValueError, RecursionError):
        return yaml.safe_load(text)
    return None


def _mappings(content: Any) -> Iterator[dict[str, Any]]:
    """Yield the mappings of a data file, each once, though a file may refer to one from many places, or from inside it."""
    waiting, seen = [content], {id(content)}
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, dict):
            yield {str(key): value for key, value in part.items()}
        for item in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            if isinstance(item, (dict, list)) and id(item) not in seen:
                seen.add(id(item))
                waiting.append(item)


def _namespace(value: Any) -> Any:
    if isinstance(value, dict):
        return SimpleNamespace(**{str(key): _namespace(item) for key, item in value.items()})
    return [_namespace(item) for item in value] if isinstance(value, list) else value
