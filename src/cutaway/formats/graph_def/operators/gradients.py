"""Gradients of operations, steps of training, and losses."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.size.dim import Size
from cutaway.formats.graph_def.operators.registry import Call, Open, Out, rule
from cutaway.ops.elementwise import broadcast

_LIKE_AN_INPUT = """ReluGrad Relu6Grad EluGrad SeluGrad LeakyReluGrad SoftplusGrad SoftsignGrad SigmoidGrad TanhGrad SqrtGrad
RsqrtGrad ReciprocalGrad InvGrad""".split()
_LIKE_THE_FIRST = """MaxPoolGrad MaxPoolGradV2 MaxPool3DGrad MaxPoolGradWithArgmax CholeskyGrad CountUpTo
FakeQuantWithMinMaxArgsGradient ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam ApplyAddSign
ApplyCenteredRMSProp ApplyFtrl ApplyFtrlV2 ApplyMomentum ApplyPowerSign ApplyProximalAdagrad ApplyProximalGradientDescent
ApplyRMSProp SparseApplyAdadelta SparseApplyAdagrad SparseApplyAdagradDA SparseApplyAdagradV2 SparseApplyFtrl
SparseApplyFtrlV2 SparseApplyMomentum SparseApplyProximalAdagrad SparseApplyProximalGradientDescent SparseApplyRMSProp
ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterSub ScatterUpdate ScatterNdAdd ScatterNdSub
ScatterNdUpdate ScatterNdMax ScatterNdMin StridedSliceAssign LRNGrad Dilation2DBackpropInput
ApplyGradientDescent BatchCholesky BatchCholeskyGrad BatchMatrixBandPart BatchMatrixInverse BatchMatrixSetDiag
BatchFFT BatchFFT2D BatchFFT3D BatchIFFT BatchIFFT2D BatchIFFT3D UniformQuantize UniformDequantize UniformRequantize""".split()
_FROM_SIZES = {
    "AvgPoolGrad": 0, "AvgPool3DGrad": 0, "Conv2DBackpropFilter": 1, "Conv3DBackpropFilterV2": 1,
    "DepthwiseConv2dNativeBackpropFilter": 1, "StridedSliceGrad": 0, "CropAndResizeGradImage": 3,
}  # fmt: skip


@rule(*_LIKE_AN_INPUT)
def like_either(call: Call) -> Sequence[Out]:
    """Keep the shape that both inputs have."""
    shape = call.value(0).shape
    return [Out(call.value(1).shape if shape is None else shape, call.value(0).dtype)]


@rule(*_LIKE_THE_FIRST)
def like_first(call: Call) -> Sequence[Out]:
    """Keep the shape of the first input."""
    return [Out(call.value(0).shape, call.value(0).dtype)]


@rule(*_FROM_SIZES)
def from_sizes(call: Call) -> Sequence[Out]:
    """Return a gradient for a tensor whose shape is an input."""
    return [Out(tuple(call.sizes(_FROM_SIZES[call.name])), call.inputs[-1].dtype)]


@rule(
    "ResizeBilinearGrad",
    "ResizeBicubicGrad",
    "CropAndResizeGradBoxes",
    "Dilation2DBackpropFilter",
    "ScaleAndTranslateGrad",
)
def like_second(call: Call) -> Sequence[Out]:
    """Return a gradient for an input that is given."""
    at = 2 if call.name == "CropAndResizeGradBoxes" else 1
    return [Out(call.value(at).shape, call.value(at).dtype)]


@rule("ResizeNearestNeighborGrad")
def resizing(call: Call) -> Sequence[Out]:
    """Return a gradient for images whose size is an input."""
    shape = call.shape(0)
    if len(shape) != 4:
        raise Open("an input has another number of dimensions")
    return [Out((shape[0], *call.sizes(1), shape[3]), call.value(0).dtype)]


@rule("BiasAddGrad")
def bias(call: Call) -> Sequence[Out]:
    """Sum over everything but the channels."""
    shape = call.shape(0)
    if len(shape) < 2:
        raise Open("an input has another number of dimensions")
    first = call.node.string("data_format", "NHWC").startswith("NC")
    return [Out((shape[1 if first else -1],), call.value(0).dtype)]


@rule("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def batch_norm(call: Call) -> Sequence[Out]:
    """Return gradients of the input, the scale and the offset; what the kernel returns beside them differs."""
    vector = call.value(2).shape
    return [
        Out(call.value(0).shape, call.value(0).dtype), Out(vector, "float32"), Out(vector, "float32"),
        Out(None, "float32"), Out(None, "float32"),
    ]  # fmt: skip


@rule("ConcatOffset")
def offsets(call: Call) -> Sequence[Out]:
    """Return where each input of a concatenation begins."""
    at = call.number(0)
    sizes = [value.sizes() for value in call.inputs[1:]]
    made: list[Out] = []
    start: Size = 0
    for value, held in zip(call.inputs[1:], sizes):
        numbers = None
        if held is not None and 0 <= at < len(held):
            numbers = tuple(start if place == at else 0 for place in range(len(held)))
            start = start + held[at]
        made.append(Out(value.shape, value.dtype, numbers))
    return made if all(held is not None for held in sizes) else [Out(out.shape, out.dtype) for out in made]


@rule("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits")
def cross_entropy(call: Call) -> Sequence[Out]:
    """Return the loss of each row, and its gradient."""
    logits = call.shape(0)
    if not call.name.startswith("Sparse"):
        logits = broadcast(call.name, logits, call.shape(1))
    if len(logits) != 2:
        raise Open("an input has another number of dimensions")
    return [Out((logits[0],), call.value(0).dtype), Out(logits, call.value(0).dtype)]


@rule("CTCLoss", "CTCLossV2")
def ctc(call: Call) -> Sequence[Out]:
    """Return the loss of each sequence, and its gradient."""
    shape = call.shape(0)
    if len(shape) != 3:
        raise Open("an input has another number of dimensions")
    return [Out((shape[1],), call.value(0).dtype), Out(shape, call.value(0).dtype)]


@rule("IsVariableInitialized")
def initialized(_call: Call) -> Sequence[Out]:
    """Tell whether there is a value."""
    return [Out((), "bool")]
