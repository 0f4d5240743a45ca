"""Operations that choose, count, partition and put together elements, by numbers that may be known or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.core.size.dim import Size, minimum, unknown_size
from cutaway.formats.graph_def.operators.registry import Call, Open, Out, rule
from cutaway.formats.graph_def.value import MOST_NUMBERS, told


@rule("Where")
def where(call: Call) -> Sequence[Out]:
    """Return the positions of what is true: how many depends on the data."""
    return [Out((unknown_size(), len(call.shape(0))), "int64")]


@rule("Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2")
def unique(call: Call) -> Sequence[Out]:
    """Return distinct elements, and where each is."""
    kind = call.node.type("out_idx") or "int32"
    made = [Out((unknown_size(),), call.value(0).dtype), Out(call.value(0).shape, kind)]
    return [*made, Out((unknown_size(),), kind)] if call.name == "UniqueWithCounts" else made


@rule("ListDiff")
def difference(call: Call) -> Sequence[Out]:
    """Return the elements of the first list that are not in the second, and their places."""
    kind = call.node.type("out_idx") or "int32"
    left, right = call.value(0).whole(), call.value(1).whole()
    if left is None or right is None:
        return [Out((unknown_size(),), call.value(0).dtype), Out((unknown_size(),), kind)]
    places = tuple(at for at, each in enumerate(left) if each not in right)
    chosen = tuple(left[at] for at in places)
    return [Out((len(chosen),), call.value(0).dtype, chosen), Out((len(places),), kind, places)]


@rule("DynamicStitch", "ParallelDynamicStitch")
def stitched(call: Call) -> Sequence[Out]:
    """Put slices at places; there are as many as the largest place says."""
    half = len(call.inputs) // 2
    places, data = call.inputs[:half], call.inputs[half:]
    inner = next(
        (d.shape[len(p.shape) :] for p, d in zip(places, data) if p.shape is not None and d.shape is not None), None
    )
    if inner is None or not half:
        raise Open("the shape of an input is not known")
    known = [place.whole() for place in places]
    kind = data[0].dtype
    if any(each is None for each in known):
        return [Out((unknown_size(), *inner), kind)]
    count = max((at for each in known for at in each or ()), default=-1) + 1
    if count > MOST_NUMBERS:
        return [Out((count, *inner), kind)]
    numbers: list[Any] = [None] * count
    for each, value in zip(known, data):
        for at, number in zip(each or (), value.numbers or ()):
            if at >= 0:
                numbers[at] = number
    has_all = not inner and all(value.numbers is not None for value in data)
    return [Out((count, *inner), kind, tuple(numbers) if has_all else None)]


@rule("DynamicPartition")
def partitioned(call: Call) -> Sequence[Out]:
    """Distribute slices: how many go where depends on the data."""
    count = min(call.node.integer("num_partitions", 1), MOST_NUMBERS)  # no more of them are listed
    inner = call.shape(0)[len(call.shape(1)) :]
    return [Out((unknown_size(), *inner), call.value(0).dtype) for _ in range(count)]


@rule("InTopK", "InTopKV2")
def within_top(call: Call) -> Sequence[Out]:
    """Tell for each row whether its target is among the largest."""
    return [Out(call.value(1).shape, "bool")]


@rule("NthElement")
def nth(call: Call) -> Sequence[Out]:
    """Return one element of each row."""
    return [Out(call.shape(0)[:-1], call.value(0).dtype)]


@rule("LowerBound", "UpperBound")
def places(call: Call) -> Sequence[Out]:
    """Return where values belong in sorted rows."""
    return [Out(call.value(1).shape, call.node.type("out_type") or "int32")]


@rule("Bincount", "HistogramFixedWidth")
def counts(call: Call) -> Sequence[Out]:
    """Count elements by value."""
    at = 1 if call.name == "Bincount" else 2
    return [Out((call.sizes(at)[0],), call.inputs[-1].dtype if at == 1 else call.node.type("dtype") or "int32")]


@rule("DenseBincount")
def row_counts(call: Call) -> Sequence[Out]:
    """Count elements by value, in each row."""
    return [Out((*call.shape(0)[:-1], call.sizes(1)[0]), call.inputs[-1].dtype)]


@rule(
    "LogUniformCandidateSampler", "UniformCandidateSampler", "LearnedUnigramCandidateSampler",
    "FixedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler", "AllCandidateSampler",
)  # fmt: skip
def sampled(call: Call) -> Sequence[Out]:
    """Choose classes; return them, and how often these and the true ones are expected."""
    count = call.node.integer("num_sampled")
    return [Out((count,), "int64"), Out(call.value(0).shape, "float32"), Out((count,), "float32")]


@rule("ComputeAccidentalHits")
def hits(_call: Call) -> Sequence[Out]:
    """Return which of the chosen classes are true ones: how many depends on the data."""
    return [Out((unknown_size(),), "int32"), Out((unknown_size(),), "int64"), Out((unknown_size(),), "float32")]


@rule("CTCGreedyDecoder")
def decoded(call: Call) -> Sequence[Out]:
    """Return the best sequence of each row, as a sparse tensor, and its probability."""
    sequence = [Out((unknown_size(), 2), "int64"), Out((unknown_size(),), "int64"), Out((2,), "int64")]
    return [*sequence, Out((call.shape(0)[1], 1), call.value(0).dtype)]


@rule("IteratorGetNext", "IteratorGetNextSync", "DatasetToSingleElement", "OptionalGetValue", "ReduceDataset")
def next_elements(call: Call) -> Sequence[Out]:
    """Return what the iterator says that its elements are."""
    kinds = call.node.types("output_types")
    return [Out(told(shape), kind) for kind, shape in zip(kinds, call.node.shapes("output_shapes"))]


@rule("FakeParam", "ImmutableConst", "PlaceholderV2")
def stated(call: Call) -> Sequence[Out]:
    """Return a tensor of a shape that is a setting."""
    there, shape = call.node.shape()
    return [Out(told(shape) if there else None, call.node.type("dtype"))]


def _diagonals(call: Call) -> bool:
    """Tell whether it is the main diagonal alone, of a matrix that is as large as it needs to be."""
    return call.name in ("MatrixDiag", "MatrixDiagPart") or call.value(1).whole() in ([0], [0, 0])


@rule("MatrixDiag", "MatrixDiagV2", "MatrixDiagV3", "Diag")
def diagonal_matrix(call: Call) -> Sequence[Out]:
    """Put a vector on a diagonal."""
    known = call.shape(0)
    if call.name == "Diag":
        return [Out((*known, *known), call.value(0).dtype)]
    if not known or not _diagonals(call):
        raise Open("another diagonal than the main one")
    if call.name != "MatrixDiag":
        if any(call.value(at).number() != -1 for at in (2, 3)):
            raise Open("the size of the matrix is given")
    return [Out((*known, known[-1]), call.value(0).dtype)]


@rule("MatrixDiagPart", "MatrixDiagPartV2", "MatrixDiagPartV3", "DiagPart")
def diagonal(call: Call) -> Sequence[Out]:
    """Return a diagonal."""
    known = call.shape(0)
    if call.name == "DiagPart":
        return [Out(known[: len(known) // 2], call.value(0).dtype)]
    if len(known) < 2 or not _diagonals(call):
        raise Open("another diagonal than the main one")
    return [Out((*known[:-2], minimum(known[-2], known[-1])), call.value(0).dtype)]


@rule("RaggedRange")
def ragged_range(call: Call) -> Sequence[Out]:
    """Count in each row."""
    rows = next((shape[0] for shape in (value.shape for value in call.inputs) if shape), None)
    splits: Size = unknown_size() if rows is None else rows + 1
    return [Out((splits,), call.node.type("Tsplits") or "int64"), Out((unknown_size(),), call.value(0).dtype)]


@rule("RaggedTensorToTensor")
def padded(call: Call) -> Sequence[Out]:
    """Fill rows of different lengths up to a shape, or to that of the longest."""
    values = call.shape(1)
    partitions = call.node.strings("row_partition_types")
    rank = len(values) + len(partitions) - (partitions[:1] == ["FIRST_DIM_SIZE"])
    given = call.value(0).sizes() if call.value(0).shape != () else None
    if not partitions or (given is not None and len(given) != rank):
        raise Open("how many dimensions there are is not known")
    sizes = given or [-1] * rank
    known = tuple(size if type(size) is int and size >= 0 else unknown_size() for size in sizes)
    return [Out((*known[: rank - len(values) + 1], *values[1:]), call.value(1).dtype)]
