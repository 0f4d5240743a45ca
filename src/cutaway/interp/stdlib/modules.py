"""The standard library as a target sees it: pure parts are the host's own, the rest is modelled or unknown.

Each module is one function below that returns its names; it is called when the target imports it.
"""

from __future__ import annotations

import os
import types
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.core import disk, session
from cutaway.core.unknown import Undecidable, Unknown, other_than_truth
from cutaway.interp.boundary.attributes import DENIED, SPECIAL, admit, get_attribute, is_host_class
from cutaway.interp.boundary.operators import BINARY, COMPARE, IN_PLACE, contains
from cutaway.interp.modules import loader
from cutaway.interp.modules.module import SourceModule
from cutaway.interp.run.budget import BITS
from cutaway.interp.run.function import record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.iteration import counted
from cutaway.interp.run.signature import signature
from cutaway.interp.stdlib import os_path
from cutaway.interp.stdlib.allow_list import MODULES, public
from cutaway.interp.stdlib.builtins import BUILTINS, get_attribute_or, unasked, unreachable
from cutaway.interp.stdlib.inspect import file_of, own_annotations, text_of, type_hints
from cutaway.knowledge.base import registry


class NativeModule:
    """A standard module of which only the listed names can be reached."""

    def __init__(self, name: str, table: dict[str, Any]) -> None:
        self.__dict__.update(table)
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        below = module(f"{self.__name__}.{name}")
        if below is not None:
            self.__dict__[name] = below
            return below
        return Unknown(f"{self.__name__}.{name} is not modelled", session.current().place())


class _ModuleMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        modules = (SourceModule, NativeModule, registry.KnownModule)
        return type.__instancecheck__(cls, instance) or (cls is ModuleType and isinstance(instance, modules))


class ModuleType(metaclass=_ModuleMeta):
    """`types.ModuleType`: a module that the target makes itself."""

    def __init__(self, name: str, doc: str | None = None) -> None:
        self.__name__ = name
        self.__doc__ = doc

    def mark_incomplete(self, unknown: Unknown) -> None:
        """Note that the making of this module could not be followed."""
        self.__dict__["_incomplete"] = unknown


def module(name: str) -> Any:
    """Return a module of the standard library, or None where it is not one that is modelled."""
    build = _MODELLED.get(name)
    if build is not None:
        return NativeModule(name, build())
    return NativeModule(name, public(name)) if name in MODULES else None


def _quiet(*_args: Any, **_kwargs: Any) -> None:
    return None


def _math() -> dict[str, Any]:
    from cutaway.interp.stdlib.builtins import _known

    table = public("math")
    table.update({n: _known(f) for n, f in table.items() if callable(f)})
    for name in ("factorial", "comb", "perm"):
        table[name] = _small(name, table[name])
    prod = table["prod"]

    def product(items: Any, *, start: Any = 1) -> Any:
        if type(items) is Unknown:
            return other_than_truth(items)
        values = list(counted(items))
        if all(isinstance(v, (int, float)) for v in values) and len(values) < 64:
            return prod(values, start=start)
        for value in values:
            start = BINARY["Mult"](start, value)
            if type(start) is Unknown:
                break
        return start

    def common(name: str) -> Callable[..., Any]:
        function = table[name]

        def call(*numbers: Any) -> Any:
            if sum(n.bit_length() for n in numbers if isinstance(n, int)) > BITS:
                return session.current().unknown(f"math.{name} of so many numbers is not computed")
            return function(*numbers)

        return call

    from cutaway.core.size.dim import Dim

    def whole(way: str) -> Callable[[Any], Any]:
        function = table[way]

        def call(x: Any) -> Any:
            if type(x) is Unknown and x.ratio is not None:
                return getattr(x, f"__{way}__")()
            return x if isinstance(x, Dim) else function(x)

        return call

    table.update(
        lcm=common("lcm"),
        gcd=common("gcd"),
        prod=product,
        floor=whole("floor"),
        ceil=whole("ceil"),
        trunc=whole("trunc"),
    )
    return table


def _small(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        if any(isinstance(a, int) and a > 1000 for a in args):
            return session.current().unknown(f"math.{name} of a large number is not computed")
        return function(*args)

    return call


def _itertools() -> dict[str, Any]:
    import itertools

    table = public("itertools")
    for name in "count cycle repeat product permutations combinations combinations_with_replacement".split():
        make = getattr(itertools, name)
        table[name] = lambda *args, _make=make, **kwargs: iter(counted(_make(*args, **kwargs)))

    def tee(items: Any, n: Any = 2) -> Any:
        if isinstance(n, int) and n > _COPIES:
            return session.current().unknown(f"{n} copies of an iterator are not made")
        return itertools.tee(items, n)

    return {**table, "tee": tee}


_COPIES = 10_000


def _operator() -> dict[str, Any]:
    import operator

    table = public("operator")
    named = """add=Add sub=Sub mul=Mult truediv=Div floordiv=FloorDiv mod=Mod pow=Pow lshift=LShift rshift=RShift or_=BitOr
    xor=BitXor and_=BitAnd matmul=MatMult concat=Add"""
    for pair in named.split():
        name, _, kind = pair.partition("=")
        table[name] = BINARY[kind]
        table[f"i{name.rstrip('_')}"] = IN_PLACE[kind]
    for name, kind in (("eq", "Eq"), ("ne", "NotEq"), ("lt", "Lt"), ("le", "LtE"), ("gt", "Gt"), ("ge", "GtE")):
        table[name] = COMPARE[kind]
    for name in ("countOf", "indexOf"):
        search = getattr(operator, name)
        table[name] = lambda items, wanted, _search=search: _search(counted(items), wanted)
    table["contains"] = lambda container, item: contains(item, container)

    def attrgetter(*names: str) -> Callable[[Any], Any]:
        def read(value: Any, path: str) -> Any:
            for part in path.split("."):
                value = get_attribute(value, part)
            return value

        return lambda value: read(value, names[0]) if len(names) == 1 else tuple(read(value, p) for p in names)

    def methodcaller(name: str, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        return lambda value: get_attribute(value, name)(*args, **kwargs)

    table.update(attrgetter=attrgetter, methodcaller=methodcaller, itemgetter=operator.itemgetter)
    return table


def _functools() -> dict[str, Any]:
    from cutaway.interp.stdlib import functools

    names = ("update_wrapper", "wraps", "total_ordering", "singledispatch", "singledispatchmethod")
    return {**public("functools"), **{name: getattr(functools, name) for name in names}}


def _dataclasses() -> dict[str, Any]:
    from cutaway.interp.stdlib.dataclasses import dataclass, make_dataclass

    return {**public("dataclasses"), "dataclass": dataclass, "make_dataclass": make_dataclass}


def _hashlib() -> dict[str, Any]:
    import hashlib

    return {n: getattr(hashlib, n) for n in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b")}


def _copy() -> dict[str, Any]:
    import copy

    return {"copy": copy.copy, "deepcopy": copy.deepcopy, "Error": copy.Error}


def _json() -> dict[str, Any]:
    import json

    return {"loads": json.loads, "dumps": json.dumps, "load": _json_load, "JSONDecodeError": json.JSONDecodeError,
            "dump": unreachable("json.dump"), "JSONEncoder": json.JSONEncoder}  # fmt: skip


def _json_load(file: Any, **_kwargs: Any) -> Any:
    import json

    return file if type(file) is Unknown else json.loads(file.read())


def _types() -> dict[str, Any]:
    names = """SimpleNamespace MappingProxyType FunctionType LambdaType MethodType BuiltinFunctionType
    BuiltinMethodType GeneratorType GenericAlias UnionType NoneType EllipsisType NotImplementedType new_class
    prepare_class resolve_bases DynamicClassAttribute""".split()
    return {**{n: getattr(types, n) for n in names if hasattr(types, n)}, "ModuleType": ModuleType}


def _typing() -> dict[str, Any]:
    import typing

    table = public("typing")
    table["get_type_hints"] = type_hints
    for name, stand_in in (("override", lambda f: f), ("Self", typing.Any), ("Unpack", typing.Optional),
                           ("NotRequired", typing.Optional), ("Required", typing.Optional), ("Never", typing.NoReturn),
                           ("LiteralString", str), ("deprecated", lambda *_a, **_k: (lambda f: f)),
                           ("TypeVarTuple", typing.TypeVar), ("assert_never", _quiet), ("ReadOnly", typing.Optional),
                           ("dataclass_transform", lambda **_k: (lambda f: f)),
                           ("runtime", typing.runtime_checkable)):  # fmt: skip
        table.setdefault(name, stand_in)
    return table


def _exc_info() -> tuple[Any, Any, Any]:
    error = interpreter().handling[-1] if interpreter().handling else None
    return (type(error), error, None) if error is not None else (None, None, None)


def _activation(depth: Any = 0) -> Any:
    from cutaway.interp.boundary.code_objects import activation

    return activation(depth)


def _sys() -> dict[str, Any]:
    import sys

    table = {n: getattr(sys, n) for n in ("version_info", "version", "maxsize", "byteorder", "float_info", "hexversion",
                                           "platform", "implementation", "hash_info")}  # fmt: skip
    stream = types.SimpleNamespace(write=_quiet, flush=_quiet, isatty=lambda: False)

    def leave(*_args: Any) -> None:
        raise SystemExit

    table.update(modules=_Modules(), path=[], meta_path=[], path_hooks=[], argv=[""], exit=leave, stdout=stream, stderr=stream, stdin=stream,
                 setrecursionlimit=_quiet, getrecursionlimit=lambda: 1000, intern=lambda text: text, getsizeof=lambda *_a: Unknown("sizes of objects are not known"),
                 executable="python", exc_info=_exc_info, _getframe=_activation, flags=sys.flags, gettrace=_quiet, getprofile=_quiet,
                 getdefaultencoding=sys.getdefaultencoding, getfilesystemencoding=sys.getfilesystemencoding,
                 stdlib_module_names=sys.stdlib_module_names, maxunicode=sys.maxunicode,
                 warnoptions=[])  # fmt: skip
    return table


class _Modules:
    """`sys.modules`: the modules of the target."""

    def __getitem__(self, name: Any) -> Any:
        return name if type(name) is Unknown else loader.current().load(name, strict=True)

    def get(self, name: Any, default: Any = None) -> Any:
        try:
            return self[name]
        except ImportError:
            return default

    def __contains__(self, name: Any) -> bool:
        return name in loader.current().modules

    def __iter__(self) -> Iterator[str]:
        return iter(self.copy())

    def __len__(self) -> int:
        return len(loader.current().modules)

    def copy(self) -> dict[str, Any]:
        """Return the modules that are there now."""
        return dict(loader.current().modules)

    def keys(self) -> Any:
        """Return their names."""
        return self.copy().keys()

    def values(self) -> Any:
        """Return the modules."""
        return self.copy().values()

    def items(self) -> Any:
        """Return their names and the modules."""
        return self.copy().items()

    def __setitem__(self, name: str, value: Any) -> None:
        if not isinstance(value, Unknown) and "_incomplete" not in vars(value):
            loader.current().modules[name] = value


class _Environment(dict[str, str]):
    """`os.environ`: taken to be empty, which is an assumption as soon as it is asked."""

    def _ask(self, name: Any) -> None:
        session.current().assume("the environment variables that the program asks for are not set")

    def get(self, name: Any, default: Any = None) -> Any:  # type: ignore[override]
        self._ask(name)
        return dict.get(self, name, default)

    def __contains__(self, name: object) -> bool:
        self._ask(name)
        return dict.__contains__(self, name)

    def __getitem__(self, name: str) -> str:
        self._ask(name)
        return dict.__getitem__(self, name)


def _os() -> dict[str, Any]:
    environment = _Environment()
    path = os_path.os_path()
    acting = "system popen kill fork execv execve spawnv putenv unsetenv chdir open".split()
    writing = "remove unlink mkdir makedirs rmdir removedirs rename replace chmod link symlink".split()
    asking = "scandir stat getcwd urandom cpu_count getpid getuid access lstat".split()
    table: dict[str, Any] = {name: unreachable(f"os.{name}") for name in acting}
    table.update({name: unasked(f"os.{name}") for name in asking})
    table.update(dict.fromkeys(writing, os_path.undone))
    table.update(path=NativeModule("os.path", path), environ=environment, getenv=environment.get, sep=os.sep,
                 linesep=os.linesep, name=os.name, fspath=lambda path: path if type(path) is Unknown else os.fspath(path), PathLike=os.PathLike, pathsep=os.pathsep,
                 error=OSError, curdir=os.curdir, listdir=os_path.listdir, walk=os_path.walk)  # fmt: skip
    return table


class _Logger:
    """A logger that says nothing."""

    name = "root"
    level = 0
    propagate = True
    disabled = False
    parent = None

    def __init__(self, *_args: Any) -> None:
        self.handlers: list[Any] = []
        self.filters: list[Any] = []

    def isEnabledFor(self, *_args: Any) -> bool:
        return False

    def getEffectiveLevel(self) -> int:
        return 30

    def hasHandlers(self) -> bool:
        return False

    def getChild(self, _name: str) -> _Logger:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _quiet


def _silent(_part: Any, name: str) -> Any:
    """Return an attribute of a part of `logging` that says nothing."""
    values: dict[str, Any] = {"filters": [], "level": 0, "formatter": None, "name": None}
    return values.get(name, _quiet)


def _logging() -> dict[str, Any]:
    silent = "debug info warning warn error critical exception log basicConfig disable addLevelName captureWarnings"
    table: dict[str, Any] = dict.fromkeys(silent.split(), _quiet)
    table.update(DEBUG=10, INFO=20, WARNING=30, WARN=30, ERROR=40, CRITICAL=50, FATAL=50, NOTSET=0)
    table.update(getLogger=lambda *_args: _Logger(), Logger=_Logger, getLevelName=lambda level: str(level))
    for name in ("Handler", "StreamHandler", "FileHandler", "NullHandler", "Formatter", "Filter", "LoggerAdapter"):
        table[name] = type(name, (), {"__init__": lambda self, *a, **k: None, "__getattr__": _silent})
    table["handlers"] = NativeModule("logging.handlers", {})
    table["config"] = NativeModule("logging.config", {"dictConfig": _quiet, "fileConfig": _quiet})
    return table


class _CatchWarnings:
    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    def __enter__(self) -> list[Any]:
        return []

    def __exit__(self, *_exc: object) -> None:
        pass


def _warnings() -> dict[str, Any]:
    quiet = dict.fromkeys(("warn", "warn_explicit", "filterwarnings", "simplefilter", "resetwarnings"), _quiet)
    return {**quiet, "catch_warnings": _CatchWarnings, "deprecated": lambda *_a, **_k: lambda f: f}


def _inspect() -> dict[str, Any]:
    import inspect

    names = """Parameter Signature isclass ismethod isgenerator isgeneratorfunction isbuiltin isroutine isabstract
    iscoroutinefunction ismodule getdoc cleandoc getmro BoundArguments isasyncgenfunction isdatadescriptor
    ismethoddescriptor iscoroutine isawaitable""".split()
    table: dict[str, Any] = {n: getattr(inspect, n) for n in names}

    def full(function: Any) -> Any:
        parameters = signature(function).parameters.values()
        kinds = inspect.Parameter
        positional = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
        defaults = tuple(p.default for p in positional if p.default is not kinds.empty) or None
        keyword = [p for p in parameters if p.kind is kinds.KEYWORD_ONLY]
        return inspect.FullArgSpec(
            [p.name for p in positional],
            next((p.name for p in parameters if p.kind is kinds.VAR_POSITIONAL), None),
            next((p.name for p in parameters if p.kind is kinds.VAR_KEYWORD), None),
            defaults,
            [p.name for p in keyword],
            {p.name: p.default for p in keyword if p.default is not kinds.empty},
            {},
        )

    def is_function(value: Any) -> bool:
        return isinstance(value, types.FunctionType) and not value.__module__.startswith("cutaway.interp.")

    def is_generator_function(value: Any) -> bool:
        record = record_of(getattr(value, "__func__", value))
        return record is not None and record.code.is_generator

    table["isgeneratorfunction"] = is_generator_function

    def members(value: Any, predicate: Any = None) -> Any:
        found = [(n, get_attribute_or(value, n, None)) for n in BUILTINS["dir"](value) if n not in DENIED]
        return sorted((n, v) for n, v in found if predicate is None or predicate(v))

    def frames(*_args: Any) -> Any:
        return Unknown("the target's own frames are not known to it", session.current().place())

    def module_of(value: Any, *_args: Any) -> Any:
        return loader.current().modules.get(getattr(value, "__module__", None) or "")

    def unwrap(function: Any, *, stop: Any = None) -> Any:
        while hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        return function

    def static(value: Any, name: Any, *default: Any) -> Any:
        if type(value) is Unknown or name in DENIED or is_host_class(type(value)) or name in SPECIAL:
            return get_attribute_or(value, name, *default) if default else get_attribute(value, name)
        return admit(inspect.getattr_static(value, name, *default))

    table.update(getattr_static=static, signature=lambda f, **_k: f if type(f) is Unknown else signature(f), getfullargspec=full,
                 getmembers=members, isfunction=is_function, getsource=text_of,
                 getfile=file_of, getmodule=module_of, stack=frames, currentframe=_activation, unwrap=unwrap,
                 getsourcefile=file_of, get_annotations=own_annotations,
                 getsourcelines=lambda value: (text_of(value).splitlines(keepends=True), 0), _empty=inspect.Parameter.empty,
                 iscallable=lambda value: callable(value))  # fmt: skip
    return table


def _importlib() -> dict[str, Any]:
    def import_module(name: Any, package: Any = None) -> Any:
        if type(name) is Unknown:
            return other_than_truth(name)
        if name.startswith("."):
            level = len(name) - len(name.lstrip("."))
            parts = (package or "").split(".")
            name = ".".join([*parts[: len(parts) - level + 1], name.lstrip(".")])
        module = loader.current().load(name, strict=True)
        loader.current().settle(name)
        return loader.current().load(name) if not isinstance(module, Unknown) else module

    return {"import_module": import_module, "reload": lambda m: m, "util": NativeModule("importlib.util", _importlib_util()),
            "metadata": NativeModule("importlib.metadata", _importlib_metadata()), "machinery": NativeModule("importlib.machinery", {})}  # fmt: skip


def _importlib_util() -> dict[str, Any]:
    def find_spec(name: Any, package: Any = None) -> Any:
        if type(name) is Unknown:
            return other_than_truth(name)
        try:
            found = loader.current().load(name, strict=True)
        except ImportError:
            return None
        return types.SimpleNamespace(name=name, origin=getattr(found, "__file__", None), loader=None)

    return {"find_spec": find_spec}


def _importlib_metadata() -> dict[str, Any]:
    import importlib.metadata as real

    def version(name: Any) -> Any:
        if type(name) is Unknown:
            return other_than_truth(name)
        for folder in loader.current().folders:
            found = disk.version(name, folder)
            if found is not None:
                return found
        home = name.replace("-", "_")
        own = getattr(loader.current().load(home), "__version__", None) if registry.models(home) else None
        if isinstance(own, str):
            return own
        raise real.PackageNotFoundError(name)

    def distribution(name: Any) -> Any:
        return types.SimpleNamespace(version=version(name), metadata={})

    return {"version": version, "PackageNotFoundError": real.PackageNotFoundError, "distribution": distribution,
            "packages_distributions": dict}  # fmt: skip


def _random() -> dict[str, Any]:
    def draw(name: str) -> Callable[..., Any]:
        kind = int if name in ("randint", "randrange", "getrandbits") else float if name in numbers else None
        return lambda *_args, **_kwargs: Unknown(f"random.{name} is random", session.current().place(), kind=kind)

    def only(name: str, choices: Callable[..., Any]) -> Callable[..., Any]:
        """A choice is not random where there is but one."""

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                found = choices(*args, **kwargs)
                return found[0] if len(found) == 1 else draw(name)()
            except (TypeError, ValueError):
                return draw(name)()

        return call

    def shuffle(items: Any, *_args: Any) -> None:
        raise Undecidable(Unknown("random.shuffle is random", session.current().place()), items)

    numbers = "random uniform gauss normalvariate betavariate triangular expovariate".split()
    names = """random randint uniform choice choices sample gauss normalvariate randrange betavariate
    getrandbits triangular expovariate""".split()
    chosen = {"randrange": only("randrange", range), "randint": only("randint", lambda a, b: range(a, b + 1)),
              "choice": only("choice", lambda seq: seq)}  # fmt: skip
    return {**{n: draw(n) for n in names}, **chosen, "shuffle": shuffle, "seed": _quiet, "Random": lambda *_a: Unknown("random.Random is random"),
            "getstate": draw("getstate"), "setstate": _quiet}  # fmt: skip


def _uuid() -> dict[str, Any]:
    import uuid

    def draw(*_args: Any, **_kwargs: Any) -> Any:
        return Unknown("an identifier is drawn at random", session.current().place())

    names = "UUID uuid3 uuid5 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500".split()
    return {**{name: getattr(uuid, name) for name in names}, "uuid1": draw, "uuid4": draw, "getnode": draw}


def _time() -> dict[str, Any]:
    def clock(*_args: Any) -> Any:
        return Unknown("the time is not known")

    names = "time perf_counter monotonic process_time time_ns perf_counter_ns strftime localtime gmtime ctime".split()
    return {**dict.fromkeys(names, clock), "sleep": _quiet}


def _traceback() -> dict[str, Any]:
    return {**dict.fromkeys(("print_exc", "print_stack", "print_exception"), _quiet), "format_exc": lambda *_a: ""}


def _platform() -> dict[str, Any]:
    import platform

    def unknown(*_args: Any) -> Any:
        return Unknown("the platform is not known")

    return {"python_version": platform.python_version, "system": lambda: "Linux", "machine": unknown, "platform": unknown,
            "python_implementation": lambda: "CPython", "processor": unknown, "node": unknown}  # fmt: skip


class _Lock:
    """A lock that is always free."""

    def __enter__(self) -> _Lock:
        return self

    def __exit__(self, *_exc: object) -> None:
        pass

    def acquire(self, *_args: Any, **_kwargs: Any) -> bool:
        return True

    def release(self) -> None:
        pass


def _threading() -> dict[str, Any]:
    return {"Lock": _Lock, "RLock": _Lock, "local": types.SimpleNamespace, "Condition": _Lock,
            "current_thread": lambda: types.SimpleNamespace(name="MainThread"), "get_ident": lambda: 1}  # fmt: skip


def _datetime() -> dict[str, Any]:
    import datetime

    def clock(*_args: Any, **_kwargs: Any) -> Any:
        return Unknown("the time is not known", session.current().place())

    def made(cls: type, *asking: str) -> type:
        return type(cls.__name__, (cls,), {"__module__": "datetime", **{name: staticmethod(clock) for name in asking}})

    table = {
        name: getattr(datetime, name) for name in ("timedelta", "timezone", "time", "tzinfo", "MINYEAR", "MAXYEAR")
    }
    return {
        **table,
        "date": made(datetime.date, "today"),
        "datetime": made(datetime.datetime, "now", "today", "utcnow"),
    }


def _io() -> dict[str, Any]:
    import io

    return {name: getattr(io, name) for name in ("StringIO", "BytesIO", "SEEK_SET", "SEEK_CUR", "SEEK_END")}


def _argparse() -> dict[str, Any]:
    import argparse

    class ArgumentParser(argparse.ArgumentParser):
        """A parser that is given an empty command line; what must be on it is unknown."""

        def parse_args(self, args: Any = None, namespace: Any = None) -> Any:  # type: ignore[override]
            if args is None:
                session.current().assume("the program is started without command-line arguments")
                args = []
                self._require_nothing()
            return super().parse_args(args, namespace)

        def _require_nothing(self) -> None:
            groups = [group for group in self._mutually_exclusive_groups if group.required]
            needed = [action for action in self._actions if action.required]
            for action in (*needed, *(action for group in groups for action in group._group_actions)):
                if action.dest not in (None, argparse.SUPPRESS):
                    name = "/".join(action.option_strings) or action.metavar or action.dest
                    action.default = Unknown(f"the program's command line gives {name}", session.current().place())
            for action in needed:
                action.required = False
            for group in groups:
                group.required = False

        def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # type: ignore[override]
            if isinstance(namespace, type) or callable(namespace) or registry.is_shared(namespace):
                raise TypeError("the namespace of a command line must be a plain object")
            if args is None:
                self._require_nothing()
                args = []
            return super().parse_known_args(args, namespace)

        def _read_args_from_files(self, arg_strings: Any) -> Any:
            return arg_strings

        def _print_message(self, message: str, file: Any = None) -> None:
            pass

        def exit(self, status: int = 0, message: str | None = None) -> Any:
            raise SystemExit(status)

        def error(self, message: str) -> Any:
            raise ValueError(f"the program's command line: {message}")

    table = public("argparse")
    table["ArgumentParser"] = ArgumentParser
    table["FileType"] = unreachable("argparse.FileType")
    return table


def _builtins() -> dict[str, Any]:
    return dict(BUILTINS)


def _path_objects(names: str) -> Callable[[], dict[str, Any]]:
    """Return what gives these names: of a module that few targets need, and that imports much."""

    def give() -> dict[str, Any]:
        from cutaway.interp.stdlib import pathlib

        found: dict[str, Any] = getattr(pathlib, names)()
        return found

    return give


_MODELLED: dict[str, Callable[[], dict[str, Any]]] = {
    "math": _math, "itertools": _itertools, "operator": _operator, "functools": _functools, "copy": _copy,
    "json": _json, "types": _types, "typing": _typing, "typing_extensions": _typing, "sys": _sys, "os": _os, "os.path": os_path.os_path,
    "pathlib": _path_objects("pathlib_names"), "glob": os_path.glob_names, "logging": _logging, "warnings": _warnings, "inspect": _inspect, "importlib": _importlib,
    "importlib.util": _importlib_util, "importlib.metadata": _importlib_metadata, "importlib_metadata": _importlib_metadata,
    "random": _random, "time": _time, "uuid": _uuid,
    "traceback": _traceback, "platform": _platform, "threading": _threading, "datetime": _datetime,
    "argparse": _argparse, "io": _io, "dataclasses": _dataclasses, "hashlib": _hashlib, "pkgutil": _path_objects("pkgutil_names"), "importlib.resources": _path_objects("resources_names"), "importlib_resources": _path_objects("resources_names"), "builtins": _builtins, "urllib": dict,
}  # fmt: skip

_ = record_of
