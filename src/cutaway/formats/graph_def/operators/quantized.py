"""Quantized operations: like their counterparts, with the range of the result beside it."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.formats.graph_def.operators.arrangement import reshape
from cutaway.formats.graph_def.operators.convolution import convolution, pooling
from cutaway.formats.graph_def.operators.reduction import product_of_matrices
from cutaway.formats.graph_def.operators.registry import Call, Open, Out, rule
from cutaway.ops.elementwise import broadcast
from cutaway.ops.join import concatenate


def _ranged(out: Out, kind: str | None) -> list[Out]:
    return [Out(out.shape, kind, macs=out.macs), Out((), "float32"), Out((), "float32")]


_KEEP = """QuantizedRelu QuantizedRelu6 QuantizedReluX QuantizedBiasAdd Requantize QuantizeDownAndShrinkRange
QuantizedBatchNormWithGlobalNormalization QuantizedInstanceNorm""".split()


@rule(*_KEEP)
def kept(call: Call) -> Sequence[Out]:
    """Keep the shape."""
    return _ranged(Out(call.value(0).shape), call.node.type("out_type") or call.value(0).dtype)


@rule("QuantizeV2")
def quantized(call: Call) -> Sequence[Out]:
    """Quantize; along an axis there is a range for each part."""
    shape, axis = call.value(0).shape, call.node.integer("axis", -1)
    if axis == -1:
        return _ranged(Out(shape), call.node.type("T"))
    if shape is None:
        raise Open("the shape of an input is not known")
    ends = (shape[call.within(axis, len(shape))],)
    return [Out(shape, call.node.type("T")), Out(ends, "float32"), Out(ends, "float32")]


@rule("RequantizationRange")
def range_of(_call: Call) -> Sequence[Out]:
    """Return the range of values."""
    return [Out((), "float32"), Out((), "float32")]


_FUSED = """QuantizedConv2DAndRelu QuantizedConv2DAndReluAndRequantize QuantizedConv2DAndRequantize QuantizedConv2DPerChannel
QuantizedConv2DWithBias QuantizedConv2DWithBiasAndRelu QuantizedConv2DWithBiasAndReluAndRequantize
QuantizedConv2DWithBiasAndRequantize QuantizedConv2DWithBiasSignedSumAndReluAndRequantize QuantizedConv2DWithBiasSumAndRelu
QuantizedConv2DWithBiasSumAndReluAndRequantize QuantizedDepthwiseConv2D QuantizedDepthwiseConv2DWithBias
QuantizedDepthwiseConv2DWithBiasAndRelu QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize""".split()


@rule("QuantizedConv2D", *_FUSED)
def convolved(call: Call) -> Sequence[Out]:
    """Convolve."""
    return _ranged(convolution(call)[0], call.node.type("out_type") or "qint32")


@rule("QuantizedMatMul", "QuantizedMatMulWithBias", "QuantizedMatMulWithBiasAndRelu", "QuantizedMatMulWithBiasAndReluAndRequantize",
      "QuantizedMatMulWithBiasAndRequantize")  # fmt: skip
def multiplied(call: Call) -> Sequence[Out]:
    """Multiply matrices."""
    return _ranged(product_of_matrices(call)[0], call.node.type("Toutput") or "qint32")


@rule("QuantizedMaxPool", "QuantizedAvgPool")
def pooled(call: Call) -> Sequence[Out]:
    """Pool windows."""
    return _ranged(pooling(call)[0], call.value(0).dtype)


@rule("QuantizedAdd", "QuantizedMul")
def combined(call: Call) -> Sequence[Out]:
    """Broadcast two inputs."""
    shape = broadcast(call.name, call.shape(0), call.shape(1))
    return _ranged(Out(shape), call.node.type("Toutput") or "qint32")


@rule("QuantizedReshape")
def reshaped(call: Call) -> Sequence[Out]:
    """Arrange the elements in another shape."""

    return _ranged(reshape(call)[0], call.value(0).dtype)


@rule("QuantizedConcat")
def joined(call: Call) -> Sequence[Out]:
    """Join along a dimension."""
    count = call.node.integer("N")
    if not 0 < count < len(call.inputs):
        raise Open("it has fewer inputs than it says")
    shapes = [call.shape(at) for at in range(1, count + 1)]
    at = call.axis(0, len(shapes[0]))
    return _ranged(Out(concatenate(shapes, at, call.name)), call.value(1).dtype)
