"""The modules of the standard library that only compute, without the few names in them that do more."""

from __future__ import annotations

import contextlib
import importlib
import types
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown, other_than_truth
from cutaway.interp.boundary.attributes import class_namespace, is_host_class
from cutaway.interp.run.budget import ELEMENTS
from cutaway.interp.run.iteration import counted

MODULES = frozenset(
    """cmath collections collections.abc string re numbers statistics bisect heapq textwrap enum abc
    contextlib keyword unicodedata colorsys html base64 binascii struct zlib array weakref pprint
    reprlib graphlib contextvars __future__ csv ast fnmatch urllib.parse""".split()
)

# Names that change the host, print, or run text; they are unknown to the target.
_LEFT_OUT = {
    "ast": "main",
    "contextlib": "chdir",
    "csv": "field_size_limit register_dialect unregister_dialect",
    "re": "purge template",
    "weakref": "finalize",
    "zlib": "decompressobj compressobj",
    "functools": "singledispatch singledispatchmethod",
    "typing": "clear_overloads evaluate_forward_ref",
}


def public(name: str) -> dict[str, Any]:
    """Return the names of a module of the standard library that a target may have."""
    real = importlib.import_module(name)
    names = getattr(real, "__all__", None) or [n for n in dir(real) if not n.startswith("_")]
    left_out = _LEFT_OUT.get(name, "").split()
    table = {n: _own(getattr(real, n)) for n in names if n not in left_out and hasattr(real, n)}
    table = {n: value for n, value in table.items() if not isinstance(value, types.ModuleType)}
    replace = _REPLACED.get(name)
    if replace is not None:
        table.update(replace(real))
    return table


def _own(value: Any) -> Any:
    """A container that the host uses too is copied."""
    return type(value)(value) if type(value) in (list, dict, set) else value


def _unchanged(thing: Any) -> Any:
    return thing


def _of_targets(function: Callable[..., Any]) -> Callable[..., Any]:
    """Apply a class decorator that marks what it is given to classes of the target only."""
    return lambda cls: cls if type(cls) is Unknown or is_host_class(cls) else function(cls)


def _string(real: Any) -> dict[str, Any]:
    from cutaway.interp.stdlib.formatting import Formatter

    return {"Formatter": Formatter}


def _contextlib(real: Any) -> dict[str, Any]:
    def redirect(stream: Any) -> Any:
        return contextlib.nullcontext(stream)

    return {"redirect_stdout": redirect, "redirect_stderr": redirect}


def _enum(real: Any) -> dict[str, Any]:
    return {"global_enum": _unchanged} if hasattr(real, "global_enum") else {}


def _abc(real: Any) -> dict[str, Any]:
    return {"update_abstractmethods": _of_targets(real.update_abstractmethods)}


def _collections(real: Any) -> dict[str, Any]:
    def namedtuple(typename: Any, field_names: Any, **options: Any) -> Any:
        """`namedtuple`, as a class of the module that calls."""
        for value in (typename, field_names, *options.values()):
            if type(value) is Unknown:
                return value
        home = class_namespace({})["__module__"]
        return real.namedtuple(typename, field_names, **{"module": home, **options})

    return {"namedtuple": namedtuple}


def _struct(real: Any) -> dict[str, Any]:
    def sized(name: str) -> Callable[..., Any]:
        def call(layout: Any, *args: Any) -> Any:
            if type(layout) is Unknown:
                return other_than_truth(layout)
            if real.calcsize(layout) > ELEMENTS:
                return session.current().unknown("a byte string would be too large to build")
            return getattr(real, name)(layout, *args)

        return call

    return {name: sized(name) for name in ("pack", "Struct")}


def _re(real: Any) -> dict[str, Any]:
    def replacing(name: str) -> Callable[..., Any]:
        function = getattr(real, name)

        def call(pattern: Any, repl: Any, string: Any, *args: Any, **kwargs: Any) -> Any:
            for value in (pattern, repl, string):
                if type(value) is Unknown:
                    return other_than_truth(value)
            if isinstance(repl, (str, bytes)) and len(repl) * (len(string) + 1) > ELEMENTS:
                matches = sum(1 for _ in counted(real.finditer(pattern, string)))
                references = repl.count("\\") if isinstance(repl, str) else repl.count(b"\\")
                if len(string) + matches * max(len(repl), references * len(string)) > ELEMENTS:
                    return session.current().unknown("a text would be too large to build")
            return function(pattern, repl, string, *args, **kwargs)

        return call

    return {name: replacing(name) for name in ("sub", "subn")}


def _zlib(real: Any) -> dict[str, Any]:
    def decompress(data: Any, wbits: int = 15, bufsize: int = 0) -> Any:
        if type(data) is Unknown:
            return other_than_truth(data)
        machine = real.decompressobj(wbits)
        text = machine.decompress(data, ELEMENTS)
        if machine.unconsumed_tail:
            return session.current().unknown("a byte string would be too large to build")
        return text

    return {"decompress": decompress}


def _typing(real: Any) -> dict[str, Any]:
    dropped = dict.fromkeys(("final", "no_type_check", "no_type_check_decorator", "overload", "override"), _unchanged)
    checkable = _of_targets(real.runtime_checkable)
    return {**dropped, "runtime_checkable": checkable, "get_overloads": lambda _function: [],
            "dataclass_transform": lambda **_options: _unchanged}  # fmt: skip


_REPLACED: dict[str, Callable[[Any], dict[str, Any]]] = {
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
