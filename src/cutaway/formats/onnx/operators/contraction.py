"""Products of matrices, sums over products, and attention."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import Size, product
from cutaway.formats.graph.value import Call, Out, Shape, one, several, undecided
from cutaway.formats.onnx.operators.elementwise import same
from cutaway.formats.onnx.operators.registry import operator
from cutaway.ops import einsum
from cutaway.ops.matmul import matmul


def multiplied(call: Call, left: int = 0, right: int = 1) -> tuple[Shape, Any]:
    """Return the shape and the multiply-accumulates of a product of two inputs."""
    return matmul(call.shape(left), call.shape(right), call.name)


@operator("MatMul MatMulInteger")
def matrix_product(call: Call) -> Out:
    """A product of matrices, or of batches of them; of whole numbers, it is one of 32 bits."""
    shape, macs = multiplied(call)
    return one(shape, "int32" if call.name == "MatMulInteger" else call.dtype() or call.dtype(1), macs=macs)


@operator("QLinearMatMul")
def quantized_product(call: Call) -> Out:
    """A product of quantized matrices: scales and zero points stand between the tensors."""
    shape, macs = multiplied(call, 0, 3)
    return one(shape, call.dtype(7) or call.dtype(), macs=macs)


@operator("Gemm")
def gemm(call: Call) -> Out:
    """A product of two matrices, either of which may be transposed, plus a third."""
    shape, macs = transposed_product(call)
    return one(shape, call.dtype() or call.dtype(1), macs=macs)


def transposed_product(call: Call) -> tuple[Shape, Any]:
    """Return the shape and the multiply-accumulates of a product of matrices that attributes may transpose."""
    left, right = call.shape(0), call.shape(1)
    if len(left) != 2 or len(right) != 2:
        undecided(f"{call.name}: its inputs have {len(left)} and {len(right)} dimensions, not 2")
    left = left[::-1] if call.integer("transA") else left
    right = right[::-1] if call.integer("transB") else right
    return matmul(left, right, call.name)


@operator("Einsum")
def einstein_sum(call: Call) -> Out:
    """A sum over products, by an equation."""
    shapes = [call.shape(place) for place in range(len(call.inputs))]
    words = call.text("equation")
    equation = einsum.parse(words, [len(shape) for shape in shapes])
    extents = einsum.sizes(equation, shapes, words)
    return one(einsum.shape(equation, extents), call.dtype(), macs=einsum.macs(equation, shapes))


@operator("Det")
def determinant(call: Call) -> Out:
    """The determinant of each matrix."""
    return one(call.shape(0)[:-2], call.dtype())


@operator("RotaryEmbedding")
def rotary(call: Call) -> Out:
    """Positions turned into angles; the shape stays."""
    return same(call)


@operator("Attention")
def attention(call: Call) -> Out:
    """Attention over heads, which are a dimension of their own or part of the last one."""
    query, key, value = (call.shape(place) for place in range(3))
    flat = len(query) == 3
    if flat:
        query = split_heads(call, query, "q_num_heads")
        key = split_heads(call, key, "kv_num_heads")
        value = split_heads(call, value, "kv_num_heads")
    if not len(query) == len(key) == len(value) == 4:
        undecided(f"{call.name}: its inputs have {len(query)}, {len(key)} and {len(value)} dimensions")
    past = call.input(4).shape
    total = key[2] if past is None or not call.has(4) else past[2] + key[2]
    if call.has(4) and past is None:
        total = call.fresh("length")
    batch, heads, length, width = query
    result: Shape = (batch, length, heads * value[3]) if flat else (batch, heads, length, value[3])
    scores = (batch, heads, length, total)
    dtype = call.dtype()
    macs = product(scores) * (width + value[3])
    return several(
        (result, dtype),
        ((*key[:2], total, key[3]), call.dtype(1)),
        ((*value[:2], total, value[3]), call.dtype(2)),
        (scores, dtype),
        macs=macs,
    )


@operator("FlexAttention", domain="ai.onnx.preview")
def flexible_attention(call: Call) -> Out:
    """Attention over heads that are a dimension of their own, with graphs that change scores and probabilities."""
    query, value = call.shape(0), call.shape(2)
    if len(query) != 4 or len(value) != 4:
        undecided(f"{call.name}: its inputs have {len(query)} and {len(value)} dimensions")
    macs = product(query[:3]) * value[2] * (query[3] + value[3])
    return one((*query[:3], value[3]), call.dtype(), macs=macs)


@operator("LinearAttention")
def linear_attention(call: Call) -> Out:
    """Attention by a state that is carried on; the new state comes beside it."""
    query = split_heads(call, call.shape(0), "q_num_heads")
    key = split_heads(call, call.shape(1), "kv_num_heads")
    value = split_heads(call, call.shape(2), "kv_num_heads")
    state = (key[0], key[1], key[3], value[3])
    dtype = call.dtype(3) if call.has(3) else call.dtype()
    return several(((query[0], query[2], query[1] * value[3]), call.dtype()), (state, dtype))


@operator("CausalConvWithState")
def causal_convolution(call: Call) -> Out:
    """A convolution of each channel by itself over what is before; what the next step needs comes beside it."""
    batch, channels, length = call.shape(0)
    width = call.shape(1)[-1]
    macs = product((batch, channels, length, width))
    return several(((batch, channels, length), call.dtype()), ((batch, channels, width - 1), call.dtype()), macs=macs)


def split_heads(call: Call, shape: Shape, name: str) -> tuple[Size, Size, Size, Size]:
    """Return the shape with heads as a dimension of their own."""
    heads = call.integer(name)
    if heads < 1 or len(shape) != 3:
        undecided(f"{call.name}: {name} is {heads} for a tensor of {len(shape)} dimensions")
    return shape[0], heads, shape[1], shape[2] // heads


@operator("FusedMatMul", domain="com.microsoft")
def fused_product(call: Call) -> Out:
    """A product of batches of matrices, either of which may be transposed."""
    left, right = list(call.shape(0)), list(call.shape(1))
    for sizes, letter in ((left, "A"), (right, "B")):
        if call.integer(f"transBatch{letter}") and len(sizes) > 2:
            sizes[:-1] = [*sizes[1:-1], sizes[0]]
        if call.integer(f"trans{letter}") and len(sizes) > 1:
            sizes[-1], sizes[-2] = sizes[-2], sizes[-1]
    shape, macs = matmul(left, right, call.name)
    return one(shape, call.dtype(), macs=macs)


def rows_times(call: Call, features: Size) -> tuple[Shape, Any]:
    """Return the shape and the multiply-accumulates of rows times a weight that is stored in another form."""
    rows = call.shape(0)
    return (*rows[:-1], features), product(rows) * features
