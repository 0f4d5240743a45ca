"""Modules of the standard library that only compute, without the few names in them that do more."""

from __future__ import annotations

import functools
import importlib
import types
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown, derived_unknown
from cutaway.interp.boundary.attributes import class_namespace, is_of_target
from cutaway.interp.boundary.gate import is_host_class
from cutaway.interp.run.budget import ELEMENTS
from cutaway.interp.run.iteration import counted
from cutaway.interp.stdlib.filesystem import streams
from cutaway.interp.stdlib.formatting import Formatter

MODULES = frozenset(
    """cmath collections collections.abc string re numbers statistics bisect heapq textwrap enum abc
    contextlib keyword unicodedata colorsys html base64 binascii struct zlib array weakref pprint
    reprlib graphlib contextvars __future__ csv ast fnmatch urllib.parse""".split()
)

# Names that modify the host, print, or evaluate strings; they are unknown to the target.
_EXCLUDED = {
    "ast": "main",
    "contextlib": "chdir",
    "csv": "field_size_limit register_dialect unregister_dialect",
    "re": "purge template",
    "weakref": "finalize",
    "zlib": "decompressobj compressobj",
    "functools": "singledispatch singledispatchmethod",
    "typing": "clear_overloads evaluate_forward_ref",
}


def public_names(name: str) -> dict[str, Any]:
    """Return the names of a module of the standard library that the target may use."""
    real = importlib.import_module(name)
    names = getattr(real, "__all__", None) or [n for n in dir(real) if not n.startswith("_")]
    excluded = _EXCLUDED.get(name, "").split()
    table = {n: _copied(getattr(real, n)) for n in names if n not in excluded and hasattr(real, n)}
    table = {n: value for n, value in table.items() if not isinstance(value, types.ModuleType)}
    replace = _REPLACEMENTS.get(name)
    if replace is not None:
        table.update(replace(real))
    return table


def _copied(value: Any) -> Any:
    """Return a value; containers are copied, because the host uses them too."""
    return type(value)(value) if type(value) in (list, dict, set) else value


def _unchanged(value: Any) -> Any:
    return value


def _for_target_classes(function: Callable[..., Any]) -> Callable[..., Any]:
    """Apply a decorator that modifies classes to classes of the target only."""
    return lambda cls: cls if type(cls) is Unknown or is_host_class(cls) else function(cls)


def _string(real: Any) -> dict[str, Any]:
    return {"Formatter": Formatter}


def _contextlib(real: Any) -> dict[str, Any]:
    return {f"redirect_{name}": functools.partial(streams.redirect, name=name) for name in ("stdout", "stderr")}


def _enum(real: Any) -> dict[str, Any]:
    return {"global_enum": _unchanged} if hasattr(real, "global_enum") else {}


def _abc(real: Any) -> dict[str, Any]:
    def abstractmethod(function: Any) -> Any:
        """`abstractmethod`, which marks what it is given: functions of the host stay as they are."""
        is_host = isinstance(function, types.FunctionType) and not is_of_target(function)
        return function if is_host or is_host_class(function) else real.abstractmethod(function)

    return {
        "abstractmethod": abstractmethod,
        "abstractclassmethod": lambda function: classmethod(abstractmethod(function)),
        "abstractstaticmethod": lambda function: staticmethod(abstractmethod(function)),
        "update_abstractmethods": _for_target_classes(real.update_abstractmethods),
    }


def _collections(real: Any) -> dict[str, Any]:
    def namedtuple(typename: Any, field_names: Any, **options: Any) -> Any:
        """`namedtuple`; the class belongs to the module of the caller."""
        for value in (typename, field_names, *options.values()):
            if type(value) is Unknown:
                return value
        module = class_namespace({})["__module__"]
        return real.namedtuple(typename, field_names, **{"module": module, **options})

    return {"namedtuple": namedtuple}


def _struct(real: Any) -> dict[str, Any]:
    def limited(name: str) -> Callable[..., Any]:
        def call(layout: Any, *args: Any) -> Any:
            if type(layout) is Unknown:
                return derived_unknown(layout)
            if real.calcsize(layout) > ELEMENTS:
                return session.current().unknown("a byte string would be too large to build")
            return getattr(real, name)(layout, *args)

        return call

    return {name: limited(name) for name in ("pack", "Struct")}


def _re(real: Any) -> dict[str, Any]:
    def limited(name: str) -> Callable[..., Any]:
        function = getattr(real, name)

        def call(pattern: Any, repl: Any, string: Any, *args: Any, **kwargs: Any) -> Any:
            for value in (pattern, repl, string):
                if type(value) is Unknown:
                    return derived_unknown(value)
            if isinstance(repl, (str, bytes)) and len(repl) * (len(string) + 1) > ELEMENTS:
                matches = sum(1 for _ in counted(real.finditer(pattern, string)))
                references = repl.count("\\") if isinstance(repl, str) else repl.count(b"\\")
                if len(string) + matches * max(len(repl), references * len(string)) > ELEMENTS:
                    return session.current().unknown("a string would be too large to build")
            return function(pattern, repl, string, *args, **kwargs)

        return call

    return {name: limited(name) for name in ("sub", "subn")}


def _zlib(real: Any) -> dict[str, Any]:
    def decompress(data: Any, wbits: int = 15, bufsize: int = 0) -> Any:
        if type(data) is Unknown:
            return derived_unknown(data)
        decompressor = real.decompressobj(wbits)
        result = decompressor.decompress(data, ELEMENTS)
        if decompressor.unconsumed_tail:
            return session.current().unknown("a byte string would be too large to build")
        return result

    return {"decompress": decompress}


def _typing(real: Any) -> dict[str, Any]:
    ignored = dict.fromkeys(("final", "no_type_check", "no_type_check_decorator", "overload", "override"), _unchanged)
    checkable = _for_target_classes(real.runtime_checkable)
    return {**ignored, "runtime_checkable": checkable, "get_overloads": lambda _function: [],
            "dataclass_transform": lambda **_options: _unchanged}  # fmt: skip


_REPLACEMENTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "abc": _abc,
    "collections": _collections,
    "contextlib": _contextlib,
    "enum": _enum,
    "re": _re,
    "string": _string,
    "struct": _struct,
    "typing": _typing,
    "zlib": _zlib,
}
