"""Normalizations: the shape stays; statistics come beside it."""

from __future__ import annotations

from cutaway.formats.graph.value import Call, Out, several
from cutaway.formats.onnx.messages import dtype_name
from cutaway.formats.onnx.operators.elementwise import same
from cutaway.formats.onnx.operators.registry import operator
from cutaway.ops.reshape import axis


@operator("BatchNormalization")
def batch(call: Call) -> Out:
    """Each channel by its mean and variance; where it is trained, these come beside it."""
    statistics = (call.input(3).shape, call.dtype(3))
    result = (call.input(0).shape, call.dtype())
    return several(result, *[statistics] * (len(call.node.outputs) - 1))


@operator("InstanceNormalization GroupNormalization RMSNormalization")
def plain(call: Call) -> Out:
    """Groups of elements by their mean and variance."""
    return same(call)


@operator("LayerNormalization")
def layer(call: Call) -> Out:
    """Each position by its mean and variance, which come beside it."""
    shape = call.shape(0)
    place = axis(call.integer("axis", -1), len(shape))
    statistics = (*shape[:place], *[1] * (len(shape) - place))
    dtype = dtype_name(call.integer("stash_type", 1)) or "float32"
    return several((shape, call.dtype()), (statistics, dtype), (statistics, dtype))
