"""How many elements the result of a numpy function may have, estimated before it is called."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

Bound = Callable[..., float]
"""The arguments of a function to the most elements that its result can have."""


def count(shape: Any) -> float:
    """Return the elements of a shape."""
    sizes = shape if isinstance(shape, (list, tuple, numpy.ndarray)) else (shape,)
    return math.prod(max(1.0, _number(s)) for s in sizes)


def _number(value: Any) -> float:
    try:
        return abs(float(value))
    except (TypeError, ValueError, OverflowError):
        return math.inf if isinstance(value, int) else 1.0


def elements(value: Any) -> float:
    """Return the elements of an array, a list or a number."""
    if isinstance(value, numpy.ndarray):
        return float(max(1, value.size))
    if isinstance(value, (list, tuple)):
        return sum(elements(item) for item in value) or 1.0
    return float(max(1, len(value))) if isinstance(value, range) else 1.0


def broadcast(*values: Any, **named: Any) -> float:
    """Return the elements of what several values are broadcast to."""
    shapes = [v.shape if isinstance(v, numpy.ndarray) else (elements(v),) for v in (*values, *named.values())]
    rank = max((len(shape) for shape in shapes), default=0)
    longest = [1.0] * rank
    for shape in shapes:
        for axis, size in enumerate(reversed(shape)):
            longest[axis] = max(longest[axis], float(size))
    return math.prod(longest)


def outer(*values: Any, **_named: Any) -> float:
    """Return the product of the sizes of all values."""
    return math.prod(elements(v) for v in values)


def contraction(left: Any, right: Any, *_rest: Any, **_named: Any) -> float:
    """Return the elements of a matrix product of two values."""
    inner = [float(v.shape[-1]) if isinstance(v, numpy.ndarray) and v.ndim else 1.0 for v in (left, right)]
    return outer(left, right) / max(1.0, min(inner)) ** 2


def total(*values: Any, **named: Any) -> float:
    """Return the elements of all values together: of joins, and of what keeps its input's size."""
    return sum(elements(v) for v in (*values, *named.values()))


def shape(shape: Any, *_rest: Any, **_named: Any) -> float:
    """Return the elements of the shape that comes first."""
    return count(shape)


def new_shape(_values: Any, shape: Any = (), *_rest: Any, **named: Any) -> float:
    """Return the elements of the shape that comes second."""
    return count(named.get("new_shape", shape))


def square(rows: Any, columns: Any = None, *_rest: Any, **named: Any) -> float:
    """Return the elements of a matrix of so many rows and columns."""
    columns = named.get("M", columns)
    return _number(rows) * _number(rows if columns is None else columns)


def steps(*values: Any, **named: Any) -> float:
    """Return the elements of `arange`."""
    numbers = [named.get("start", 0), named.get("stop", 0), named.get("step", 1)]
    given = list(values[:3])
    numbers = [0, given[0], numbers[2]] if len(given) == 1 else [*given, *numbers[len(given) :]]
    start, stop, step = (float(n) if _number(n) < math.inf else math.inf for n in numbers)
    return abs((stop - start) / step) if step else 0.0


def samples(_start: Any, _stop: Any, num: Any = 50, *_rest: Any, **_named: Any) -> float:
    """Return the elements of `linspace`."""
    return _number(num) * max(elements(_start), elements(_stop))


def repetition(values: Any, repeats: Any = 1, *_rest: Any, **named: Any) -> float:
    """Return the elements of `repeat` and `tile`."""
    repeats = named.get("reps", repeats)
    return elements(values) * count(repeats)


def padding(values: Any, pad_width: Any = 0, *_rest: Any, **_named: Any) -> float:
    """Return the elements of `pad`."""
    widest = max((_number(w) for w in _flat(pad_width)), default=0.0)
    sizes = values.shape if isinstance(values, numpy.ndarray) else (elements(values),)
    return math.prod(size + 2 * widest for size in sizes)


def _flat(value: Any) -> list[Any]:
    if isinstance(value, numpy.ndarray):
        return list(value.flat)
    return [i for item in value for i in _flat(item)] if isinstance(value, (list, tuple)) else [value]


def transform(values: Any, n: Any = None, *_rest: Any, **named: Any) -> float:
    """Return the elements of a Fourier transform, which may be given other lengths than its input has."""
    lengths = named.get("n", named.get("s", n))
    return 2 * elements(values) * (1.0 if lengths is None else count(lengths))


def diagonal(values: Any, k: Any = 0, *_rest: Any, **_named: Any) -> float:
    """Return the elements of `diag` and `diagflat`."""
    return (elements(values) + _number(k)) ** 2


def indices(dimensions: Any, *_rest: Any, **_named: Any) -> float:
    """Return the elements of `indices`."""
    return count(dimensions) * max(1.0, elements(dimensions))


def grid(*values: Any, **_named: Any) -> float:
    """Return the elements of `meshgrid`."""
    return outer(*values) * max(1, len(values))


def largest_value(values: Any, *_rest: Any, **named: Any) -> float:
    """Return the elements of `bincount`: the largest number in its argument."""
    array = numpy.asarray(values)
    return max(_number(array.max()) if array.size else 0.0, _number(named.get("minlength", 0)))


def sum_of_products(subscripts: Any, *operands: Any, **_named: Any) -> float:
    """Return the index combinations that `einsum` iterates over, or the product of all sizes."""
    if not isinstance(subscripts, str):
        return outer(*operands)
    sizes: dict[str, float] = {}
    for labels, operand in zip(subscripts.partition("->")[0].replace(" ", "").split(","), operands):
        shape = numpy.shape(operand)
        if "." in labels or len(labels) != len(shape):
            return outer(*operands)
        sizes.update(zip(labels, map(float, shape)))
    return math.prod(sizes.values()) / 64  # most of it is time, not memory
