"""Sequences and optional values."""

from __future__ import annotations

from typing import Any

from cutaway.core.record import replace
from cutaway.core.size.dim import Dim, Size, ceildiv
from cutaway.formats.graph.model import Type
from cutaway.formats.graph.value import NOTHING, Call, Known, Out, one
from cutaway.formats.onnx.operators.registry import operator
from cutaway.ops.reshape import axis


def joined(call: Call, left: Known, right: Known, what: str = "dim", output: int = 0) -> Known:
    """Return what is known of a value that is one of two."""
    if left == right:
        return left
    if left.kind != "tensor" or right.kind != "tensor":
        if left.kind != right.kind:
            return NOTHING
        inner = None
        if 0 in (left.length, right.length):  # an empty one holds nothing that could differ
            inner = right.element if left.length == 0 else left.element
        elif left.element is not None and right.element is not None:
            inner = joined(call, left.element, right.element, what, output)
        length = left.length if left.length == right.length else None
        return Known(kind=left.kind, element=inner, length=length)
    dtype = left.dtype if left.dtype == right.dtype else None
    if left.shape is None or right.shape is None or len(left.shape) != len(right.shape):
        return Known(None, dtype)
    shape = tuple(
        mine if mine == theirs else call.fresh(f"{what}{place}", output)
        for place, (mine, theirs) in enumerate(zip(left.shape, right.shape))
    )
    return Known(shape, dtype, left.numbers if left.numbers == right.numbers else None)


def sequence(element: Known | None, length: Size | None) -> Out:
    """Return a result that is a sequence."""
    plain = None if element is None else replace(element, numbers=None)
    return Out((Known(kind="sequence", element=plain, length=length),))


@operator("SequenceConstruct")
def constructed(call: Call) -> Out:
    """A sequence of tensors."""
    values = [value for value in call.inputs if value is not None]
    element = values[0]
    for value in values[1:]:
        element = joined(call, replace(element, numbers=None), replace(value, numbers=None))
    return sequence(element, len(values))


@operator("SequenceEmpty")
def empty(call: Call) -> Out:
    """A sequence without tensors."""
    return sequence(None, 0)


def _inserted(call: Call, before: Known, value: Known) -> Out:
    plain = replace(value, numbers=None)
    element = plain if before.element is None and before.length == 0 else None
    if before.element is not None:
        element = joined(call, before.element, plain)
    return sequence(element, None if before.length is None else before.length + 1)


@operator("SequenceInsert")
def inserted(call: Call) -> Out:
    """A sequence with one more tensor."""
    return _inserted(call, call.input(0), call.input(1))


@operator("SequenceErase")
def erased(call: Call) -> Out:
    """A sequence with one tensor less."""
    value = call.input(0)
    return sequence(value.element, None if value.length is None else value.length - 1)


@operator("SequenceAt")
def item(call: Call) -> Out:
    """A tensor of a sequence."""
    return Out((call.input(0).element or NOTHING,))


@operator("SequenceLength")
def length(call: Call) -> Out:
    """How many tensors there are."""
    value = call.input(0).length
    return one((), "int64", None if value is None else [value])


@operator("SplitToSequence")
def split(call: Call) -> Out:
    """Parts of a tensor along a dimension, as a sequence."""
    shape = list(call.shape(0))
    place = axis(call.integer("axis", 0), len(shape))
    extent, count = shape[place], None
    stated = call.input(1).shape
    if not call.has(1):
        size: Any = 1
        count = extent
        if call.integer("keepdims", 1) == 0:
            return sequence(Known((*shape[:place], *shape[place + 1 :]), call.dtype()), count)
    elif stated == () and call.number(1) is not None:
        size = call.number(1)
        known = isinstance(size, int) and isinstance(extent, int) and extent % size == 0
        count = ceildiv(extent, size) if isinstance(size, (int, Dim)) else None
        size = size if known else call.fresh(f"dim{place}")
    else:
        numbers = call.numbers(1)
        alike = numbers is not None and numbers and all(number == numbers[0] for number in numbers)
        size = numbers[0] if alike and numbers is not None else call.fresh(f"dim{place}")
        count = len(numbers) if numbers is not None else None
        if size is None:
            size = call.fresh(f"dim{place}")
    shape[place] = size
    return sequence(Known(tuple(shape), call.dtype()), count)


@operator("ConcatFromSequence")
def concatenated(call: Call) -> Out:
    """The tensors of a sequence laid end to end, or stacked."""
    value = call.input(0)
    if value.element is None or value.element.shape is None:
        return one(None, None if value.element is None else value.element.dtype)
    shape = list(value.element.shape)
    if call.integer("new_axis") == 1:
        place = axis(call.integer("axis"), len(shape) + 1)
        shape.insert(place, call.fresh(f"dim{place}") if value.length is None else value.length)
    else:
        place = axis(call.integer("axis"), len(shape))
        if value.length is None or not isinstance(shape[place], int):
            shape[place] = call.fresh(f"dim{place}")
        else:
            shape[place] = shape[place] * value.length
    return one(shape, value.element.dtype)


@operator("SequenceMap")
def mapped(call: Call) -> Out:
    """What a graph makes of each tensor of a sequence."""
    inputs = []
    for value in call.inputs:
        value = NOTHING if value is None else value
        inputs.append((value.element or NOTHING) if value.kind == "sequence" else value)
    count = call.input(0).length
    made = call.scope.run(call.graph("body"), inputs, repeat=count)
    return Out(tuple(Known(kind="sequence", element=replace(each, numbers=None), length=count) for each in made))


@operator("Optional")
def optional(call: Call) -> Out:
    """A value that may be missing."""
    if call.has(0):
        return Out((Known(kind="optional", element=call.input(0)),))
    return Out((Known(kind="optional", element=_of_type(call.type("type"))),))


def _of_type(stated: Type | None) -> Known | None:
    if stated is None:
        return None
    if stated.kind != "tensor":
        return Known(kind=stated.kind, element=_of_type(stated.element))
    return Known(None, stated.dtype)


@operator("OptionalGetElement")
def element(call: Call) -> Out:
    """The value that is there."""
    value = call.input(0)
    return Out(((value.element or NOTHING) if value.kind == "optional" else value,))


@operator("OptionalHasElement")
def has_element(call: Call) -> Out:
    """Whether there is a value."""
    return one((), "bool")
