"""What may go into numpy and come out of it.

numpy reads memory wherever an object says that its numbers are, so nothing but plain values goes in;
and arrays of Python objects, whose arithmetic has no bounds, do not come out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy

from cutaway.core import session
from cutaway.core.protocols import has_no_numbers, is_tensor
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.array_memory import is_lost
from cutaway.knowledge.base.values import exact

ELEMENTS = 1 << 22
_PLAIN = frozenset((int, float, bool, complex, str, bytes, type(None), slice, type(Ellipsis), range))
_NUMBER_CLASSES = frozenset((int, float, bool, complex, str, bytes, object))
_DEEPEST = 64


WITHOUT_NUMBERS = Unknown("the numbers in an array are not known")
"""Why numpy is not called, where the shape and type of what comes out can still be told."""


def foremost(reasons: Iterable[Unknown | None]) -> Unknown | None:
    """Return the first reason after which nothing can be told, or that only numbers are missing."""
    lacking = None
    for reason in reasons:
        if reason is not None and reason is not WITHOUT_NUMBERS:
            return reason
        lacking = reason if lacking is None else lacking
    return lacking


def unknown_in(value: Any, depth: int = 0) -> Unknown | None:
    """Return why numpy is not called with a value, None where it may be."""
    kind = type(value)
    if kind in _PLAIN:
        return None
    if kind is Unknown:
        return value if value.kind is None else WITHOUT_NUMBERS
    if has_no_numbers(value):
        return WITHOUT_NUMBERS
    if issubclass(kind, (list, tuple)):
        if depth > _DEEPEST:
            return Unknown("numpy is not computed with lists nested this deeply", session.current().place())
        return foremost(unknown_in(item, depth + 1) for item in value)
    if issubclass(kind, Dim):
        return Unknown(f"numpy is not computed with the symbolic size {value}", session.current().place())
    if issubclass(kind, (numpy.ndarray, numpy.generic, numpy.dtype)):
        return WITHOUT_NUMBERS if is_lost(value) else None
    if issubclass(kind, type) and (value in _NUMBER_CLASSES or (type(value) is type and value.__module__ == "numpy")):
        return None
    if issubclass(kind, dict):
        return unknown_in([*value.keys(), *value.values()], depth + 1)
    if is_tensor(value):
        return None if has_numbers(value) else WITHOUT_NUMBERS
    if issubclass(kind, (int, float, str)):
        return None
    return Unknown(f"numpy is not computed with an object of class {kind.__name__}", session.current().place())


def has_numbers(tensor: Any) -> bool:
    """Tell whether the numbers of a framework's tensor are known."""
    return getattr(tensor, "values_", getattr(tensor, "_values", None)) is not None


def plain(value: Any) -> Any:
    """Return a value as numpy gets it: a tensor whose numbers are known counts as a new array of them."""
    kind = type(value)
    if kind in _PLAIN or kind is numpy.ndarray or issubclass(kind, type):
        return value
    if is_tensor(value):
        return numpy.array(exact(value.array()))
    if issubclass(kind, list):
        return list(map(plain, list.__iter__(value)))
    if issubclass(kind, tuple):
        return tuple(map(plain, tuple.__iter__(value)))
    return exact(value)


def result(value: Any) -> Any:
    """Return what numpy computed, unless it is an array of objects."""
    if isinstance(value, numpy.ndarray):
        if value.dtype.hasobject:
            return session.current().unknown("numpy arrays of objects are not computed")
        session.current().build(value.size)
    return value


def too_large(name: str) -> Unknown:
    """Record that a result is not computed for its size."""
    return session.current().unknown(f"numpy.{name} of so many elements is not computed")
