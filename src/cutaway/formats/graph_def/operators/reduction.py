"""Operations that reduce dimensions, and products of matrices."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.size.dim import Size, product, unknown_size
from cutaway.formats.graph_def.operators.registry import Call, Open, Out, rule
from cutaway.ops import einsum
from cutaway.ops.matmul import matmul
from cutaway.ops.reduce import reduced

_TRUTHS = ("Any", "All")


@rule("Sum", "Mean", "Max", "Min", "Prod", "Any", "All", "EuclideanNorm")
def reduction(call: Call) -> Sequence[Out]:
    """Reduce some axes."""
    keep = call.node.flag("keep_dims")
    dtype = "bool" if call.name in _TRUTHS else call.value(0).dtype
    rank = len(call.shape(0))
    if call.value(1).whole() is None and keep:
        return [Out(tuple(unknown_size() for _ in range(rank)), dtype)]
    axes = call.whole(1)
    over = sorted({call.within(axis, rank) for axis in axes})
    numbers = None
    held = call.value(0).numbers
    if held is not None and rank <= 1 and not any(each is None for each in held):
        known = [each for each in held if each is not None]
        if len(known) == 1 and call.name not in ("Any", "All", "EuclideanNorm"):
            numbers = (known[0],)
        elif over == [0] and call.name in ("Prod", "Sum"):
            numbers = (product(known) if call.name == "Prod" else sum(known),)
    return [Out(reduced(call.shape(0), over, keep), dtype, numbers)]


@rule("ArgMax", "ArgMin")
def arg(call: Call) -> Sequence[Out]:
    """Reduce one axis to positions."""
    axis = call.axis(1, len(call.shape(0)))
    return [Out(reduced(call.shape(0), [axis], False), call.node.type("output_type") or "int64")]


@rule("L2Loss")
def loss(call: Call) -> Sequence[Out]:
    """Reduce everything."""
    return [Out((), call.value(0).dtype)]


@rule("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "_FusedMatMul", "SparseMatMul")
def product_of_matrices(call: Call) -> Sequence[Out]:
    """Multiply matrices, either of which may be transposed."""
    batched = call.name.startswith("Batch")
    if not batched and (call.value(0).shape is None or call.value(1).shape is None):
        return [_partial_product(call)]
    left = _turned(call.shape(0), call.node.flag("adj_x" if batched else "transpose_a"))
    right = _turned(call.shape(1), call.node.flag("adj_y" if batched else "transpose_b"))
    shape, macs = matmul(left, right, call.name)
    return [Out(shape, call.node.type("Tout") or call.value(0).dtype, macs=macs)]


def _partial_product(call: Call) -> Out:
    """Return what is known of a product of two matrices, one of which is not."""
    sizes: list[Size] = []
    for at, setting in enumerate(("transpose_a", "transpose_b")):
        shape = call.value(at).shape
        if shape is None:
            sizes.append(unknown_size())
        elif len(shape) != 2:
            raise Open("a matrix was expected")
        else:
            sizes.append(_turned(shape, call.node.flag(setting))[at])
    return Out(tuple(sizes), call.node.type("Tout") or call.value(0).dtype, macs=unknown_size())


def _turned(shape: tuple[Size, ...], transposed: bool) -> tuple[Size, ...]:
    if len(shape) < 2:
        raise Open("a matrix was expected")
    return (*shape[:-2], shape[-1], shape[-2]) if transposed else shape


@rule("Einsum")
def einstein(call: Call) -> Sequence[Out]:
    """Sum by an equation."""
    shapes = [call.shape(at) for at in range(len(call.inputs))]
    equation = einsum.parse(call.node.string("equation"), [len(shape) for shape in shapes])
    extent = einsum.sizes(equation, shapes, call.name)
    return [Out(einsum.shape(equation, extent), call.value(0).dtype, macs=einsum.macs(equation, shapes))]


@rule("SegmentSum", "SegmentMean", "SegmentMax", "SegmentMin", "SegmentProd")
def segments(call: Call) -> Sequence[Out]:
    """Reduce rows to as many as the numbers say."""
    return [Out((unknown_size(), *call.shape(0)[1:]), call.value(0).dtype)]


@rule("UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd",
      "UnsortedSegmentJoin", "SegmentSumV2", "SegmentMaxV2", "SegmentMinV2", "SegmentProdV2")  # fmt: skip
def unsorted_segments(call: Call) -> Sequence[Out]:
    """Reduce rows to a number of segments that is given."""
    inner = call.shape(0)[len(call.shape(1)) :]
    return [Out((call.sizes(2)[0], *inner), call.value(0).dtype)]
