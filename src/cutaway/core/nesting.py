"""How deeply objects in C may be nested in each other.

An iterator over an iterator over an iterator asks the innermost one by as many calls in C, which nothing counts: the
process would run out of stack. So would it where such a chain is freed, called, hashed or printed. Python itself counts
the depth of lists, tuples and dicts, and frees them step by step. So each object that holds others has its depth noted
where it is made.
"""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Iterable
from typing import Any

from cutaway.core import session

_MOST = 1000
_SAMPLE, _LEVELS = 16, 4

_PARTS: dict[type, tuple[str, ...]] = {
    functools.partial: ("func", "args", "keywords"),
    property: ("fget", "fset", "fdel"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    types.MethodType: ("__func__", "__self__"),
    types.MethodWrapperType: ("__self__",),
    types.BuiltinFunctionType: ("__self__",),
    types.GenericAlias: ("__origin__", "__args__"),
    types.UnionType: ("__args__",),
}
"""Types whose objects tell what they hold, by these attributes."""
_ITERATORS: tuple[type, ...] = (
    map, filter, zip, enumerate, reversed, super, types.MappingProxyType, functools._lru_cache_wrapper, type(iter(int, 0)),
    *(kind for kind in vars(itertools).values() if isinstance(kind, type)),
)  # fmt: skip
"""Types whose objects hold what they are made from."""
NESTING = frozenset((*_PARTS, *_ITERATORS))

_DEPTHS: dict[int, tuple[Any, int]] = {}
"""Objects that hold others of these types, by identity, each with how deep they are nested."""


def bounded(value: Any, parts: Iterable[Any] | None = None) -> Any:
    """Return an object of one of these types, or an unknown if others are nested in it too deeply.

    `parts` are what it was made from, if it does not tell them.
    """
    noted = _DEPTHS.get(id(value))
    if noted is not None and noted[0] is value:
        return value
    depth = _depth_of_parts(_held(value) if parts is None else parts, _LEVELS)
    if depth:
        if depth > _MOST:
            return session.current().unknown(f"objects that are nested more than {_MOST} deep are not followed")
        _DEPTHS[id(value)] = value, depth + 1
    return value


def forget() -> None:
    """Forget the objects of an analysis that is over."""
    _DEPTHS.clear()


def _held(value: Any) -> list[Any]:
    return [getattr(value, name, None) for name in _PARTS.get(type(value), ())]


def _depth_of_parts(parts: Iterable[Any], levels: int) -> int:
    """Return how deep the deepest of some objects is; 0 if none of them is of these types, or contains one."""
    return max((_depth_of(part, levels) for part in itertools.islice(parts, _SAMPLE)), default=0)


def _depth_of(value: Any, levels: int) -> int:
    kind = type(value)
    if kind in NESTING:
        noted = _DEPTHS.get(id(value))
        if noted is not None and noted[0] is value:
            return noted[1]
        return 1 + (_depth_of_parts(_held(value), levels - 1) if levels else 0)
    if levels:
        if kind is tuple or kind is list:
            return _depth_of_parts(value, levels - 1)
        if kind is dict:
            return _depth_of_parts(value.values(), levels - 1)
    return 0
