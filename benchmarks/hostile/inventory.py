"""Everything native that a target can reach, found by walking.

The walk starts at every built-in name, every name of a module of the standard library, and every row of a library. It
reads every attribute of what it meets as the target would, follows base classes and metaclasses, iterates, and calls what
it meets with probes. What it meets that is written in C, or in Python outside of Cutaway, is the inventory.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from cutaway.core.admission import admit
from cutaway.core.unknown import Unknown
from cutaway.interp.analysis.options import Options
from cutaway.interp.analysis.single_run import _new_analysis
from cutaway.interp.boundary import natives
from cutaway.interp.boundary.attributes import get_attribute
from cutaway.interp.boundary.call import call
from cutaway.interp.boundary.gate import GUARD, full_name, is_host_class
from cutaway.interp.run.function import WRAPPER
from cutaway.interp.stdlib import modules
from cutaway.interp.stdlib.allow_list import MODULES
from cutaway.interp.stdlib.builtins import BUILTINS
from cutaway.knowledge.base import registry

PROBES: tuple[tuple[Any, ...], ...] = ((), (1,), ("x",), ([1, 2],), ({"x": 1},), (len, [1, 2]), ("x", "x"), (int, "x"))
_SILENT = frozenset(("breakpoint", "exit", "quit", "input", "__build_class__"))
_DESCRIPTORS = (
    types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType,
)  # fmt: skip


def starting_points() -> Iterator[tuple[str, Any]]:
    """Yield what a target can name, each with the name."""
    yield from BUILTINS.items()
    for name in sorted({*MODULES, *modules._FILE_OF}):
        module = modules.module(name)
        for key, value in vars(module).items() if module is not None else ():
            yield f"{name}.{key}", value
    registry.load_all()
    yield from list(registry.TABLE.items())


class Inventory:
    """What a walk has met: native callables by their names, and classes of the host, each with the way that led there."""

    def __init__(self) -> None:
        self.callables: dict[str, str] = {}
        self.classes: dict[str, str] = {}
        self._seen: dict[int, Any] = {}
        self._kinds: set[type] = set()

    def walk(self, depth: int = 2) -> Inventory:
        """Walk from every starting point, in an analysis of its own."""
        with _new_analysis(Options(seconds=600)):
            waiting = [(way, value, depth) for way, value in starting_points()]
            while waiting:
                way, value, left = waiting.pop()
                value = admit(value)
                if type(value) is Unknown or id(value) in self._seen:
                    continue
                self._seen[id(value)] = value
                self._enter(way, value)
                if left and not self._is_known_kind(value):
                    waiting.extend((step, part, left - 1) for step, part in self._parts(way, value))
        return self

    def _is_known_kind(self, value: Any) -> bool:
        """Tell whether another object of a class has been walked: all of them have the same attributes."""
        kind = type(value)
        if _is_ours(value):
            return not issubclass(type(value), type)
        if issubclass(type(value), type) or native_name(value) is not None:
            return False
        if kind in self._kinds:
            return True
        self._kinds.add(kind)
        return False

    def _enter(self, way: str, value: Any) -> None:
        name = native_name(value)
        if name is not None:
            self.callables.setdefault(name, way)
        for cls in (type(value), value):
            if issubclass(type(cls), type) and is_host_class(cls) and not full_name(cls).startswith("cutaway."):
                self.classes.setdefault(full_name(cls), way)

    def _parts(self, way: str, value: Any) -> Iterator[tuple[str, Any]]:
        try:
            names = dir(value)
        except Exception:
            names = []
        for name in names:
            yield from _attempt(f"{way}.{name}", lambda name=name: get_attribute(value, name))
        if isinstance(value, (list, tuple, set, frozenset)):
            yield from ((f"{way}[...]", item) for item in list(value)[:20])
        elif isinstance(value, dict):
            yield from ((f"{way}[...]", item) for item in list(value.values())[:20])
        if callable(value) and way.rpartition(".")[2] not in _SILENT and not _is_ours(value):
            for probe in PROBES:
                yield from _attempt(f"{way}(...)", lambda probe=probe: call(value, list(probe), {}))


def _is_ours(value: Any) -> bool:
    """Tell whether something is a class, a function or an object of Cutaway, whose methods are not native."""
    if type(value) is types.FunctionType:
        return native_name(value) is None
    kind = value if issubclass(type(value), type) else type(value)
    return full_name(kind).startswith("cutaway.")


def _attempt(way: str, read: Any) -> Iterator[tuple[str, Any]]:
    try:
        result = read()
    except KeyboardInterrupt:
        raise
    except BaseException:
        return
    yield way, result


def native_name(value: Any) -> str | None:
    """Return the name under which the table lists a native callable; None for anything else."""
    if type(value) is types.MethodType:
        value = value.__func__
    if type(value) is types.FunctionType and value.__code__ is GUARD:
        value = value.__wrapped__  # a method that is called on instances of its class only
    if type(value) is types.FunctionType:
        home = value.__globals__.get("__name__", "")
        if value.__code__ is WRAPPER or home.startswith(("cutaway.", "namedtuple_")):
            return None
        return f"{home}.{value.__code__.co_name}"
    if type(value) is types.BuiltinFunctionType:
        owner = value.__self__
        if isinstance(owner, types.ModuleType):
            return f"{owner.__name__}.{value.__name__}"
        if issubclass(type(owner), type):
            return f"a class's {value.__name__}"
        return f"{_definer(type(owner), value.__name__)}: {value.__name__}"
    if isinstance(value, _DESCRIPTORS):
        return f"{full_name(value.__objclass__)}: {value.__name__}"
    if type(value) is types.MethodWrapperType:
        return f"{_definer(type(value.__self__), value.__name__)}: {value.__name__}"
    return None


def reason(name: str) -> str | None:
    """Return why the table lists a native callable, None if it does not."""
    if name.startswith("a class's "):
        return "a method of a class" if name.rpartition(" ")[2] in natives.CLASS_METHODS else None
    owner, _, method = name.partition(": ")
    if method:
        if method in natives.PROTOCOL:
            return "what operators and statements do"
        return "a method of a type in the table" if method in natives.METHODS.get(owner, ()) else None
    for why, table in natives.FUNCTION_GROUPS.items():
        if name in natives._full_names({why: table}):
            return why
    return None


def _definer(kind: type, name: str) -> str:
    """Return the name of the class that defines a method of a class."""
    return next((full_name(cls) for cls in kind.__mro__ if name in vars(cls)), full_name(kind))


def report() -> int:
    """Print the inventory; 1 if something is not in the table."""
    inventory = Inventory().walk()
    missing = {name: way for name, way in inventory.callables.items() if reason(name) is None}
    groups: dict[str, int] = {}
    for name in inventory.callables:
        why = reason(name)
        groups[why or "NOT IN THE TABLE"] = groups.get(why or "NOT IN THE TABLE", 0) + 1
    for why, count in sorted(groups.items(), key=lambda item: -item[1]):
        print(f"{count:6}  {why}")
    print(f"{len(inventory.callables):6}  native callables reached, of {len(inventory.classes)} classes of the host")
    for name, way in sorted(missing.items()):
        print(f"not in the table: {name}, by {way}")
    return 1 if missing else 0
