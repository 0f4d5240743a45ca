"""Nested structures of tensors: lists, tuples and dictionaries, flattened as Keras does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cutaway.core.loop.series import Series
from cutaway.knowledge.base.registry import row


def is_nested(value: Any) -> bool:
    """Tell whether a value has parts."""
    return isinstance(value, (list, tuple, dict))


def walk(value: Any) -> Iterator[Any]:
    """Yield the leaves, those of a dictionary in the order of its sorted keys."""
    if isinstance(value, dict):
        for key in _keys(value):
            yield from walk(value[key])
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from walk(item)
    elif isinstance(value, Series):
        value.refuse()
    else:
        yield value


def _keys(value: dict[Any, Any]) -> list[Any]:
    if type(value).__name__ == "OrderedDict":
        return list(value)
    try:
        return sorted(value)
    except TypeError:
        return list(value)


@row("keras.tree.flatten", "keras.src.tree.flatten")
def flatten(structure: Any) -> list[Any]:
    return list(walk(structure))


@row("tensorflow.nest.flatten")
def nest_flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    return list(walk(structure))


@row("keras.tree.map_structure", "keras.src.tree.map_structure", "tensorflow.nest.map_structure")
def map_structure(func: Callable[..., Any], *structures: Any, none_is_leaf: bool = True) -> Any:
    first = structures[0]
    if isinstance(first, dict):
        return {key: map_structure(func, *(s[key] for s in structures)) for key in first}
    if isinstance(first, (list, tuple)):
        items = [map_structure(func, *parts) for parts in zip(*structures)]
        return _rebuilt(first, items)
    return func(*structures)


@row("keras.tree.pack_sequence_as", "keras.src.tree.pack_sequence_as")
def pack_sequence_as(structure: Any, flat_sequence: Iterable[Any]) -> Any:
    return _pack(structure, iter(flat_sequence))


@row("tensorflow.nest.pack_sequence_as")
def nest_pack_sequence_as(structure: Any, flat_sequence: Iterable[Any], expand_composites: bool = False) -> Any:
    return _pack(structure, iter(flat_sequence))


def _pack(structure: Any, items: Iterator[Any]) -> Any:
    if isinstance(structure, dict):
        made = {key: _pack(structure[key], items) for key in _keys(structure)}
        return {key: made[key] for key in structure}
    if isinstance(structure, (list, tuple)):
        return _rebuilt(structure, [_pack(item, items) for item in structure])
    return next(items)


def _rebuilt(like: Any, items: list[Any]) -> Any:
    if hasattr(like, "_make"):
        return like._make(items)
    return tuple(items) if isinstance(like, tuple) else items


@row("keras.tree.is_nested", "keras.src.tree.is_nested")
def nested(structure: Any) -> bool:
    return is_nested(structure)


@row("tensorflow.nest.is_nested")
def nest_is_nested(seq: Any) -> bool:
    return is_nested(seq)


@row("keras.src.tree.map_shape_structure")
def map_shape_structure(func: Callable[..., Any], structure: Any) -> Any:
    if is_shape(structure):
        return func(tuple(structure))
    if isinstance(structure, dict):
        return {key: map_shape_structure(func, item) for key, item in structure.items()}
    return _rebuilt(structure, [map_shape_structure(func, item) for item in structure])


def is_shape(value: Any) -> bool:
    """Tell whether a value is one shape, not a structure of several."""
    return isinstance(value, (list, tuple)) and not any(is_nested(item) for item in value)
