"""Operators of the domain com.microsoft: fused, quantized and attention operators that an optimizer puts in."""

from __future__ import annotations

from typing import Any

from cutaway.core.record import replace
from cutaway.core.size.dim import Dim, Size, floordiv, product
from cutaway.formats.graph.value import Call, Known, Out, Rule, Shape, one, several, undecided
from cutaway.formats.onnx.messages import dtype_name
from cutaway.formats.onnx.operators import (
    contraction,
    convolution,
    creation,
    indexing,
    layout,
    normalization,
    recurrent,
)
from cutaway.formats.onnx.operators.elementwise import same
from cutaway.formats.onnx.operators.registry import RULES, operator
from cutaway.formats.onnx.operators.resampling import sampled
from cutaway.ops.elementwise import broadcast
from cutaway.ops.join import concatenate
from cutaway.ops.matmul import matmul
from cutaway.ops.reduce import axes, reduced
from cutaway.ops.reshape import axis

DOMAIN = "com.microsoft"

_SAME = (
    "BiasAdd BiasGelu BiasSoftmax CausalConvWithState FastGelu Gelu GroupNorm Inverse LinearAttention MoE QMoE QuickGelu "
    "RotaryEmbedding SimplifiedLayerNormalization Trilu GatedRMSNorm GemmaRotaryEmbedding ReluGrad GeluGrad FastGeluGrad "
    "SoftmaxGrad SoftmaxGrad_13 LogSoftmaxGrad SigmoidGrad TanhGrad BiasGeluGrad_dX BiasFastGeluGrad_dX DropoutGrad "
    "BitmaskDropoutGrad QLinearSigmoid QLinearLeakyRelu QLinearSoftmax QOrderedGelu MRotaryEmbedding NGramRepeatBlock"
)
for _name in _SAME.split():
    RULES[DOMAIN, _name] = same

_AS_STANDARD: dict[str, Rule] = {
    "ExpandDims": lambda call: layout.unsqueezed(call),
    "GatherND": indexing.gathered_slices,
    "GridSample": sampled,
    "LayerNormalization": normalization.layer,
    "Pad": layout.padded,
    "Range": creation.progression,
    "FusedConv": convolution.convolution,
    "FusedGemm": contraction.gemm,
    "GemmFastGelu": contraction.matrix_product,
    "TransposeMatMul": contraction.fused_product,
    "FusedMatMulActivation": contraction.fused_product,
    "MatMulInteger16": contraction.matrix_product,
    "SparseToDenseMatMul": contraction.fused_product,
    "DynamicQuantizeLSTM": lambda call: recurrent.layer(_as(call, "LSTM")),
}
"""Operators that do to shapes what operators of the standard do."""
for _name, _rule in _AS_STANDARD.items():
    RULES[DOMAIN, _name] = _rule

RULES["", "SimplifiedLayerNormalization"] = normalization.layer


def _as(call: Call, name: str) -> Call:
    return Call(replace(call.node, op=name), call.inputs, call.attributes, call.version, call.scope)


@operator("ConcatTraining", domain=DOMAIN)
def joined(call: Call) -> Out:
    """Tensors laid end to end, and the length of each."""
    lengths = Known((len(call.inputs),), "int64")
    return Out((*layout.joined(call).values, lengths))


@operator("BiasDropout BitmaskDropout BitmaskBiasDropout", domain=DOMAIN)
def dropout(call: Call) -> Out:
    """The value itself where nothing is trained, and which elements are kept."""
    shape = call.input(0).shape
    return several((shape, call.dtype()), (shape if call.name == "BiasDropout" else None, "bool"))


@operator("SkipLayerNormalization SkipSimplifiedLayerNormalization", domain=DOMAIN)
def skip_normalization(call: Call) -> Out:
    """A residual connection and a normalization; the sum comes beside it."""
    result = (call.input(0).shape, call.dtype())
    return several(result, (None, "float32"), (None, "float32"), result)


@operator("SkipGroupNorm", domain=DOMAIN)
def skip_group(call: Call) -> Out:
    """A residual connection and a normalization of groups; the sum comes beside it."""
    result = (call.input(0).shape, call.dtype())
    return several(result, result)


@operator("EmbedLayerNormalization", domain=DOMAIN)
def embedding(call: Call) -> Out:
    """Words, positions and segments as vectors, added up and normalized."""
    batch, length = call.shape(0)
    result = ((batch, length, call.shape(2)[-1]), call.dtype(2))
    return several(result, ((batch,), "int32"), result)


@operator("Attention QAttention", domain=DOMAIN)
def attention(call: Call) -> Out:
    """Attention with the projections of queries, keys and values in one weight."""
    batch, length, features = call.shape(0)
    heads = call.integer("num_heads", 1)
    widths = call.integers("qkv_hidden_sizes")
    stored = call.shape(1)
    width: Size = widths[0] if widths else floordiv(stored[-1], 3)
    value: Size = widths[-1] if widths else width
    quantized_ = call.name == "QAttention"
    place = 8 if quantized_ else 4
    dtype = call.dtype(4) if quantized_ else call.dtype()
    total = length
    if call.has(place):
        past = call.input(place).shape
        total = past[3] + length if past is not None and len(past) == 5 else call.fresh("length", 1)
        if call.integer("past_present_share_buffer") and past is not None and len(past) == 5:
            total = past[3]
    present = (2, batch, heads, total, floordiv(width, heads) if heads > 0 else width)
    macs = batch * length * features * stored[-1] + batch * length * total * (width + value)
    return several(((batch, length, value), dtype), (present, dtype), macs=macs)


@operator("MultiHeadAttention DecoderMaskedMultiHeadAttention", domain=DOMAIN)
def multi_head_attention(call: Call) -> Out:
    """Attention over heads of queries, keys and values, which may be packed into one or two tensors."""
    query = call.shape(0)
    heads = call.integer("num_heads", 1)
    dtype = call.dtype()
    batch, length = query[:2]
    keys = 5 if call.name.startswith("Decoder") else 6
    if len(query) == 5:  # (batch, length, heads, 3, width of a head)
        total, head, value = length, query[4], query[2] * query[4]
    elif not call.has(1):  # queries, keys and values side by side
        if call.name.startswith("Decoder"):
            return several(((batch, length, floordiv(query[2], 3)), dtype))
        undecided(f"{call.name}: its keys are missing")
    else:
        key = call.shape(1)
        head = floordiv(query[2], heads)
        if len(key) == 5:
            total, value = key[1], key[2] * key[4]
        else:
            values = call.shape(2) if call.has(2) else key
            total = key[1] if len(key) == 3 else key[2]
            value = values[2] if len(values) == 3 else values[1] * values[3]
    whole: Size = total
    if call.has(keys):
        past = call.input(keys).shape
        whole = past[2] + total if past is not None and len(past) == 4 else call.fresh("length", 1)
        if call.integer("past_present_share_buffer") or call.has(keys + 2):  # a length states how much of it is used
            whole = past[2] if past is not None and len(past) == 4 else whole
    macs = batch * length * whole * (heads * head + value)
    return several(
        ((batch, length, value), dtype),
        ((batch, heads, whole, head), dtype),
        ((batch, heads, whole, floordiv(value, heads)), dtype),
        ((batch, heads, length, whole), dtype),
        macs=macs,
    )


@operator("GroupQueryAttention SparseAttention", domain=DOMAIN)
def grouped_attention(call: Call) -> Out:
    """Attention in which several heads of queries share one of keys and values."""
    batch, length, features = call.shape(0)
    heads, shared = call.integer("num_heads", 1), call.integer("kv_num_heads", 1)
    if heads < 1 or shared < 1:
        undecided(f"{call.name}: there are {heads} heads of queries and {shared} of keys")
    head = floordiv(features, heads if call.has(1) else heads + 2 * shared)
    past = call.input(3).shape if call.has(3) else None
    stays = past is not None and len(past) == 4 and call.name == "SparseAttention"
    total = past[2] if stays and past is not None else call.fresh("length", 1) if call.has(3) else length
    present = ((batch, shared, total, head), call.dtype())
    return several(
        ((batch, length, heads * head), call.dtype()), present, present, macs=2 * batch * length * total * heads * head
    )


@operator("RelativePositionBias", domain=DOMAIN)
def position_bias(call: Call) -> Out:
    """A bias for each pair of positions."""
    lengths = [call.number(place) for place in (1, 2)]
    sizes = [n if isinstance(n, (int, Dim)) else call.fresh(f"dim{at + 2}") for at, n in enumerate(lengths)]
    return one((1, call.shape(0)[1], *sizes), call.dtype())


@operator("RemovePadding", domain=DOMAIN)
def without_padding(call: Call) -> Out:
    """The tokens of all sequences, one after the other: how many there are depends on the numbers."""
    batch, length, width = call.shape(0)
    tokens = call.fresh("count")
    return several(
        ((tokens, width), call.dtype()), ((batch, length), "int32"), ((batch + 1,), "int32"), ((1,), "int32")
    )


@operator("RestorePadding", domain=DOMAIN)
def with_padding(call: Call) -> Out:
    """Sequences of equal length again."""
    return one((*call.shape(1), call.shape(0)[1]), call.dtype())


@operator("MatMulNBits MatMulBnb4 MatMulFpQ4", domain=DOMAIN)
def packed_product(call: Call) -> Out:
    """A product with a weight that is packed into a few bits, whose size is stated."""
    if call.name == "MatMulFpQ4":
        stated = call.numbers(2)
        columns: Any = stated[-1] if stated else call.fresh("columns")
    else:
        columns = call.integer("N")
    shape, macs = contraction.rows_times(call, columns)
    return one(shape, call.dtype(), macs=macs)


@operator("DynamicQuantizeMatMul MatMulIntegerToFloat", domain=DOMAIN)
def product_to_real(call: Call) -> Out:
    """A product of quantized matrices as floating-point numbers."""
    shape, macs = matmul(call.shape(0), call.shape(1), call.name)
    return one(shape, call.dtype(2) or "float32", macs=macs)


@operator("QGemm", domain=DOMAIN)
def quantized_gemm(call: Call) -> Out:
    """A product of quantized matrices, either of which may be transposed."""
    left, right = call.shape(0), call.shape(3)
    left = left[::-1] if call.integer("transA") else left
    right = right[::-1] if call.integer("transB") else right
    shape, macs = matmul(left, right, call.name)
    return one(shape, (call.dtype(8) or call.dtype()) if call.has(8) else "float32", macs=macs)


@operator("QLinearAdd QLinearMul", domain=DOMAIN)
def quantized_binary(call: Call) -> Out:
    """Arithmetic of two quantized tensors that are broadcast."""
    return one(broadcast(call.name, call.shape(0), call.shape(3)), call.dtype())


@operator("QLinearWhere", domain=DOMAIN)
def quantized_choice(call: Call) -> Out:
    """Elements of one quantized tensor or another."""
    return one(broadcast(call.name, call.shape(0), call.shape(1), call.shape(4)), call.dtype(1))


@operator("QLinearConcat", domain=DOMAIN)
def quantized_join(call: Call) -> Out:
    """Quantized tensors laid end to end: each has a scale and a zero point."""
    shapes = [call.shape(place) for place in range(2, len(call.inputs), 3)]
    place = axis(call.integer("axis"), len(shapes[0]))
    return one(concatenate(shapes, place, call.name), call.dtype(1) or call.dtype(2))


@operator("QLinearConv", domain=DOMAIN)
def quantized_convolution(call: Call) -> Out:
    """A convolution of quantized numbers, whose channels may be last."""
    if call.integer("channels_last"):
        shape, macs = _channels_last(call, 3)
        return one(shape, call.dtype(7) or call.dtype(), macs=macs)
    return convolution.quantized_convolution(call)


@operator("NhwcConv NhwcFusedConv", domain=DOMAIN)
def last_convolution(call: Call) -> Out:
    """A convolution whose channels are last."""
    shape, macs = _channels_last(call, 1)
    return one(shape, call.dtype(), macs=macs)


def _channels_last(call: Call, weight: int) -> tuple[Shape, Any]:
    batch, *spatial, channels = call.shape(0)
    inputs = list(call.inputs)
    inputs[0] = Known((batch, channels, *spatial), call.dtype())
    kernel = call.shape(weight)
    if call.name != "QLinearConv" and len(kernel) > 2:
        inputs[weight] = Known((kernel[0], kernel[-1], *kernel[1:-1]), call.dtype(weight))
    moved = Call(call.node, inputs, call.attributes, call.version, call.scope)
    (first, features, *sizes), macs = convolution.convolved(moved, weight, None)
    return (first, *sizes, features), macs


@operator("NhwcMaxPool QLinearAveragePool QLinearGlobalAveragePool", domain=DOMAIN)
def quantized_pool(call: Call) -> Out:
    """Pooling of quantized numbers, whose channels may be last."""
    shape = call.shape(0)
    last = call.name == "NhwcMaxPool" or call.integer("channels_last") == 1
    batch, channels, spatial = (shape[0], shape[-1], shape[1:-1]) if last else (shape[0], shape[1], shape[2:])
    if call.name == "QLinearGlobalAveragePool":
        sizes: list[Size] = [1] * len(spatial)
    else:
        sizes = convolution.pool_sizes(call, list(spatial))
    return one((batch, *sizes, channels) if last else (batch, channels, *sizes), call.dtype())


@operator("QLinearReduceMean ReduceSumInteger", domain=DOMAIN)
def quantized_reduction(call: Call) -> Out:
    """A reduction of quantized numbers."""
    shape = call.shape(0)
    over = axes(call.name, call.integers("axes"), len(shape))
    dtype = call.dtype() if call.name == "QLinearReduceMean" else "int32"
    return one(reduced(shape, over, call.integer("keepdims", 1) == 1), dtype)


@operator("CDist", domain=DOMAIN)
def distances(call: Call) -> Out:
    """The distance of each pair of rows."""
    return one((call.shape(0)[0], call.shape(1)[0]), call.dtype())


@operator("ComplexMul ComplexMulConj", domain=DOMAIN)
def complex_product(call: Call) -> Out:
    """A product of complex numbers."""
    return one(broadcast(call.name, call.shape(0), call.shape(1)), call.dtype())


@operator("Rfft", domain=DOMAIN)
def real_fourier(call: Call) -> Out:
    """A Fourier transform of real numbers: half of the last dimensions, and two parts."""
    shape = call.shape(0)
    return one((*shape[:-1], floordiv(shape[-1], 2) + 1, 2), call.dtype())


@operator("Irfft", domain=DOMAIN)
def inverse_fourier(call: Call) -> Out:
    """The reverse of a Fourier transform of real numbers."""
    shape = call.shape(0)
    return one((*shape[:-2], (shape[-2] - 1) * 2), call.dtype())


@operator("CropAndResize", domain=DOMAIN)
def cropped(call: Call) -> Out:
    """Regions of images, all of one size."""
    sizes = call.numbers(3) or [None, None]
    known = [n if isinstance(n, int) else call.fresh(f"dim{at + 2}") for at, n in enumerate(sizes)]
    return one((call.shape(1)[0], call.shape(0)[1], *known), call.dtype())


@operator("GatherBlockQuantized", domain=DOMAIN)
def gathered_blocks(call: Call) -> Out:
    """Slices of a quantized tensor at positions, as floating-point numbers."""
    shape = list(call.shape(0))
    place = axis(call.integer("gather_axis"), len(shape))
    packed = axis(call.integer("quantize_axis", 1), len(shape))
    if call.dtype() == "uint8":
        shape[packed] = shape[packed] * (8 // max(call.integer("bits", 4), 1))
    return one((*shape[:place], *call.shape(1), *shape[place + 1 :]), call.dtype(2))


@operator("Unique", domain=DOMAIN)
def unique(call: Call) -> Out:
    """The distinct elements, which one each is, and how often it occurs."""
    count = call.fresh("count")
    return several(((count,), call.dtype()), ((product(call.shape(0)),), "int64"), ((count,), "int64"))


@operator("MurmurHash3", domain=DOMAIN)
def hashed(call: Call) -> Out:
    """A number for each element."""
    return one(call.input(0).shape, "uint32" if call.integer("positive", 1) else "int32")


@operator("BeamSearch GreedySearch Sampling", domain=DOMAIN)
def generated(call: Call) -> Out:
    """Sequences of words, as long as is allowed."""
    batch = call.shape(0)[0]
    longest = call.number(1)
    length = longest if isinstance(longest, (int, Dim)) else call.fresh("length")
    if call.name != "BeamSearch":
        return several(((batch, length), "int32"))
    returned = call.number(4)
    count = returned if isinstance(returned, (int, Dim)) else call.fresh("sequences")
    return several(((batch, count, length), "int32"), ((batch, count), "float32"))


@operator("LayerNormalizationGrad", domain=DOMAIN)
def normalization_gradient(call: Call) -> Out:
    """Gradients by the input, the scale and the bias of a normalization."""
    scale = (call.input(2).shape, call.dtype(2))
    return several((call.input(1).shape, call.dtype(1)), scale, scale)


@operator("InPlaceAccumulatorV2", domain=DOMAIN)
def accumulated(call: Call) -> Out:
    """Whether something was added to a buffer, and the buffer."""
    return several(((1,), "bool"), (call.input(0).shape, call.dtype()))


@operator("CastLike", domain=DOMAIN)
def cast_like(call: Call) -> Out:
    """The same numbers as another element type."""
    return one(call.input(0).shape, call.dtype(1) or dtype_name(call.integer("to")))


@operator("BroadcastGradientArgs", domain=DOMAIN)
def gradient_axes(call: Call) -> Out:
    """The axes over which the gradients of two broadcast tensors are summed."""
    return several(*(((call.fresh("count", at),), "int64") for at in range(2)))
