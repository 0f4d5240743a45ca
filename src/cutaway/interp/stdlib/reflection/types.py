"""Modules for introspection: `types`, `typing`, `inspect`, `functools`, `dataclasses`, `builtins`."""

from __future__ import annotations

import types
from typing import Any

from cutaway.core import session
from cutaway.core.admission import admit
from cutaway.core.unknown import Unknown
from cutaway.interp.boundary.attributes import SPECIAL, get_attribute
from cutaway.interp.boundary.code_objects import frame_view
from cutaway.interp.boundary.gate import DENIED, is_host_class
from cutaway.interp.boundary.namespace import SimpleNamespace
from cutaway.interp.modules import loader
from cutaway.interp.run.function import record_of
from cutaway.interp.run.signature import signature
from cutaway.interp.stdlib.allow_list import public_names
from cutaway.interp.stdlib.builtins import BUILTINS, builtin_getattr
from cutaway.interp.stdlib.modules import ModuleType, do_nothing, stdlib_module
from cutaway.interp.stdlib.reflection.inspect import file_of, own_annotations, source_of, type_hints


@stdlib_module("types")
def _types() -> dict[str, Any]:
    names = """MappingProxyType FunctionType LambdaType MethodType BuiltinFunctionType
    BuiltinMethodType GeneratorType GenericAlias UnionType NoneType EllipsisType NotImplementedType new_class
    prepare_class resolve_bases DynamicClassAttribute""".split()
    return {**{n: getattr(types, n) for n in names if hasattr(types, n)}, "ModuleType": ModuleType,
            "SimpleNamespace": SimpleNamespace}  # fmt: skip


@stdlib_module("typing", "typing_extensions")
def _typing() -> dict[str, Any]:
    import typing

    table = public_names("typing")
    table["get_type_hints"] = type_hints
    for name, stand_in in (("override", lambda f: f), ("Self", typing.Any), ("Unpack", typing.Optional),
                           ("NotRequired", typing.Optional), ("Required", typing.Optional), ("Never", typing.NoReturn),
                           ("LiteralString", str), ("deprecated", lambda *_a, **_k: (lambda f: f)),
                           ("TypeVarTuple", typing.TypeVar), ("assert_never", do_nothing), ("ReadOnly", typing.Optional),
                           ("dataclass_transform", lambda **_k: (lambda f: f)),
                           ("runtime", typing.runtime_checkable)):  # fmt: skip
        table.setdefault(name, stand_in)
    return table


@stdlib_module("inspect")
def _inspect() -> dict[str, Any]:
    import inspect

    names = """Parameter Signature isclass ismethod isgenerator isbuiltin isroutine isabstract iscoroutinefunction ismodule
    getdoc cleandoc getmro BoundArguments isasyncgenfunction isdatadescriptor ismethoddescriptor iscoroutine
    isawaitable""".split()
    return {
        **{name: getattr(inspect, name) for name in names},
        "_empty": inspect.Parameter.empty,
        "currentframe": frame_view,
        "get_annotations": own_annotations,
        "getattr_static": _getattr_static,
        "getfile": file_of,
        "getfullargspec": _getfullargspec,
        "getmembers": _getmembers,
        "getmodule": _getmodule,
        "getsource": source_of,
        "getsourcefile": file_of,
        "getsourcelines": lambda value: (source_of(value).splitlines(keepends=True), 0),
        "iscallable": lambda value: callable(value),
        "isfunction": _isfunction,
        "isgeneratorfunction": _isgeneratorfunction,
        "signature": lambda function, **_options: function if type(function) is Unknown else signature(function),
        "stack": _stack,
        "unwrap": _unwrap,
    }


def _getfullargspec(function: Any) -> Any:
    import inspect

    parameters = signature(function).parameters.values()
    kinds = inspect.Parameter
    positional = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    keyword = [p for p in parameters if p.kind is kinds.KEYWORD_ONLY]
    return inspect.FullArgSpec(
        [p.name for p in positional],
        next((p.name for p in parameters if p.kind is kinds.VAR_POSITIONAL), None),
        next((p.name for p in parameters if p.kind is kinds.VAR_KEYWORD), None),
        tuple(p.default for p in positional if p.default is not kinds.empty) or None,
        [p.name for p in keyword],
        {p.name: p.default for p in keyword if p.default is not kinds.empty},
        {},
    )


def _isfunction(value: Any) -> bool:
    return isinstance(value, types.FunctionType) and not value.__module__.startswith("cutaway.interp.")


def _isgeneratorfunction(value: Any) -> bool:
    record = record_of(getattr(value, "__func__", value))
    return record is not None and record.code.is_generator


def _getmembers(value: Any, predicate: Any = None) -> Any:
    attributes = [(n, builtin_getattr(value, n, None)) for n in BUILTINS["dir"](value) if n not in DENIED]
    return sorted((n, v) for n, v in attributes if predicate is None or predicate(v))


def _stack(*_args: Any) -> Any:
    return Unknown("frames are not available to the analysed code", session.current().place())


def _getmodule(value: Any, *_args: Any) -> Any:
    return loader.current().modules.get(getattr(value, "__module__", None) or "")


def _unwrap(function: Any, *, stop: Any = None) -> Any:
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def _getattr_static(value: Any, name: Any, *default: Any) -> Any:
    import inspect

    if type(value) is Unknown or name in DENIED or is_host_class(type(value)) or name in SPECIAL:
        return builtin_getattr(value, name, *default) if default else get_attribute(value, name)
    return admit(inspect.getattr_static(value, name, *default))


@stdlib_module("functools")
def _functools() -> dict[str, Any]:
    from cutaway.interp.stdlib.reflection import functools  # late: imports much that few targets need

    names = "update_wrapper wraps total_ordering singledispatch singledispatchmethod lru_cache cache".split()
    return {**public_names("functools"), **{name: getattr(functools, name) for name in names}}


@stdlib_module("dataclasses")
def _dataclasses() -> dict[str, Any]:
    # late: `dataclasses` of the host is slow to import
    from cutaway.interp.stdlib.reflection import dataclasses as ours

    names = ("asdict", "astuple", "dataclass", "make_dataclass", "replace")
    return {**public_names("dataclasses"), **{name: getattr(ours, name) for name in names}}


@stdlib_module("builtins")
def _builtins() -> dict[str, Any]:
    return dict(BUILTINS)
