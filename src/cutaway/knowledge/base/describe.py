"""Values of the target to settings, for configurations and attributes."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.core.architecture import Setting
from cutaway.core.lazy_mapping import LazyMapping as LazyMapping
from cutaway.core.loop.series import Repeat, Series
from cutaway.core.protocols import is_tensor
from cutaway.core.size.dim import Dim
from cutaway.core.size.parser import detached, read_size
from cutaway.core.unknown import Exhausted, Undecidable, Unknown

_DEPTH = 6
_LENGTH = 256
_DEPTH_OF_RECORDS = 2


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


def describe(value: Any, depth: int = 0) -> Setting:
    """Return a setting that says what `value` is; nothing of the target is called for it."""
    kind = type(value)
    if kind in _PLAIN or (kind is int and -_LARGE < value < _LARGE):
        return value  # type: ignore[no-any-return]
    try:
        return _describe(value, depth)
    except (Exception, Undecidable, Exhausted):
        return f"<{qualified_name(type(value))}>"  # an object that is not what it says it is


def _describe(value: Any, depth: int) -> Setting:
    if value is None:
        return None
    kinds = type(value).__mro__
    for attempt in (_scalar, _symbolic, _collection, _construct, _tensor_or_row):
        description = attempt(value, kinds, depth)
        if description is not None:
            return description
    form: Any = next((FORMS[kind] for kind in kinds if kind in FORMS), None)
    if form is not None:
        return form(value)  # type: ignore[no-any-return]
    if isinstance(value, _FUNCTIONS):
        return {"name": f"{value.__module__ or ''}.{value.__qualname__}".lstrip(".")}
    if dataclasses.is_dataclass(type(value)) and depth < _DEPTH_OF_RECORDS:
        held = _variables(value)
        named = [f.name for f in dataclasses.fields(type(value)) if f.name in held]
        return {"dataclass": qualified_name(type(value)), **{name: describe(held[name], depth + 1) for name in named}}
    if qualified_name(type(value)).startswith("cutaway."):
        return repr(value)
    return f"<{qualified_name(type(value))}>"


def _scalar(value: Any, kinds: tuple[type, ...], depth: int) -> Setting:
    """Return the description of a truth value, string or number; None for any other value."""
    if type(value) is bool:
        return value
    if str in kinds:
        return str.__str__(value)
    if int in kinds:
        bits = int.bit_length(value)
        return int.__add__(value, 0) if bits <= _BITS else f"<int of {bits} bits>"
    if float in kinds:
        return float.__add__(value, 0.0)
    return None


def _symbolic(value: Any, kinds: tuple[type, ...], depth: int) -> Setting:
    """Return the description of a size, an unknown or a list of symbolic length; None for any other value."""
    if isinstance(value, Dim):
        return detached(value)
    if type(value) is Unknown:
        return {"unknown": value.reason} if value.term is None or not value.term.text else read_size(str(value.term))
    if type(value) is Series:
        return f"<{value.length} items>"
    if type(value) is Repeat:
        return {"repeat": describe(value.count), "items": [describe(item, depth + 1) for item in value.items]}
    return None


def _collection(value: Any, kinds: tuple[type, ...], depth: int) -> Setting:
    """Return the description of a list, tuple, set or dict; None for any other value."""
    sequence: Any = next((kind for kind in _SEQUENCES if kind in kinds), None)
    if sequence is not None:
        count = sequence.__len__(value)
        if depth >= _DEPTH or count > _LENGTH:
            return f"<{class_name(type(value))} of {count}>"
        return [describe(item, depth + 1) for item in sequence.__iter__(value)]
    if dict in kinds:
        if depth >= _DEPTH or dict.__len__(value) > _LENGTH:
            return f"<dict of {dict.__len__(value)}>"
        return {_key(key): describe(item, depth + 1) for key, item in dict.items(value)}
    return None


def _construct(value: Any, kinds: tuple[type, ...], depth: int) -> Setting:
    """Return the description of a class, a partial call, an ellipsis or a slice; None for any other value."""
    if type in kinds:
        return {"name": qualified_name(value)}
    if type(value) is functools.partial:
        partial: dict[str, Setting] = {"partial": describe(value.func, depth + 1)}
        if value.args:
            partial["args"] = describe(value.args, depth + 1)
        partial.update({_key(k): describe(v, depth + 1) for k, v in value.keywords.items()})
        return partial
    if value is Ellipsis:
        return "..."
    if type(value) is slice:
        return {"slice": [describe(part, depth + 1) for part in (value.start, value.stop, value.step)]}
    return None


def _tensor_or_row(value: Any, kinds: tuple[type, ...], depth: int) -> Setting:
    """Return the description of a tensor or of a modelled function; None for any other value."""
    if is_tensor(value):
        reference = value.reference()
        sizes = "?" if isinstance(reference.shape, Unknown) else "x".join(map(str, reference.shape))
        return f"<tensor {sizes} {reference.dtype}>"
    row = vars(value).get("__row__") if type(value) is types.FunctionType else None
    if row is not None and value.__module__.startswith("cutaway."):
        return {"name": row.name}
    return None


def _variables(value: Any) -> dict[str, Any]:
    """Return what an object holds, whatever it answers when it is asked."""
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:  # a class with slots
        return {}
    return held if type(held) is dict else {}


FORMS: dict[type, Callable[[Any], Setting]] = {}
"""How values of a framework that is running are described, by their class."""

_PLAIN = frozenset((type(None), bool, float, str))
_LARGE = 1 << 64
_BITS = 1 << 13  # of an integer that is written out
_SEQUENCES = (list, tuple, set, frozenset)
_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)


def _key(key: Any) -> str:
    """Return the key of a dict as text."""
    if isinstance(key, str):
        return str.__str__(key)
    return str(key) if type(key) in (int, float, bool, type(None), tuple, Dim) else f"<{qualified_name(type(key))}>"


def class_name(cls: type) -> str:
    """Return the name of a class, whatever its metaclass answers."""
    name: str = type.__dict__["__name__"].__get__(cls)
    return name


def qualified_name(cls: type) -> str:
    """Return the name of a class with that of its module in front."""
    module = type.__dict__["__module__"].__get__(cls)
    qualified = type.__dict__["__qualname__"].__get__(cls)
    return f"{module}.{qualified}" if isinstance(module, str) else str(qualified)
