"""Values of the target to JSON values, for configurations and attributes."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cutaway.core.architecture import JSONValue
from cutaway.core.dim import Dim
from cutaway.core.unknown import Unknown

_DEPTH = 6
_LENGTH = 256
_DEPTH_OF_RECORDS = 2


class Described(Mapping[str, JSONValue]):
    """A mapping that is made when it is first looked at: most reports look at few of them."""

    __slots__ = ("_make", "_made")

    def __init__(self, make: Callable[[], dict[str, JSONValue]]) -> None:
        self._make: Callable[[], dict[str, JSONValue]] | None = make
        self._made: dict[str, JSONValue] = {}

    def _items(self) -> dict[str, JSONValue]:
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made

    def __getitem__(self, key: str) -> JSONValue:
        return self._items()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items())

    def __len__(self) -> int:
        return len(self._items())

    def __repr__(self) -> str:
        return repr(self._items())

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self._items(),)


def bind_by_name(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield a call's arguments by name, defaults filled in, without the first (`self`).

    The call has been made, so it fits; `Signature.bind` would check that again at several times the cost.
    """
    position = 0
    taken = set()
    for name, parameter in signature.parameters.items():
        kind = parameter.kind
        if kind is parameter.VAR_POSITIONAL:
            if args[position:]:
                yield name, args[position:]
            position = len(args)
        elif kind is parameter.VAR_KEYWORD:
            yield from ((key, value) for key, value in kwargs.items() if key not in taken)
        else:
            taken.add(name)
            by_position = kind is not parameter.KEYWORD_ONLY and position < len(args)
            if by_position:
                position += 1
                if position > 1:
                    yield name, args[position - 1]
            elif name in kwargs:
                yield name, kwargs[name]
            elif parameter.default is not parameter.empty:
                yield name, parameter.default


def describe(value: Any, depth: int = 0) -> JSONValue:
    """Return a JSON value that says what `value` is."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, Dim):
        return str(value)
    if isinstance(value, Unknown):
        return {"unknown": value.reason}
    if isinstance(value, (list, tuple, set, frozenset)):
        if depth >= _DEPTH or len(value) > _LENGTH:
            return f"<{type(value).__name__} of {len(value)}>"
        return [describe(item, depth + 1) for item in value]
    if isinstance(value, dict):
        if depth >= _DEPTH or len(value) > _LENGTH:
            return f"<dict of {len(value)}>"
        return {str(key): describe(item, depth + 1) for key, item in value.items()}
    if isinstance(value, type):
        return {"name": f"{value.__module__}.{value.__qualname__}"}
    if isinstance(value, functools.partial):
        made: dict[str, JSONValue] = {"partial": describe(value.func, depth + 1)}
        if value.args:
            made["args"] = describe(value.args, depth + 1)
        made.update({str(k): describe(v, depth + 1) for k, v in value.keywords.items()})
        return made
    if hasattr(value, "reference"):
        reference = value.reference()
        sizes = "?" if isinstance(reference.shape, Unknown) else "x".join(map(str, reference.shape))
        return f"<tensor {sizes} {reference.dtype}>"
    name = getattr(value, "__qualname__", None)
    if isinstance(name, str):
        return {"name": f"{getattr(value, '__module__', '')}.{name}".lstrip(".")}
    if dataclasses.is_dataclass(value) and depth < _DEPTH_OF_RECORDS:
        held = value.__dict__ if hasattr(value, "__dict__") else {}
        fields = {f.name: describe(held[f.name], depth + 1) for f in dataclasses.fields(value) if f.name in held}
        return {"dataclass": _kind(value), **fields}
    if type(value).__module__.startswith("cutaway."):
        return repr(value)
    return f"<{_kind(value)}>"


def _kind(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
