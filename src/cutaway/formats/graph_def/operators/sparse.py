"""Sparse tensors, which are three tensors: indices, values and a shape; and examples that are parsed into such."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.size.dim import Size, unknown_size
from cutaway.formats.graph_def.operators.registry import Call, Open, Out, rule
from cutaway.formats.graph_def.value import Shape, told


def sparse_tensor(rank: Size, count: Size, kind: str | None, sizes: tuple[Size, ...] | None = None) -> list[Out]:
    """Return the indices, the values and the shape of a sparse tensor."""
    return [Out((count, rank), "int64"), Out((count,), kind), Out((rank,), "int64", sizes)]


def _rank(call: Call, indices: int, sizes: int) -> Size:
    """Return the number of dimensions of a sparse tensor."""
    shape = call.value(sizes).shape
    if shape is not None and len(shape) == 1:
        return shape[0]
    shape = call.value(indices).shape
    if shape is not None and len(shape) == 2:
        return shape[1]
    return unknown_size()


def _count(call: Call, values: int, indices: int) -> Size:
    for at in (values, indices):
        shape = call.value(at).shape
        if shape:
            return shape[0]
    return unknown_size()


@rule("SparseToDense")
def dense(call: Call) -> Sequence[Out]:
    """Return a dense tensor of a shape that is given."""
    return [Out(tuple(call.sizes(1)), call.value(2).dtype)]


@rule("SparseReorder")
def reordered(call: Call) -> Sequence[Out]:
    """Put the elements in order."""
    return [Out(call.value(0).shape, "int64"), Out(call.value(1).shape, call.value(1).dtype)]


@rule("SparseReshape")
def reshaped(call: Call) -> Sequence[Out]:
    """Give the elements places in another shape."""
    wanted = call.value(2).shape
    if wanted is None or len(wanted) != 1:
        raise Open("the new shape is not known")
    sizes = call.value(2).whole()
    numbers = tuple(sizes) if sizes is not None and all(size >= 0 for size in sizes) else None
    first = call.value(0).shape
    return [Out((first[0] if first else unknown_size(), wanted[0]), "int64"), Out((wanted[0],), "int64", numbers)]


@rule("SparseFillEmptyRows")
def filled_rows(call: Call) -> Sequence[Out]:
    """Put a value into each row that has none."""
    sizes = call.value(2).sizes()
    rows = sizes[0] if sizes else unknown_size()
    count = unknown_size()
    before = call.value(1).shape
    return [
        Out((count, _rank(call, 0, 2)), "int64"),
        Out((count,), call.value(1).dtype),
        Out((rows,), "bool"),
        Out((before[0] if before else unknown_size(),), "int64"),
    ]


@rule("SparseAdd", "SparseSlice")
def combined(call: Call) -> Sequence[Out]:
    """Make a sparse tensor of the same number of dimensions."""
    return sparse_tensor(_rank(call, 0, 2), unknown_size(), call.value(1).dtype)


@rule("SparseConcat")
def joined(call: Call) -> Sequence[Out]:
    """Join sparse tensors."""
    parts = call.node.integer("N")
    if not 0 < parts <= len(call.inputs) // 3:
        raise Open("it has fewer inputs than it says")
    return sparse_tensor(_rank(call, 0, 2 * parts), unknown_size(), call.value(parts).dtype)


@rule("SparseSplit")
def cut(call: Call) -> Sequence[Out]:
    """Cut a sparse tensor."""
    parts = call.node.integer("num_split", 1)
    if not 0 < parts <= 64:
        raise Open("there are too many parts")
    made = [sparse_tensor(_rank(call, 1, 3), unknown_size(), call.value(2).dtype) for _ in range(parts)]
    return [each[at] for at in range(3) for each in made]


@rule("SparseCross", "SparseCrossV2", "SparseCrossHashed")
def crossed(call: Call) -> Sequence[Out]:
    """Combine features: each row is a batch of strings or hashes."""
    kind = call.node.type("out_type") or ("int64" if call.name == "SparseCrossHashed" else "string")
    return sparse_tensor(2, unknown_size(), kind)


@rule("SparseSoftmax", "SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv")
def values(call: Call) -> Sequence[Out]:
    """Compute values for the same places."""
    return [Out(call.value(1).shape, call.value(1).dtype)]


@rule("SparseTensorDenseAdd")
def added(call: Call) -> Sequence[Out]:
    """Add to a dense tensor."""
    return [Out(call.value(3).shape, call.value(3).dtype)]


@rule("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN")
def segments(call: Call) -> Sequence[Out]:
    """Reduce chosen rows: how many segments there are depends on the data."""
    return [Out((unknown_size(), *call.shape(0)[1:]), call.value(0).dtype)]


@rule("SparseSegmentSumWithNumSegments", "SparseSegmentMeanWithNumSegments", "SparseSegmentSqrtNWithNumSegments")
def counted_segments(call: Call) -> Sequence[Out]:
    """Reduce chosen rows to a number of segments that is given."""
    return [Out((call.sizes(3)[0], *call.shape(0)[1:]), call.value(0).dtype)]


@rule("ParseExample", "ParseExampleV2", "ParseSingleExample")
def parsed(call: Call) -> Sequence[Out]:
    """Return the features of examples, the sparse ones before the dense ones."""
    node = call.node
    single = call.name == "ParseSingleExample"
    batch: Shape = () if single else call.value(0).shape
    kinds = node.types("sparse_types")
    rank = 1 if single else unknown_size() if batch is None else len(batch) + 1
    sparse = [sparse_tensor(rank, unknown_size(), kind) for kind in kinds]
    made = [each[at] for at in range(3) for each in sparse]
    for kind, shape in zip(node.types("Tdense"), node.shapes("dense_shapes")):
        inner = told(shape)
        made.append(Out(None if inner is None or batch is None else (*batch, *inner), kind))
    made += [Out((unknown_size(),), kind) for kind in node.types("ragged_value_types")]
    return made + [Out((unknown_size(),), kind) for kind in node.types("ragged_split_types")]
