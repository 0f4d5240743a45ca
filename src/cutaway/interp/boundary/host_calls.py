"""Calls of the host's own functions and methods with values that may be unknown or too large."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.unknown import Undecidable, Unknown, other_than_truth
from cutaway.interp.boundary.attributes import class_namespace
from cutaway.interp.run.budget import BITS, ELEMENTS, build
from cutaway.interp.run.iteration import counted
from cutaway.knowledge.base.registry import ARRAYS

# Methods whose answer hangs on the argument being equal to something in the container.
_SEARCHING = {"get", "index", "count", "__getitem__", "__contains__"}
_CONTAINERS = (list, dict, set, bytearray, deque)
# Methods that change a container by what their argument is.
_CHANGING = frozenset(
    """extend update insert pop remove sort setdefault popitem discard extendleft rotate move_to_end __setitem__
    __delitem__ __iadd__ __ior__ __imul__ intersection_update difference_update symmetric_difference_update""".split()
)


def call_native(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a built-in function or method of the host."""
    owner, name = function.__self__, function.__name__
    if name == "append" and type(owner) is list and len(args) == 1 and not kwargs:
        return owner.append(args[0])
    if isinstance(owner, (str, bytes, bytearray)):
        if name == "join" and args and not isinstance(args[0], (str, bytes, Unknown)):
            args = [list(counted(args[0])), *args[1:]]
        unknown = _unknown_in_text(name, args, kwargs)
        if unknown is not None:
            return Unknown("text made of an unknown value", unknown.place)
    elif args and type(args[0]) is Unknown and isinstance(owner, (dict, list, tuple, set, frozenset, deque)):
        if name in _SEARCHING:
            return other_than_truth(args[0])
        if name in _CHANGING:
            raise Undecidable(args[0], owner)
    if name == "__new__" and owner is type and len(args) == 4 and isinstance(args[3], dict):
        args = [*args[:3], class_namespace(args[3])]
    if not kwargs and _is_too_large(name, owner, args):
        return session.current().unknown(f"the result of {name} would be too large to build")
    try:
        return function(*args, **kwargs)
    except Undecidable as undecidable:
        if name in _CHANGING and isinstance(owner, _CONTAINERS):
            raise Undecidable(undecidable.unknown, owner) from None
        return undecidable.unknown
    except Exception as error:
        return reason_of(error, args, kwargs)


def _unknown_in_text(name: str, args: list[Any], kwargs: dict[str, Any]) -> Unknown | None:
    """Return an unknown value among what a method of a string is given."""
    parts = [*args, *kwargs.values()]
    if name == "join" and args and isinstance(args[0], list):
        parts += args[0]
    return next((part for part in parts if type(part) is Unknown), None)


def _is_too_large(name: str, owner: Any, args: list[Any]) -> bool:
    """Tell whether what a method makes is too large to build; else count it."""
    bound = _BOUNDS.get(name)
    if bound is None:
        return False
    elements = _estimate(bound, owner, args)
    if 1024 < elements <= ELEMENTS:
        build(elements)
    return elements > ELEMENTS


def reason_of(error: Exception, args: list[Any], kwargs: dict[str, Any]) -> Unknown:
    """Return the unknown value for which a function of the host raised, or raise what it raised."""
    if not isinstance(error, Fault):
        for value in (*args, *kwargs.values()):
            if type(value) is Unknown:
                return other_than_truth(value)
        if isinstance(error, TypeError) and _OF_UNKNOWN.search(str(error)):
            return Unknown("a function of the standard library is given a value that is not known")
    raise error


_OF_UNKNOWN = re.compile(r"\b(type Unknown\b|'Unknown')")


def taint(container: Any, unknown: Unknown) -> None:
    """Put an unknown value into a container that may or may not have been changed."""
    if isinstance(container, list):
        list.append(container, unknown)
    elif isinstance(container, dict):
        if dict.__contains__(container, "_modules") and dict.__contains__(
            container, "_parameters"
        ):  # a module's attributes
            container["_incomplete"] = unknown
            return
        if any(hasattr(type(value), "mark_incomplete") for value in dict.values(container)):
            return  # the modules of a module, which is marked itself
        for key in list(dict.keys(container)):
            dict.__setitem__(container, key, unknown)
    elif isinstance(container, set):
        set.add(container, unknown)
    elif isinstance(container, deque):
        deque.append(container, unknown)
    elif type(container) in ARRAYS:
        from cutaway.knowledge.numpy.shaped import lose

        lose(container)


# The size of what a method makes, from its owner and arguments; a wrong argument is the method's own matter.


def _estimate(bound: Callable[..., Any], owner: Any, args: list[Any]) -> int:
    try:
        size = bound(owner, *args)
    except (TypeError, ValueError, OverflowError):
        return 0
    return size if isinstance(size, int) else 0


def _joined(text: Any, parts: Any) -> int:
    return sum(len(p) for p in parts) + len(text) * len(parts) if isinstance(text, (str, bytes, bytearray)) else 0


def _replaced(text: Any, old: Any, new: Any, *_count: Any) -> int:
    return len(text) + text.count(old) * len(new) if isinstance(text, (str, bytes, bytearray)) else 0


def _widened(text: Any, width: Any, *_fill: Any) -> Any:
    return width if isinstance(text, (str, bytes, bytearray)) else 0


def _expanded(text: Any, width: Any = 8) -> Any:
    return len(text) + text.count("\t" if isinstance(text, str) else b"\t") * width


def _translated(text: Any, table: Any) -> Any:
    if isinstance(text, str) and isinstance(table, dict):
        return len(text) * max((len(v) for v in table.values() if isinstance(v, str)), default=1)
    return 0


def _extended(owner: Any, items: Any) -> int:
    if not isinstance(owner, (list, deque, bytearray)):
        return 0
    return len(owner) + (len(items) if isinstance(items, (list, tuple, str, bytes, bytearray, deque, dict, set)) else 0)


def _substituted(pattern: Any, repl: Any, text: Any, *_count: Any) -> int:
    if not isinstance(repl, (str, bytes)) or len(repl) * (len(text) + 1) <= ELEMENTS:
        return 0
    return len(text) + sum(1 for _ in counted(pattern.finditer(text))) * len(repl)


def _bytes_of(owner: Any, length: Any = 1, *_rest: Any) -> Any:
    return length if isinstance(owner, int) else 0


def _number_of(owner: Any, data: Any, *_rest: Any) -> Any:
    """An integer of that many bits counts as too large as soon as arithmetic with it would be."""
    return ELEMENTS + 1 if owner is int and isinstance(data, (bytes, bytearray)) and len(data) * 8 > BITS else 0


_BOUNDS: dict[str, Callable[..., Any]] = {
    "join": _joined,
    "replace": _replaced,
    "ljust": _widened,
    "rjust": _widened,
    "center": _widened,
    "zfill": _widened,
    "expandtabs": _expanded,
    "translate": _translated,
    "extend": _extended,
    "extendleft": _extended,
    "sub": _substituted,
    "subn": _substituted,
    "to_bytes": _bytes_of,
    "from_bytes": _number_of,
}
