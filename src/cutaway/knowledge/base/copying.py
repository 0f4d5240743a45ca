"""Copies of objects of the target, as Python's `copy` makes them, except that only a copy is ever changed.

`copy` of Python builds an object with whatever function an object's `__reduce_ex__` names, and then sets attributes of what
that function returns, which need not be a copy: it could be a class or a function of the host.
"""

from __future__ import annotations

import copyreg
import types
import weakref
from collections.abc import Callable
from typing import Any

from cutaway.core.unknown import Undecidable, Unknown

_ATOMIC = frozenset(
    (type(None), int, float, bool, complex, bytes, str, type, range, slice, type(Ellipsis), type(NotImplemented),
     types.BuiltinFunctionType, types.FunctionType, types.CodeType, property, weakref.ref)
)  # fmt: skip
_COPIED_SHALLOWLY = (list, dict, set, bytearray)


class Error(Exception):
    """`copy.Error`."""


def copy(value: Any) -> Any:
    """`copy.copy`."""
    kind = type(value)
    if kind in _ATOMIC or kind in (tuple, frozenset) or issubclass(kind, type):
        return value
    if kind in _COPIED_SHALLOWLY:
        return value.copy()
    copier = getattr(kind, "__copy__", None)
    if copier is not None:
        return copier(value)
    reduced = _reduced(value)
    return value if isinstance(reduced, str) else _rebuilt(value, reduced, lambda part: part)


def deepcopy(value: Any, memo: Any = None, _nil: object = None) -> Any:
    """`copy.deepcopy`."""
    kind = type(value)
    if kind in _ATOMIC or issubclass(kind, type):
        return value
    if memo is None:
        memo = {}
    key = id(value)
    known = memo.get(key, _ABSENT)
    if known is not _ABSENT:
        return known
    result = _deep(value, kind, memo)
    if result is not value:
        memo[key] = result
        memo.setdefault(id(memo), []).append(value)  # the identity of what is copied must stay its own
    return result


_ABSENT = object()


def _deep(value: Any, kind: type, memo: Any) -> Any:
    container = _CONTAINERS.get(kind)
    if container is not None:
        return container(value, memo)
    copier = getattr(kind, "__deepcopy__", None)
    if copier is not None:
        return copier(value, memo)
    reduced = _reduced(value)
    if isinstance(reduced, str):
        return value

    def copied(part: Any) -> Any:
        return deepcopy(part, memo)

    return _rebuilt(value, reduced, copied, memo)


def _list(value: list[Any], memo: Any) -> list[Any]:
    result: list[Any] = []
    memo[id(value)] = result
    for item in value:
        result.append(deepcopy(item, memo))
    return result


def _tuple(value: tuple[Any, ...], memo: Any) -> tuple[Any, ...]:
    items = [deepcopy(item, memo) for item in value]
    if id(value) in memo:  # it contains itself
        return memo[id(value)]  # type: ignore[no-any-return]
    return value if all(one is other for one, other in zip(value, items)) else tuple(items)


def _dict(value: dict[Any, Any], memo: Any) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    memo[id(value)] = result
    for key, item in value.items():
        result[deepcopy(key, memo)] = deepcopy(item, memo)
    return result


def _method(value: Any, memo: Any) -> Any:
    return types.MethodType(value.__func__, deepcopy(value.__self__, memo))


_CONTAINERS: dict[type, Callable[[Any, Any], Any]] = {
    list: _list,
    tuple: _tuple,
    dict: _dict,
    types.MethodType: _method,
}


def _reduced(value: Any) -> Any:
    """Return how an object is built again: a string where it is its own copy."""
    reducer = copyreg.dispatch_table.get(type(value))
    if reducer is not None:
        return reducer(value)
    reducer = getattr(value, "__reduce_ex__", None)
    reduced = value.__reduce__() if reducer is None else reducer(4)
    if type(reduced) is Unknown:
        raise Undecidable(reduced)
    if isinstance(reduced, str):
        return reduced
    if not isinstance(reduced, tuple) or not 2 <= len(reduced) <= 6:
        raise Error(f"un(deep)copyable object of type {type(value)}")
    return reduced


def _rebuilt(value: Any, reduced: tuple[Any, ...], copied: Callable[[Any], Any], memo: Any = None) -> Any:
    """Build an object again from what `__reduce_ex__` returned."""
    build, args, state, items, pairs = (*reduced, None, None, None)[:5]
    result = build(*map(copied, args))
    if type(result) is Unknown:
        return result
    if memo is not None:
        memo[id(value)] = result
    if state is None and items is None and pairs is None:
        return result
    if type(result) is not type(value):
        raise Undecidable(Unknown(f"a copy of a {type(value).__name__} is an object of another class"))
    if state is not None:
        _set_state(result, copied(state))
    for item in items or ():
        result.append(copied(item))
    for key, item in pairs or ():
        result[copied(key)] = copied(item)
    return result


def _set_state(result: Any, state: Any) -> None:
    if hasattr(result, "__setstate__"):
        result.__setstate__(state)
        return
    slots = None
    if isinstance(state, tuple) and len(state) == 2:
        state, slots = state
    if state is not None:
        result.__dict__.update(state)
    for name, item in (slots or {}).items():
        setattr(result, name, item)  # of the copy
