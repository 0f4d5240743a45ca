"""Calls of built-in functions and methods of the host with values that may be unknown or too large."""

from __future__ import annotations

import array
import encodings
import encodings.aliases
import functools
import heapq
import itertools
from collections import Counter, OrderedDict, UserList, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cutaway.core import session
from cutaway.core.admission import ADDRESS, names_address
from cutaway.core.fault import Fault
from cutaway.core.open_sizes import (
    is_open,
    is_open_string,
    of_open_string,
    unknown_of,
    why_not_distinct,
    why_not_found,
)
from cutaway.core.pattern import pattern
from cutaway.core.unknown import Undecidable, Unknown, derived_unknown
from cutaway.interp.boundary.attributes import class_namespace
from cutaway.interp.boundary.gate import is_instance
from cutaway.interp.boundary.losing import lose_contents
from cutaway.interp.boundary.operators import as_index
from cutaway.interp.run.budget import BITS, ELEMENTS, build
from cutaway.interp.run.choice import UNDECIDED, chosen_position
from cutaway.interp.run.iteration import counted, has_random_order, in_order
from cutaway.interp.run.origin import Operation, note_own

# Methods whose result depends on whether the argument is in the container.
_SEARCH_METHODS = {"get", "index", "count", "__getitem__", "__contains__"}
_READING_METHODS = frozenset(
    """get index count copy keys values items union intersection difference symmetric_difference issubset issuperset
    isdisjoint __getitem__ __contains__ __len__ __iter__ __reversed__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __add__
    __mul__ __rmul__ __or__ __ror__ __and__ __rand__ __sub__ __rsub__ __xor__ __rxor__ __repr__ __str__ __hash__
    __class_getitem__ __reduce__ __sizeof__ __format__ decode find hex""".split()
)
"""Methods that leave a container as it is."""
_CONTAINERS = (list, dict, set, bytearray, deque)
# Methods whose argument determines how they modify a container.
_MUTATING_METHODS = frozenset(
    """extend update insert pop remove sort setdefault popitem discard extendleft rotate move_to_end __setitem__
    __delitem__ __iadd__ __ior__ __imul__ intersection_update difference_update symmetric_difference_update""".split()
)


def call_native(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a built-in function or method of the host."""
    owner, name = function.__self__, function.__name__
    if name == "append" and type(owner) is list and len(args) == 1 and not kwargs:
        return owner.append(args[0])
    if name in _COUNTING and not is_instance(owner, type):
        args, kwargs = [as_index(value) for value in args], {key: as_index(value) for key, value in kwargs.items()}
    if isinstance(owner, (str, bytes, bytearray)):
        if name == "join" and args and not isinstance(args[0], (str, bytes, Unknown)):
            args = [list(counted(args[0])), *args[1:]]
        unknown = _why_no_string(name, args, kwargs)
        if unknown is not None:
            return unknown
        if is_open(owner) or any(map(is_open, args)):
            return of_open_string(function, args, kwargs)
    else:
        made = _of_open_arguments(function, args, kwargs)
        if made is not _CERTAIN:
            return made
    if name in _SETTING and _sets_address(owner, name, args, kwargs):
        return session.current().unknown("no object of the analysed code tells numpy an address")
    if name in _ADAPTED_METHODS or id(function) in ITERATING:
        if name == "with_traceback":
            return owner
        if name == "pop":
            if has_random_order(owner):
                return _first_taken(owner)
        else:
            args = _adapted(function, args)
    if _is_too_large(name, owner, args, kwargs):
        return session.current().unknown(f"the result of {name}() would be too large to build")
    return _called(function, args, kwargs)


_CERTAIN = object()
"""No argument leaves open what a call does."""


def _of_open_arguments(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Return what a call makes whose arguments leave open what it finds or changes."""
    owner, name = function.__self__, function.__name__
    if name in _READING_LETTERS and any(isinstance(each, str) and is_open_string(each) for each in args):
        return unknown_of(args)
    if args and isinstance(owner, (dict, list, tuple, set, frozenset, deque)):
        key = args[0] = _as_key(owner, name, args[0])
        if type(key) is Unknown and (name in _SEARCH_METHODS or name in _MUTATING_METHODS):
            return _with_unknown(function, args, kwargs)
    return _CERTAIN


def _with_unknown(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a method of a container with an unknown argument, on which it depends what is found or changed."""
    if function.__name__ in _SEARCH_METHODS:
        return derived_unknown(args[0])
    return _change_by_unknown(function, args, kwargs)


def _as_key(owner: Any, name: str, key: Any) -> Any:
    """Return the argument of a method of a container, an unknown in its place where sizes decide whether it is in there."""
    if name in _KEYED_METHODS:
        unknown = why_not_found(key, owner)
        return key if unknown is None else unknown
    if name in _COMBINING_METHODS and isinstance(key, (dict, set, frozenset, list, tuple)):
        items = key.keys() if isinstance(key, dict) else key
        return key if (unknown := why_not_distinct([*owner, *items])) is None else unknown
    return key


_READING_LETTERS = frozenset("ord hash iter match fullmatch search findall finditer sub subn split".split())
"""Built-in functions and methods of regular expressions whose result depends on single letters of a string."""
_KEYED_METHODS = frozenset(
    "get index count remove pop setdefault add discard __getitem__ __contains__ __setitem__ __delitem__".split()
)
_COMBINING_METHODS = frozenset(
    """update union intersection difference symmetric_difference issubset issuperset isdisjoint intersection_update
    difference_update symmetric_difference_update __or__ __and__ __sub__ __xor__ __ior__ __iand__ __isub__ __ixor__""".split()
)

_SETTING = frozenset(("update", "setdefault", "__setitem__", "__ior__"))


def _sets_address(owner: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Tell whether a method of a dict, which may be that of an object, sets the name of an address."""
    if not isinstance(owner, dict) or not args:
        return ADDRESS in kwargs
    first = args[0]
    if name in ("update", "__ior__") and not isinstance(first, (dict, Unknown)) and not hasattr(type(first), "keys"):
        if hasattr(type(first), "__iter__"):
            args[0] = first = list(counted(first))
            return any(type(pair) in (list, tuple) and pair and names_address(pair[0]) for pair in first)
    return ADDRESS in kwargs or names_address(first)


def _called(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    owner, name = function.__self__, function.__name__
    try:
        return function(*args, **kwargs)
    except Undecidable as undecidable:
        if name not in _READING_METHODS and isinstance(owner, _CONTAINERS):
            lose_contents(owner, undecidable.unknown)
        return undecidable.unknown
    except MemoryError:
        return session.current().unknown(f"the result of {name}() does not fit into memory")
    except Exception as error:
        note_own(error, Operation.CALL, function, *args, *kwargs.values())
        return unknown_or_raise(error, args, kwargs)


_ADAPTED_METHODS = frozenset(("extend", "extendleft", "fromkeys", "from_iterable", "pop", "__new__", "with_traceback"))


def _first_taken(items: Any) -> Any:
    """Remove the first item of a set, and return it."""
    item = next(iter(in_order(items)))
    items.remove(item)
    return item


def _adapted(function: Any, args: list[Any]) -> list[Any]:
    """Return arguments of a method that iterates over them, so that sets have an order, or that creates a class."""
    name = function.__name__
    if name == "__new__":
        if function.__self__ is type and len(args) == 4 and isinstance(args[3], dict):
            return [*args[:3], class_namespace(args[3])]
        return args
    return [map(in_order, args[0])] if name == "from_iterable" and args else list(map(in_order, args))


ITERATING = frozenset(
    map(id, (
        deque, Counter, OrderedDict, UserList, functools.reduce, heapq.nlargest, heapq.nsmallest, heapq.merge, array.array,
        *(kind for kind in vars(itertools).values() if isinstance(kind, type)),
    ))
)  # fmt: skip
"""Functions and classes of the host, by identity, that iterate over their arguments: sets among these get an order."""

_CODECS_WITHOUT_ALIAS = frozenset(
    """charmap cp720 cp737 cp856 cp874 cp875 cp1006 idna koi8_t koi8_u mac_arabic mac_croatian mac_farsi mac_romanian palmos
    punycode raw_unicode_escape undefined unicode_escape utf_8_sig""".split()
)


def check_codec(args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raise `LookupError` for an encoding that Python does not have: it would import a module of that name."""
    encoding = args[0] if args else kwargs.get("encoding", "utf-8")
    if isinstance(encoding, str):
        name = encodings.normalize_encoding(str.__str__(encoding)).lower()
        known = encodings.aliases.aliases
        if name not in known and name not in known.values() and name not in _CODECS_WITHOUT_ALIAS:
            raise LookupError(f"unknown encoding: {str.__str__(encoding)}")


def _why_no_string(name: str, args: list[Any], kwargs: dict[str, Any]) -> Unknown | None:
    """Return an unknown in place of what a method of a string returns; None where it is called."""
    unknown = _unknown_argument(name, args, kwargs)
    if unknown is not None:
        return Unknown("a string built from an unknown value", unknown.place)
    if name in ("encode", "decode"):
        check_codec(args, kwargs)
    return None


def _change_by_unknown(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a method that changes a container in a way that an unknown argument determines."""
    owner, unknown = function.__self__, args[0]
    index = chosen_position(owner, function.__name__, unknown)
    if index is UNDECIDED:
        lose_contents(owner, unknown)
        return derived_unknown(unknown)
    return function(index, *args[1:], **kwargs)


def _unknown_argument(name: str, args: list[Any], kwargs: dict[str, Any]) -> Unknown | None:
    """Return an unknown value among the arguments of a string method, or in the list that it joins."""
    parts = [*args, *kwargs.values()]
    if name == "join" and args and isinstance(args[0], list):
        parts += args[0]
    return next((part for part in parts if type(part) is Unknown), None)


def _is_too_large(name: str, owner: Any, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Tell whether the result of a method is too large to build; count it otherwise."""
    size = _RESULT_SIZES.get(name)
    if size is None:
        return False
    if isinstance(owner, type) and name != "from_bytes" and args:  # read from the class
        owner, *args = args
    # Arguments may be given by name: whatever they are called, the sizes among them count.
    elements = _result_size(size, _plain(owner), [*map(_plain, args), *map(_plain, kwargs.values())])
    if 1024 < elements <= ELEMENTS:
        build(elements)
    return elements > ELEMENTS


def unknown_or_raise(error: Exception, args: list[Any], kwargs: dict[str, Any]) -> Unknown:
    """Return the unknown argument for which a host function raised an error; raise the error if there is none."""
    if not isinstance(error, Fault):
        for value in (*args, *kwargs.values()):
            if type(value) is Unknown:
                return derived_unknown(value)
            if is_open(value):
                return unknown_of([value])
        if isinstance(error, TypeError) and _MENTIONS_UNKNOWN.search(str(error)):
            return Unknown("a function of the standard library is called with an unknown value")
    raise error


_MENTIONS_UNKNOWN = pattern(r"\b(type Unknown\b|'Unknown')")


_COUNTING = frozenset("ljust rjust center zfill expandtabs to_bytes".split())
"""Methods that take a number of elements, which an object of the target may stand for."""


def _plain(value: Any) -> Any:
    """Return a value of a class of the target's as its built-in base has it; what that class says of it is ignored."""
    kind = type(value)
    if kind in _PLAIN_TYPES:
        return value
    if is_instance(value, str):
        return str.__str__(value)
    if is_instance(value, int):
        return int.__int__(value)
    for base in (bytes, bytearray, list, tuple):
        if is_instance(value, base):
            return base.__getitem__(value, slice(None))  # type: ignore[index]
    return value


_PLAIN_TYPES = frozenset((str, int, bool, bytes, bytearray, list, tuple, dict, type(None)))


# The size of a method's result, from its owner and arguments; wrong arguments are left to the method to report.


def _result_size(estimate: Callable[..., Any], owner: Any, args: list[Any]) -> int:
    try:
        size = estimate(owner, *args)
    except (TypeError, ValueError, OverflowError):
        return 0
    return size if isinstance(size, int) else 0


def _joined_size(string: Any, parts: Any) -> int:
    return sum(len(p) for p in parts) + len(string) * len(parts) if isinstance(string, (str, bytes, bytearray)) else 0


def _replaced_size(string: Any, old: Any, new: Any, *_count: Any) -> int:
    return len(string) + string.count(old) * len(new) if isinstance(string, (str, bytes, bytearray)) else 0


def _padded_size(string: Any, width: Any, *_fill: Any) -> Any:
    return width if isinstance(string, (str, bytes, bytearray)) else 0


def _expanded_size(string: Any, width: Any = 8) -> Any:
    return len(string) + string.count("\t" if isinstance(string, str) else b"\t") * width


def _translated_size(string: Any, table: Any) -> Any:
    if isinstance(string, str) and isinstance(table, dict):
        return len(string) * max((len(v) for v in table.values() if isinstance(v, str)), default=1)
    return 0


def _extended_size(owner: Any, items: Any) -> int:
    if not isinstance(owner, (list, deque, bytearray)):
        return 0
    return len(owner) + (len(items) if isinstance(items, (list, tuple, str, bytes, bytearray, deque, dict, set)) else 0)


def _substituted_size(pattern: Any, repl: Any, string: Any, *_count: Any) -> int:
    if not isinstance(repl, (str, bytes)) or len(repl) * (len(string) + 1) <= ELEMENTS:
        return 0
    return len(string) + sum(1 for _ in counted(pattern.finditer(string))) * len(repl)


def _bytes_size(owner: Any, length: Any = 1, *_rest: Any) -> Any:
    return length if isinstance(owner, int) else 0


def _integer_size(owner: Any, data: Any, *_rest: Any) -> Any:
    """An integer is too large if arithmetic with it would be."""
    return ELEMENTS + 1 if owner is int and isinstance(data, (bytes, bytearray)) and len(data) * 8 > BITS else 0


_RESULT_SIZES: dict[str, Callable[..., Any]] = {
    "join": _joined_size,
    "replace": _replaced_size,
    "ljust": _padded_size,
    "rjust": _padded_size,
    "center": _padded_size,
    "zfill": _padded_size,
    "expandtabs": _expanded_size,
    "translate": _translated_size,
    "extend": _extended_size,
    "extendleft": _extended_size,
    "sub": _substituted_size,
    "subn": _substituted_size,
    "to_bytes": _bytes_size,
    "from_bytes": _integer_size,
}
