"""Calls of numpy's functions, methods and classes under a bound on the size of their result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from cutaway.core.protocols import has_no_numbers, is_tensor
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.array_memory import is_lost
from cutaway.knowledge.numpy import size
from cutaway.knowledge.numpy.argument import ELEMENTS, WITHOUT_NUMBERS, foremost, plain, result, too_large, unknown_in
from cutaway.knowledge.numpy.faults import fault_of
from cutaway.knowledge.numpy.shaped import Array, of_unknown, shapes_of_call


def bounded(
    name: str, function: Callable[..., Any], bound: size.Bound = size.broadcast, most: float = ELEMENTS
) -> Callable[..., Any]:
    """Return a function that gives an unknown for unknown arguments and for results that are too large."""

    universal = isinstance(function, numpy.ufunc)

    def call(*args: Any, **kwargs: Any) -> Any:
        if universal and not kwargs and all(map(_is_small, args)):
            with numpy.errstate(all="ignore"):
                return function(*args)
        found = foremost(map(unknown_in, (*args, *kwargs.values())))
        if found is WITHOUT_NUMBERS:
            return _share(shapes_of_call(name, function, args, kwargs), args, args)
        if found is not None:
            return _of(name, function, found, args, kwargs)
        given = [plain(value) for value in args]
        named = {key: plain(value) for key, value in kwargs.items()}
        if not _fits(bound, given, named, most) or _is_wide([*given, *named.values()]):
            return too_large(name)
        try:
            with numpy.errstate(all="ignore"):
                return _share(result(function(*given, **named)), args, given)
        except Undecidable as undecidable:
            return undecidable.unknown
        except Exception as error:
            raise fault_of(name, error) from None

    name = name.removeprefix("ndarray ")
    call.__name__ = name.rpartition(".")[2]
    call.__qualname__ = call.__name__
    call.__module__ = "numpy"
    if universal:
        _add_methods(call, name, function)
    return call


def _add_methods(call: Any, name: str, function: Any) -> None:
    """Give a universal function its methods; `at` changes its first argument."""
    if function.nin == 2 and function.nout == 1:
        for method in ("reduce", "accumulate", "reduceat"):
            setattr(call, method, bounded(f"{name}.{method}", getattr(function, method), size.total))
        call.outer = bounded(f"{name}.outer", function.outer, size.outer)

    def at(array: Any, *others: Any) -> None:
        known = type(array) is numpy.ndarray and foremost(map(unknown_in, others)) is None
        if not known or size.total(array, *others) > ELEMENTS:
            raise Undecidable(Unknown(f"numpy.{name}.at of numbers that are not known"))
        try:
            function.at(array, *map(plain, others))
        except Exception as error:
            raise fault_of(name, error) from None

    call.at = at


def _share(made: Any, args: tuple[Any, ...], given: Any) -> Any:
    """Return what numpy made, once it is noted which of it lies in the memory of a tensor."""
    for tensor, array in zip(args, given):
        if is_tensor(tensor):
            for part in made if isinstance(made, (list, tuple)) else [made]:
                if has_no_numbers(part) or (isinstance(part, numpy.ndarray) and numpy.may_share_memory(part, array)):
                    tensor.share(part)
    return made


def _of(name: str, function: Callable[..., Any], unknown: Unknown, args: Any, kwargs: Any) -> Any:
    """Return what a function makes of an unknown value: an array, where it always makes one."""
    makes_array = name in ("array", "asarray", "asanyarray", "ascontiguousarray")
    if makes_array and args and hasattr(type(args[0]), "as_array"):
        array = args[0].as_array()
        return shapes_of_call(name, function, (array, *args[1:]), kwargs) if type(array) is Array else array
    return of_unknown(unknown) if makes_array and args and args[0] is unknown else unknown


def _is_small(value: Any) -> bool:
    """Tell whether a value is a plain number that any function of numpy makes one number of."""
    kind = type(value)
    return kind is float or kind is numpy.float64 or (kind is int and -_BELOW < value < _BELOW)


_BELOW = 1 << 60


def _fits(bound: size.Bound, args: list[Any], kwargs: dict[str, Any], most: float) -> bool:
    try:
        return bound(*args, **kwargs) <= most
    except TypeError:
        return True  # arguments that do not fit the function; it says so itself
    except OverflowError:
        return False


def _is_wide(values: Any) -> bool:
    """Tell whether one of the arguments is a dtype whose elements are large themselves."""
    for value in values:
        if isinstance(value, str) and len(value) < 64:
            try:
                value = numpy.dtype(value)
            except (TypeError, ValueError, SyntaxError):
                continue
        if isinstance(value, (str, bytes)) and len(value) > _WIDEST:
            return True
        if isinstance(value, numpy.dtype) and value.itemsize > _WIDEST:
            return True
        if isinstance(value, (list, tuple)) and len(value) < 64 and _is_wide(value):
            return True
    return False


_WIDEST = 1 << 10  # bytes of one element
_METHOD_BOUNDS: dict[str, size.Bound] = {"repeat": size.repetition, "dot": size.contraction}


def method(found: Any) -> Any:
    """Return a method of an array or of a number of numpy as the target may call it."""
    name, owner = found.__name__, found.__self__
    bound = _METHOD_BOUNDS.get(name)
    if isinstance(owner, type) or not isinstance(owner, (numpy.ndarray, numpy.generic)):
        return found
    if is_lost(owner):
        return getattr(Array(owner.shape, owner.dtype), name)
    if name in ("__getitem__", "__setitem__"):
        return lambda *args: (item if name == "__getitem__" else assign)(owner, *args)
    if bound is None:
        return bounded(name, found, size.broadcast)
    return bounded(name, found, lambda *args, **kwargs: bound(owner, *args, **kwargs))


def _item(array: Any, index: Any) -> Any:
    return array[index]


def _assign(array: Any, index: Any, value: Any) -> None:
    array[index] = value


def _broadcast_index(_array: Any, index: Any, *_value: Any) -> float:
    """Return how many elements an index picks at most: arrays in it are broadcast together."""
    parts = index if isinstance(index, tuple) else (index,)
    return size.broadcast(*(part for part in parts if isinstance(part, (numpy.ndarray, list))))


item = bounded("ndarray indexing", _item, _broadcast_index)
_assign_known = bounded("ndarray indexing", _assign, _broadcast_index)


def assign(array: Any, index: Any, value: Any) -> Any:
    """Write to an array; what is unknown makes its numbers unknown."""
    found = foremost((unknown_in(index), unknown_in(value)))
    if found is not None:
        raise Undecidable(found, array)
    return _assign_known(array, index, value)


def operator(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a binary operator for operands of which at least one is an array."""
    bound = size.contraction if name == "MatMult" else size.broadcast
    checked = bounded("ndarray matmul" if name == "MatMult" else f"ndarray {name.lower()}", function, bound)

    def operate(left: Any, right: Any) -> Any:
        for value in (left, right):
            if is_tensor(value) or type(value) is Unknown:
                return function(left, right)
        return checked(left, right)

    return operate
