"""The mutable state of a program at one moment, to compare with what it is later, and to go back to.

Objects of the target are objects of the host, so whatever changes one of them, an assignment, a method of a container, a
function of the standard library or a row of knowledge, changes what is found here. Nothing has to announce a change.
"""

from __future__ import annotations

import ast
import io
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from cutaway.core.place import Place
from cutaway.core.session import Session
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown
from cutaway.interp.run.budget import Budget
from cutaway.interp.run.function import WRAPPER, Code

_MISSING = object()
_ATOMS = (int, float, complex, str, bytes, bool, type(None), range, slice, types.ModuleType, types.BuiltinFunctionType,
          types.CodeType, types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType,
          types.MethodDescriptorType, ast.AST, Code, Unknown, Dim, Place, Session, Budget, BaseException)  # fmt: skip
"""What holds no state of the target."""
_TRANSPARENT = (
    tuple,
    frozenset,
    types.MethodType,
    partial,
    property,
    staticmethod,
    classmethod,
    types.MappingProxyType,
)
"""What can't change, and refers to what can."""


class Heap:
    """The mutable objects that can be reached from some roots, with what they contain.

    `opaque` are objects that change and whose contents can't be saved: iterators and generators.
    """

    def __init__(self, roots: Iterable[Any], leave_out: Callable[[Any], bool] = lambda value: False) -> None:
        self.saved: dict[int, tuple[Any, Any]] = {}
        self.opaque: list[Any] = []
        self._save(list(roots), leave_out)

    def _save(self, pending: list[Any], leave_out: Callable[[Any], bool]) -> None:
        seen: set[int] = set()
        saved, kept = self.saved, []
        while pending:
            value = pending.pop()
            kind = type(value)
            if kind in _PLAIN or id(value) in seen:
                continue
            seen.add(id(value))
            kept.append(value)  # so that no other object gets its identity
            if isinstance(value, _ATOMS) or leave_out(value):
                _PLAIN.update((kind,) if kind in _ATOMS else ())
                continue
            if isinstance(value, _TRANSPARENT):
                pending.extend(_referents(value))
                continue
            contents = _contents(value)
            if contents is None:
                if hasattr(kind, "__next__"):
                    self.opaque.append(value)
                continue
            saved[id(value)] = value, contents
            for part in contents:
                pending.extend(part)
        self._kept = kept

    def changes(self) -> list[tuple[Any, Any]]:
        """Return the objects that have changed, each with its former contents."""
        return [(value, before) for value, before in self.saved.values() if _differ(before, _contents(value))]

    def restore(self) -> None:
        """Make everything what it was."""
        for value, before in self.changes():
            set_contents(value, before)


_PLAIN: set[type] = {int, float, str, bytes, bool, type(None), Unknown, Dim, Place}

Contents = tuple[Any, ...]
"""What an object contains: sequences of values, whose meaning depends on the kind of object."""


def _referents(value: Any) -> Iterable[Any]:
    if isinstance(value, (tuple, frozenset)):
        return tuple.__iter__(value) if isinstance(value, tuple) else frozenset.__iter__(value)
    if isinstance(value, types.MethodType):
        return value.__self__, value.__func__
    if isinstance(value, partial):
        return value.func, value.args, value.keywords, value.__dict__
    if isinstance(value, property):
        return value.fget, value.fset, value.fdel
    if isinstance(value, types.MappingProxyType):
        return value.values()
    return value.__func__, value.__dict__


def _contents(value: Any) -> Contents | None:
    """Return what a mutable object contains; None for one of the host's, or one that can't be looked into."""
    if isinstance(value, dict):
        items = dict.items(value) if not isinstance(value, OrderedDict) else OrderedDict.items(value)
        pairs = list(items)
        return [key for key, _ in pairs], [item for _, item in pairs], *_attributes(value)
    if isinstance(value, list):
        return list(list.__iter__(value)), *_attributes(value)
    if isinstance(value, set):
        return list(set.__iter__(value)), *_attributes(value)
    if isinstance(value, deque):
        return list(deque.__iter__(value)), *_attributes(value)
    if isinstance(value, bytearray):
        return ([bytes(value)],)
    if isinstance(value, io.StringIO):
        return ([value.getvalue(), value.tell()],)
    if type(value).__name__ == "ndarray" and type(value).__module__ == "numpy" and value.dtype.hasobject is False:
        return ([value.tobytes()],)
    if isinstance(value, types.CellType):
        try:
            return ([value.cell_contents],)
        except ValueError:
            return ([],)
    if isinstance(value, types.FunctionType):
        if value.__code__ is not WRAPPER:
            return None
        variables = value.__dict__
        return [value.__closure__[0].cell_contents], list(variables), list(variables.values())  # type: ignore[index]
    if isinstance(value, type):
        if not _is_of_target(value):
            return None
        variables = type.__dict__["__dict__"].__get__(value)
        pairs = [(name, item) for name, item in variables.items() if name not in ("__dict__", "__weakref__")]
        return [name for name, _ in pairs], [item for _, item in pairs]
    attributes = _attributes(value)
    return attributes or None


def _attributes(value: Any) -> Contents:
    """Return the attributes of an instance: those in slots, and those in its dict."""
    kind = type(value)
    contents: list[Any] = []
    slots = _slots(kind)
    if slots:
        contents.append([_slot(slot, value) for slot in slots])
    try:
        variables = object.__getattribute__(value, "__dict__")
    except AttributeError:
        variables = None
    if type(variables) is dict:
        contents += [list(variables), list(variables.values())]
    return tuple(contents)


def _slots(kind: type) -> list[Any]:
    known = _SLOTS.get(kind)
    if known is None:
        known = _SLOTS[kind] = [
            member
            for cls in kind.__mro__
            for member in type.__dict__["__dict__"].__get__(cls).values()
            if type(member) is types.MemberDescriptorType and member.__objclass__.__flags__ & _HEAP_TYPE
        ]
    return known


_SLOTS: dict[type, list[Any]] = {}
_HEAP_TYPE = 1 << 9


def _slot(slot: Any, value: Any) -> Any:
    try:
        return slot.__get__(value)
    except AttributeError:
        return _MISSING


def _is_of_target(cls: type) -> bool:
    return bool(cls.__flags__ & _HEAP_TYPE) and not type.__dict__["__module__"].__get__(cls).startswith("cutaway.")


def _differ(before: Contents, after: Contents | None) -> bool:
    if after is None or len(before) != len(after):
        return True
    return any(
        len(one) != len(other) or any(a is not b and not _same(a, b) for a, b in zip(one, other))
        for one, other in zip(before, after)
    )


def _same(one: Any, other: Any) -> bool:
    """Tell whether two values that are not one object can't be told apart."""
    return type(one) is type(other) and type(one) in (int, float, str, bytes, bool) and one == other


def set_contents(value: Any, contents: Contents) -> None:
    """Make an object contain what it contained before."""
    rest = contents[1:]
    if isinstance(value, dict):
        keys, items = contents[:2]
        kind: Any = OrderedDict if isinstance(value, OrderedDict) else dict
        kind.clear(value)
        for key, item in zip(keys, items):
            kind.__setitem__(value, key, item)
        rest = contents[2:]
    elif isinstance(value, list):
        list.__setitem__(value, slice(None), contents[0])
    elif isinstance(value, set):
        set.clear(value)
        set.update(value, contents[0])
    elif isinstance(value, deque):
        deque.clear(value)
        deque.extend(value, contents[0])
    elif isinstance(value, bytearray):
        value[:] = contents[0][0]
        rest = ()
    elif isinstance(value, io.StringIO):
        value.seek(0)
        value.truncate()
        value.write(contents[0][0])
        value.seek(contents[0][1])
        rest = ()
    elif type(value).__name__ == "ndarray" and type(value).__module__ == "numpy":
        value.flat = type(value)(value.shape, value.dtype, contents[0][0]).flat
        rest = ()
    elif isinstance(value, types.CellType):
        if contents[0]:
            value.cell_contents = contents[0][0]
        else:
            del value.cell_contents
        rest = ()
    elif isinstance(value, types.FunctionType):
        value.__dict__.clear()
        value.__dict__.update(zip(*contents[1:]))
        rest = ()
    elif isinstance(value, type):
        _set_class(value, dict(zip(*contents)))
        rest = ()
    else:
        rest = contents
    if rest:
        _set_attributes(value, rest)


def _set_class(cls: type, before: dict[str, Any]) -> None:
    now = dict(type.__dict__["__dict__"].__get__(cls))
    for name in now.keys() - before.keys() - {"__dict__", "__weakref__"}:
        type.__delattr__(cls, name)
    for name, value in before.items():
        if now.get(name, _MISSING) is not value:
            type.__setattr__(cls, name, value)


def _set_attributes(value: Any, contents: Contents) -> None:
    slots = _slots(type(value))
    if slots:
        for slot, item in zip(slots, contents[0]):
            if item is not _MISSING:
                slot.__set__(value, item)
            elif _slot(slot, value) is not _MISSING:
                slot.__delete__(value)
        contents = contents[1:]
    if contents:
        variables = object.__getattribute__(value, "__dict__")
        variables.clear()
        variables.update(zip(*contents))
