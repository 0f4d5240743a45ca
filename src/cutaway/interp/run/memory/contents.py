"""What an object of a program contains: read, compared, and set.

Objects of the target are objects of the host, so whatever changes one of them, an assignment, a method of a container, a
function of the standard library or a row of knowledge, changes what is found here. Nothing has to announce a change.
"""

from __future__ import annotations

import io
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from functools import partial
from operator import is_
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from cutaway.interp.run.frame import Frame
from cutaway.interp.run.function import WRAPPER

_new = tuple.__new__

ITEMS, NAMES, SEQUENCE, SET, STATE, CACHED = "items", "names", "sequence", "set", "state", "cached"
"""What a part of an object is: the items of a dict, attributes, the items of a sequence or a set, anything else, results."""

MISSING = object()


class Results(dict[Any, Any]):
    """The results that a function has cached, by its arguments."""


class Part(NamedTuple):
    """A part of what an object contains; a sequence has no keys."""

    kind: str
    keys: list[Any]
    values: list[Any]


Contents = tuple[Part, ...]
Reader = Callable[[Any], Any]
"""Returns the contents of an object, None for one that can't be looked into; or what an unchangeable one refers to."""


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
    items = next((read for base, read in CONTAINERS.items() if issubclass(kind, base)), None)
    if items is not None and kind in CONTAINERS:
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


CONTAINERS: dict[type, Callable[[Any], Contents]] = {
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
    variables = variables_of(cls)
    pairs = [(name, item) for name, item in variables.items() if name not in ("__dict__", "__weakref__")]
    return (Part(NAMES, [name for name, _ in pairs], [item for _, item in pairs]),)


def _attribute_reader(kind: type) -> Callable[[Any], Contents]:
    """Return the function that reads the attributes of instances: those in slots, and those in their dict."""
    slots = slots_of(kind)
    if not any("__dict__" in variables_of(cls) for cls in ancestors(kind)):
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


def variables_of(cls: type) -> Any:
    return type.__dict__["__dict__"].__get__(cls)


def ancestors(cls: type) -> tuple[type, ...]:
    mro: tuple[type, ...] = type.__dict__["__mro__"].__get__(cls)
    return mro


def slots_of(kind: type) -> list[Any]:
    if not _is_heap_type(kind):
        return []
    known = _SLOTS.get(kind)
    if known is None:
        known = _SLOTS[kind] = [
            member
            for cls in ancestors(kind)
            for member in variables_of(cls).values()
            if type(member) is types.MemberDescriptorType and _is_heap_type(member.__objclass__)
        ]
    return known


def _slots_part(slots: list[Any], value: Any) -> Part:
    try:
        return _new(Part, (STATE, [], [slot.__get__(value) for slot in slots]))
    except AttributeError:  # one of them is not set
        return Part(STATE, [], [slot_value(slot, value) for slot in slots])


def slot_value(slot: Any, value: Any) -> Any:
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
    now = dict(variables_of(cls))
    for name in now.keys() - before.keys() - {"__dict__", "__weakref__"}:
        type.__delattr__(cls, name)
    for name, value in before.items():
        if now.get(name, MISSING) is not value:
            type.__setattr__(cls, name, value)


def _set_attributes(value: Any, contents: Contents) -> None:
    slots = slots_of(type(value))
    if slots:
        for slot, item in zip(slots, contents[0].values):
            if item is not MISSING:
                slot.__set__(value, item)
            elif slot_value(slot, value) is not MISSING:
                slot.__delete__(value)
        contents = contents[1:]
    for part in contents:
        variables = object.__getattribute__(value, "__dict__")
        variables.clear()
        variables.update(zip(part.keys, part.values))
