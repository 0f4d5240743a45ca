"""The mutable state of a program at one moment, to compare with what it is later, and to go back to.

Objects of the target are objects of the host, so whatever changes one of them, an assignment, a method of a container, a
function of the standard library or a row of knowledge, changes what is found here. Nothing has to announce a change.
"""

from __future__ import annotations

import ast
import inspect
import io
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from functools import partial
from operator import is_, itemgetter
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from cutaway.core.place import Place
from cutaway.core.protocols import is_joinable
from cutaway.core.session import PRESUMED, Session
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown
from cutaway.interp.run.budget import Budget
from cutaway.interp.run.frame import Frame, Pending
from cutaway.interp.run.function import WRAPPER, Code
from cutaway.syntax.resolve import Location


class Stateless:
    """Something of the interpreter that holds no state of the target, so that it is not searched for any."""


ITEMS, NAMES, SEQUENCE, SET, STATE, CACHED = "items", "names", "sequence", "set", "state", "cached"
"""What a part of an object is: the items of a dict, attributes, the items of a sequence or a set, anything else, results."""

MISSING = object()
_ATOMS = (int, float, complex, str, bytes, bool, type(None), range, slice, types.ModuleType, types.BuiltinFunctionType,
          types.CodeType, types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType,
          types.MethodDescriptorType, inspect.Parameter, inspect.Signature, ast.AST, Code, Pending, Unknown, Dim, Place, Location, Session, Budget, Stateless)  # fmt: skip
"""What holds no state of the target."""
_TRANSPARENT = (tuple, frozenset, types.MethodType, partial, property, staticmethod, classmethod,
                types.MappingProxyType, Frame)  # fmt: skip
"""What can't change, and refers to what can."""
_PLAIN: set[type] = {int, float, str, bytes, bool, type(None), Unknown, Dim, Place}


class Results(dict[Any, Any]):
    """The results that a function has cached, by its arguments."""


class Possible(NamedTuple):
    """A result that may have been cached, or not."""

    value: Any
    unknown: Unknown


class Part(NamedTuple):
    """A part of what an object contains; a sequence has no keys."""

    kind: str
    keys: list[Any]
    values: list[Any]


Contents = tuple[Part, ...]
_NO_ITEMS: Contents = (Part(ITEMS, [], []),)
_new, _FIRST = tuple.__new__, itemgetter(0)
Reader = Callable[[Any], Any]
"""Returns the contents of an object, None for one that can't be looked into; or what an unchangeable one refers to."""


class Heap:
    """The mutable objects that can be reached from some roots, with what they contain.

    `opaque` are objects that change and whose contents can't be saved: iterators and generators. `namespaces` are the
    identities of the dicts that hold the variables of modules and calls.
    """

    def __init__(self, roots: Iterable[Any]) -> None:
        self.saved: dict[int, tuple[Any, Contents]] = {}
        self.opaque: list[Any] = []
        self.namespaces: set[int] = set()
        self._kept: list[Any] = []  # so that no other object gets the identity of one of them
        self._seen: set[int] = set()
        self._atoms: set[type] = set(_PLAIN)
        self._access: dict[type, _Access] = {}
        self._joined: dict[tuple[int, int], Any] = {}
        self._save(list(roots))

    def add(self, values: Iterable[Any]) -> None:
        """Save what can be reached from further objects, and was not reached before."""
        self._save(list(values))

    def common(self, one: Any, other: Any) -> Any:
        """Return a new tensor that stands for one of two, None if there is none.

        What refers to the same two gets the same one; anything else that refers to one of them gets none.
        """
        if type(one) is not type(other) or not is_joinable(one):
            return None
        key = id(one), id(other)
        if key not in self._joined:
            is_alone = not any(identity in pair for pair in self._joined for identity in key)
            self._kept += [one, other]
            self._joined[key] = one.joined_with(other, lambda value: id(value) in self.saved) if is_alone else None
        return self._joined[key]

    def of_classes(self, is_wanted: Callable[[type], bool]) -> list[tuple[Any, Contents]]:
        """Return the objects of some classes, with what they contain; each class is asked about once."""
        wanted = {kind for kind in set(map(type, map(_FIRST, self.saved.values()))) if is_wanted(kind)}
        return [pair for pair in self.saved.values() if type(pair[0]) in wanted]

    def _save(self, pending: list[Any]) -> None:
        """Save what can be reached. It runs for every object of a program: values of plain classes are left out early."""
        seen, saved, kept, atoms, access = self._seen, self.saved, self._kept, self._atoms, self._access
        while pending:
            value = pending.pop()
            identity, kind = id(value), type(value)
            if identity in seen or kind in atoms:
                continue
            if kind is dict or kind is OrderedDict:  # mostly, and often empty
                seen.add(identity)
                kept.append(value)
                if not value:
                    saved[identity] = value, _NO_ITEMS
                    continue
                keys, values = list(value), list(value.values())
                saved[identity] = value, (_new(Part, (ITEMS, keys, values)),)
                pending += [item for item in values if type(item) not in atoms]
                pending += [key for key in keys if type(key) not in atoms]
                continue
            how = access.get(kind) or self._add_access(kind)
            if how is None:
                continue
            seen.add(identity)
            kept.append(value)
            if how.read is referents:
                if kind is Frame:
                    self.namespaces.update((id(value.vars), id(value.globals)))
                pending += [item for item in referents(value) if type(item) not in atoms]
                continue
            contents = how.read(value)
            if contents is None:
                if how.is_iterator:
                    self.opaque.append(value)
                continue
            saved[identity] = value, contents
            for part in contents:
                pending += [item for item in part.values if type(item) not in atoms]
                if part.kind in (ITEMS, CACHED):
                    pending += [key for key in part.keys if type(key) not in atoms]

    def _add_access(self, kind: type) -> _Access | None:
        """Note, once for each class, how its objects are read: None for atoms, `referents` for what can't change."""
        if issubclass(kind, _ATOMS):
            self._atoms.add(kind)
            return None
        how = self._access[kind] = _Access(kind)
        return how

    def changes(self) -> list[tuple[Any, Contents, Contents]]:
        """Return the objects that have changed, each with its former and its present contents."""
        access, changed = self._access, []
        for value, before in self.saved.values():
            kind = type(value)
            if kind is dict or kind is OrderedDict:  # mostly, and mostly it is what it was
                _, keys, values = before[0]
                if len(value) == len(keys) and all(map(is_, value.values(), values)) and all(map(is_, value, keys)):
                    continue
            elif kind is list:
                values = before[0].values
                if len(value) == len(values) and all(map(is_, value, values)):
                    continue
            elif kind in access and access[kind].is_unchanged(value, before):
                continue
            read = (
                access[kind].read if kind in access else reader_of(kind)
            )  # the target may give an object another class
            now = read(value) or ()
            if differ(before, now):
                changed.append((value, before, now))
        return changed

    def restore(self) -> None:
        """Make everything what it was."""
        self.restore_only(value for value, _, _ in self.changes())

    def restore_only(self, changed: Iterable[Any]) -> None:
        """Make these objects what they were; the others have not changed."""
        for value in changed:
            set_contents(value, self.saved[id(value)][1])


class _Access:
    """How objects of a class are read: `referents` for those that can't change."""

    __slots__ = ("is_iterator", "is_unchanged", "read")

    def __init__(self, kind: type) -> None:
        is_transparent = issubclass(kind, _TRANSPARENT)
        self.read: Reader = referents if is_transparent else reader_of(kind)
        self.is_unchanged = _never if is_transparent else _comparison(kind)
        self.is_iterator = any("__next__" in _variables(cls) for cls in _ancestors(kind))


def _never(value: Any, before: Contents) -> bool:
    return False


def _comparison(kind: type) -> Callable[[Any, Contents], bool]:
    """Return a quick test that an object is certainly what it was: most are, and reading all of them takes long."""
    if issubclass(kind, types.FunctionType):
        return lambda value, before: not value.__dict__ and not before[1].keys
    if issubclass(kind, (type, *_CONTAINERS)):
        return _never
    slots = [slot.__get__ for slot in _slots(kind)]
    has_dict = any("__dict__" in _variables(cls) for cls in _ancestors(kind))
    if slots and not has_dict:
        return lambda value, before: _has_slots(slots, value, before[0].values)
    if has_dict and not slots and kind.__module__ != "numpy":
        return _has_variables
    return _never


def _has_slots(slots: list[Any], value: Any, values: list[Any]) -> bool:
    try:
        return all(map(is_, [read(value) for read in slots], values))
    except AttributeError:  # one of them is not set
        return False


def _has_variables(value: Any, before: Contents) -> bool:
    try:
        variables = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return False
    if type(variables) is not dict or len(before) != 1:
        return False
    _, keys, values = before[0]
    same_values = len(variables) == len(keys) and all(map(is_, variables.values(), values))
    return same_values and all(map(is_, variables, keys))


def _is(value: Any, kinds: Any) -> bool:
    """`isinstance` by the real class: a target may define `__class__`, and nothing of it runs here."""
    return issubclass(type(value), kinds)


def referents(value: Any) -> Iterable[Any]:
    """Return what an object that can't change refers to."""
    if _is(value, (tuple, frozenset)):
        return tuple.__iter__(value) if _is(value, tuple) else frozenset.__iter__(value)
    if _is(value, types.MethodType):
        return value.__self__, value.__func__
    if _is(value, partial):
        return value.func, value.args, value.keywords, value.__dict__
    if _is(value, property):
        return value.fget, value.fset, value.fdel
    if _is(value, types.MappingProxyType):
        return list(value.values())
    if _is(value, Frame):
        return value.vars, value.globals, value.parent, value.value, value.function
    wrapped: Any = value
    return wrapped.__func__, wrapped.__dict__


def contents_of(value: Any) -> Contents | None:
    """Return what a mutable object contains; None for one of the host's, or one that can't be looked into."""
    contents: Contents | None = reader_of(type(value))(value)
    return contents


_FILES = (io.StringIO, io.BytesIO)


def reader_of(kind: type) -> Reader:
    """Return the function that reads what objects of a class contain."""
    if issubclass(kind, types.FunctionType):
        return _function_contents
    if issubclass(kind, type):
        return _class_contents
    items = next((read for base, read in _CONTAINERS.items() if issubclass(kind, base)), None)
    if items is not None and kind in _CONTAINERS:
        return items
    attributes = _attribute_reader(kind)
    if items is not None:
        return lambda value: (*items(value), *attributes(value))
    if kind.__module__ == "numpy" or issubclass(kind, (bytearray, *_FILES, types.CellType)):
        return lambda value: _state(value) or attributes(value) or None
    return lambda value: attributes(value) or None


def _dict_items(value: Any) -> Contents:
    return (Part(ITEMS, list(dict.keys(value)), list(dict.values(value))),)


def _ordered_items(value: Any) -> Contents:
    return (Part(ITEMS, list(OrderedDict.keys(value)), list(OrderedDict.values(value))),)


_CONTAINERS: dict[type, Callable[[Any], Contents]] = {
    Results: lambda value: (Part(CACHED, list(value), list(value.values())),),
    OrderedDict: _ordered_items,
    dict: _dict_items,
    list: lambda value: (Part(SEQUENCE, [], list(list.__iter__(value))),),
    set: lambda value: (Part(SET, [], list(set.__iter__(value))),),
    deque: lambda value: (Part(SEQUENCE, [], list(deque.__iter__(value))),),
}


def _function_contents(value: Any) -> Contents | None:
    if value.__code__ is not WRAPPER:
        return None
    record = Part(STATE, [], [value.__closure__[0].cell_contents])
    return record, Part(NAMES, list(value.__dict__), list(value.__dict__.values()))


def _state(value: Any) -> Contents | None:
    """Return what an object contains that is neither attributes nor items."""
    if _is(value, bytearray):
        return (Part(STATE, [], [bytes(value)]),)
    if _is(value, _FILES):
        return (Part(STATE, [], [None, 0] if value.closed else [value.getvalue(), value.tell()]),)
    if _is_array(value):
        return (Part(STATE, [], [value.tobytes()]),)
    if _is(value, types.CellType):
        try:
            return (Part(NAMES, ["cell_contents"], [value.cell_contents]),)
        except ValueError:
            return (Part(NAMES, [], []),)
    return None


def _is_array(value: Any) -> bool:
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray" and not value.dtype.hasobject


def _class_contents(cls: type) -> Contents | None:
    home = type.__dict__["__module__"].__get__(cls)
    if not _is_heap_type(cls) or (type(home) is str and home.startswith("cutaway.")):
        return None
    variables = _variables(cls)
    pairs = [(name, item) for name, item in variables.items() if name not in ("__dict__", "__weakref__")]
    return (Part(NAMES, [name for name, _ in pairs], [item for _, item in pairs]),)


def _attribute_reader(kind: type) -> Callable[[Any], Contents]:
    """Return the function that reads the attributes of instances: those in slots, and those in their dict."""
    slots = _slots(kind)
    if not any("__dict__" in _variables(cls) for cls in _ancestors(kind)):
        return lambda value: (_slots_part(slots, value),) if slots else ()

    def read(value: Any) -> Contents:
        try:
            variables = object.__getattribute__(value, "__dict__")
        except AttributeError:
            variables = None
        names = (Part(NAMES, list(variables), list(variables.values())),) if type(variables) is dict else ()
        return (_slots_part(slots, value), *names) if slots else names

    return read


_SLOTS: WeakKeyDictionary[type, list[Any]] = WeakKeyDictionary()
_HEAP_TYPE = 1 << 9


def _is_heap_type(cls: type) -> bool:
    return bool(type.__dict__["__flags__"].__get__(cls) & _HEAP_TYPE)


def _variables(cls: type) -> Any:
    return type.__dict__["__dict__"].__get__(cls)


def _ancestors(cls: type) -> tuple[type, ...]:
    mro: tuple[type, ...] = type.__dict__["__mro__"].__get__(cls)
    return mro


def _slots(kind: type) -> list[Any]:
    if not _is_heap_type(kind):
        return []
    known = _SLOTS.get(kind)
    if known is None:
        known = _SLOTS[kind] = [
            member
            for cls in _ancestors(kind)
            for member in _variables(cls).values()
            if type(member) is types.MemberDescriptorType and _is_heap_type(member.__objclass__)
        ]
    return known


def _slots_part(slots: list[Any], value: Any) -> Part:
    try:
        return _new(Part, (STATE, [], [slot.__get__(value) for slot in slots]))
    except AttributeError:  # one of them is not set
        return Part(STATE, [], [_slot(slot, value) for slot in slots])


def _slot(slot: Any, value: Any) -> Any:
    try:
        return slot.__get__(value)
    except AttributeError:
        return MISSING


def differ(before: Contents, after: Contents) -> bool:
    """Tell whether an object has changed."""
    if len(before) != len(after):
        return True
    for one, other in zip(before, after):  # noqa: SIM110 - of every object, and a generator takes twice as long
        if _differ(one.values, other.values) or _differ(one.keys, other.keys):
            return True
    return False


def _differ(one: list[Any], other: list[Any]) -> bool:
    if len(one) != len(other):
        return True
    return not all(map(is_, one, other)) and not all(map(same, one, other))  # mostly the objects themselves


def same(one: Any, other: Any) -> bool:
    """Tell whether two values can't be distinguished."""
    if one is other:
        return True
    return type(one) is type(other) and type(one) in (int, float, str, bytes, bool) and bool(one == other)


def merged_contents(
    now: Contents, other: Contents, unknown: Unknown, is_namespace: bool, heap: Heap
) -> tuple[Contents | None, bool]:
    """Return what two contents have in common, None where the object as a whole is unknown; tell whether they differ."""
    if len(now) != len(other):
        return None, True
    parts: list[Part] = []
    grown = False
    for one, two in zip(now, other):
        if one.kind == NAMES or (one.kind == ITEMS and is_namespace):
            values = dict(zip(one.keys, one.values))
            others = dict(zip(two.keys, two.values))
            merged = {
                key: joined(values.get(key, unknown), others.get(key, unknown), unknown, heap)
                for key in {**others, **values}
            }
            if PRESUMED in merged:
                merged[PRESUMED] = tuple(dict.fromkeys((*values.get(PRESUMED, ()), *others.get(PRESUMED, ()))))
            grown = grown or any(_grows(others.get(key, unknown), value) for key, value in merged.items())
            parts.append(Part(one.kind, list(merged), list(merged.values())))
        elif one.kind == CACHED:
            part = _joined_results(one, two, unknown, heap)
            grown = grown or any(not same(a, b) for a, b in zip(part.values, two.values)) or part.keys != two.keys
            parts.append(part)
        elif one.kind == SET:
            if set(map(id, one.values)) != set(map(id, two.values)) and set(one.values) != set(two.values):
                return None, True
            parts.append(one)
        elif len(one.values) != len(two.values) or not all(map(same, one.keys, two.keys)):
            return None, True
        elif one.kind in (ITEMS, SEQUENCE):
            items = [joined(a, b, unknown, heap) for a, b in zip(one.values, two.values)]
            grown = grown or any(map(_grows, two.values, items))
            parts.append(Part(one.kind, one.keys, items))
        elif all(map(same, one.values, two.values)):
            parts.append(one)
        else:
            return None, True
    return tuple(parts), grown


def _joined_results(one: Part, two: Part, unknown: Unknown, heap: Heap) -> Part:
    """Return what a function has cached in one of two states; what only one of them has is possible."""
    results, others = dict(zip(one.keys, one.values)), dict(zip(two.keys, two.values))
    merged: dict[Any, Any] = {}
    for key in {**others, **results}:
        present = [table[key] for table in (others, results) if key in table]
        first, last = present[0], present[-1]
        if same(first, last) and len(present) == 2:
            merged[key] = first
            continue
        value = joined(_result(first), _result(last), unknown, heap)
        is_certain = len(present) == 2 and type(first) is not Possible and type(last) is not Possible
        known = next((each for each in present if type(each) is Possible and same(each.value, value)), None)
        merged[key] = value if is_certain else known or Possible(value, unknown)
    return Part(CACHED, list(merged), list(merged.values()))


def _result(entry: Any) -> Any:
    return entry.value if type(entry) is Possible else entry


def _grows(before: Any, merged: Any) -> bool:
    return type(merged) is Unknown and type(before) is not Unknown


def joined(one: Any, other: Any, unknown: Unknown, heap: Heap) -> Any:
    """Return what two values have in common, an unknown where that is nothing."""
    if same(one, other) or type(other) is Pending:
        return one
    if type(one) is Pending:
        return other
    if type(one) is tuple and type(other) is tuple and len(one) == len(other):
        return tuple(joined(a, b, unknown, heap) for a, b in zip(one, other))
    tensor = heap.common(one, other)
    if tensor is not None:
        return tensor
    return Unknown(unknown.reason, unknown.place)


def set_contents(value: Any, contents: Contents) -> None:
    """Make an object contain something else."""
    rest = contents[1:]
    first = contents[0]
    if _is(value, dict):
        kind: Any = OrderedDict if _is(value, OrderedDict) else dict
        kind.clear(value)
        for key, item in zip(first.keys, first.values):
            kind.__setitem__(value, key, item)
    elif _is(value, list):
        list.__setitem__(value, slice(None), first.values)
    elif _is(value, set):
        set.clear(value)
        set.update(value, first.values)
    elif _is(value, deque):
        deque.clear(value)
        deque.extend(value, first.values)
    elif _is(value, types.FunctionType):
        value.__dict__.clear()
        value.__dict__.update(zip(contents[1].keys, contents[1].values))
        rest = ()
    elif _is(value, type):
        _set_class(value, dict(zip(first.keys, first.values)))
    elif not _set_state(value, first):
        rest = contents
    if rest:
        _set_attributes(value, rest)


def _set_state(value: Any, part: Part) -> bool:
    """Set what is neither attributes nor items; tell whether an object has such."""
    if _is(value, bytearray):
        value[:] = part.values[0]
    elif _is(value, _FILES):
        _set_content(value, *part.values)
    elif _is_array(value):
        value.flat = type(value)(value.shape, value.dtype, part.values[0]).flat
    elif _is(value, types.CellType):
        if part.values:
            value.cell_contents = part.values[0]
        else:
            del value.cell_contents
    else:
        return False
    return True


def _set_content(file: Any, content: Any, position: int) -> None:
    if content is None:
        file.close()
        return
    if file.closed:
        (io.StringIO if _is(file, io.StringIO) else io.BytesIO).__init__(file)  # opens it again
    file.seek(0)
    file.truncate()
    file.write(content)
    file.seek(position)


def _set_class(cls: type, before: dict[str, Any]) -> None:
    now = dict(_variables(cls))
    for name in now.keys() - before.keys() - {"__dict__", "__weakref__"}:
        type.__delattr__(cls, name)
    for name, value in before.items():
        if now.get(name, MISSING) is not value:
            type.__setattr__(cls, name, value)


def _set_attributes(value: Any, contents: Contents) -> None:
    slots = _slots(type(value))
    if slots:
        for slot, item in zip(slots, contents[0].values):
            if item is not MISSING:
                slot.__set__(value, item)
            elif _slot(slot, value) is not MISSING:
                slot.__delete__(value)
        contents = contents[1:]
    for part in contents:
        variables = object.__getattribute__(value, "__dict__")
        variables.clear()
        variables.update(zip(part.keys, part.values))
