"""Ragged tensors, sets, n-grams and characters: how many elements they have depends on the data."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.size.dim import Size, unknown_size
from cutaway.formats.graph_def.operators.registry import Call, Open, Out, rule
from cutaway.formats.graph_def.operators.sparse import sparse_tensor


def _rows(call: Call, splits: int) -> Size:
    """Return how many row splits there are."""
    shape = call.value(splits).shape
    return shape[0] if shape else unknown_size()


@rule("UnicodeDecode", "UnicodeDecodeWithOffsets")
def characters(call: Call) -> Sequence[Out]:
    """Decode strings into characters: the splits of rows, the characters, and where each starts."""
    strings = call.value(0).shape
    count = unknown_size()
    splits = Out((strings[0] + 1 if strings else unknown_size(),), call.node.type("Tsplits") or "int64")
    made = [splits, Out((count,), "int32")]
    return made if call.name == "UnicodeDecode" else [*made, Out((count,), "int64")]


@rule("UnicodeEncode")
def encoded(call: Call) -> Sequence[Out]:
    """Join characters to strings, one for each row."""
    return [Out((_rows(call, 1) - 1,), "string")]


@rule("StringNGrams")
def n_grams(call: Call) -> Sequence[Out]:
    """Join neighbours within each row."""
    return [Out((unknown_size(),), "string"), Out((_rows(call, 1),), call.node.type("Tsplits") or "int64")]


@rule("RaggedGather")
def gathered(call: Call) -> Sequence[Out]:
    """Choose rows of a ragged tensor by indices of any number of dimensions."""
    nested = call.node.integer("PARAMS_RAGGED_RANK", 1)
    made = call.node.integer("OUTPUT_RAGGED_RANK", 1)
    indices, values = call.value(-1).shape, call.value(nested).shape
    if indices is None or values is None or not 0 < made <= 64:
        raise Open("the shape of an input is not known")
    splits: list[Out] = []
    count: Size = indices[0] if indices else unknown_size()
    for at in range(made):
        # The rows of the outer dimensions are those of the indices.
        splits.append(Out((count + 1 if at < len(indices) else unknown_size(),), call.value(0).dtype))
        count = count * indices[at + 1] if at + 1 < len(indices) else unknown_size()
    return [*splits, Out((unknown_size(), *values[1:]), call.value(nested).dtype)]


@rule("RaggedTensorToSparse")
def to_sparse(call: Call) -> Sequence[Out]:
    """Return the elements with their places."""
    nested = call.node.integer("RAGGED_RANK", 1)
    values = call.value(nested).shape
    if values is None:
        raise Open("the shape of an input is not known")
    count: Size = 1
    for size in values:
        count = count * size
    return sparse_tensor(nested + len(values), count, call.value(nested).dtype)


@rule("RaggedTensorToVariant")
def packed(call: Call) -> Sequence[Out]:
    """Put a ragged tensor, or each of its rows, into a variant."""
    rows = (_rows(call, 0) - 1,) if call.node.flag("batched_input") else ()
    return [Out(rows, "variant")]


@rule("RaggedTensorFromVariant")
def unpacked(call: Call) -> Sequence[Out]:
    """Take a ragged tensor out of variants; what shape the elements have is not stated."""
    made = call.node.integer("output_ragged_rank", 1)
    if not 0 <= made <= 64:
        raise Open("there are too many parts")
    held = call.value(0).shape
    first = held[0] + 1 if held is not None and len(held) == 1 else unknown_size()
    splits = [Out((first if not at else unknown_size(),), call.node.type("Tsplits") or "int64") for at in range(made)]
    return [*splits, Out(None, call.node.type("Tvalues"))]


@rule("RaggedBincount")
def counted_rows(call: Call) -> Sequence[Out]:
    """Count whole numbers in each row."""
    return [Out((_rows(call, 0) - 1, call.sizes(2)[0]), call.value(3).dtype)]


@rule("SparseBincount")
def counted(call: Call) -> Sequence[Out]:
    """Count whole numbers in each row of a sparse tensor."""
    bins, sizes = call.sizes(3)[0], call.sizes(2)
    return [Out((bins,) if len(sizes) == 1 else (sizes[0], bins), call.value(4).dtype)]


@rule("DenseCountSparseOutput", "SparseCountSparseOutput", "RaggedCountSparseOutput")
def counts(call: Call) -> Sequence[Out]:
    """Count whole numbers, with the counts in a sparse tensor."""
    weights = call.value({"Dense": 1, "Sparse": 3, "Ragged": 2}[call.name.partition("Count")[0]])
    if call.name.startswith("Ragged"):
        rank: Size = 2
    elif call.name.startswith("Dense"):
        rank = len(call.shape(0))
    else:
        rank = call.shape(2)[0]
    return sparse_tensor(rank, unknown_size(), call.node.type("output_type") or weights.dtype)


@rule("RaggedFillEmptyRows")
def filled(call: Call) -> Sequence[Out]:
    """Put a value into each row that has none."""
    rows, count = call.sizes(2)[0], unknown_size()
    before = call.value(0).shape
    return [
        Out((count,), "int64"),
        Out((count,), call.value(1).dtype),
        Out((rows,), "bool"),
        Out((before[0] if before else unknown_size(),), "int64"),
    ]


@rule("RaggedFillEmptyRowsGrad", "SparseFillEmptyRowsGrad")
def filled_gradient(call: Call) -> Sequence[Out]:
    """Return the gradients of the values and of the one that was put in."""
    return [Out(call.value(0).shape, call.value(1).dtype), Out((), call.value(1).dtype)]


@rule("DenseToDenseSetOperation", "DenseToSparseSetOperation", "SparseToSparseSetOperation")
def sets(call: Call) -> Sequence[Out]:
    """Compare the sets in the last dimension."""
    if call.name.startswith("Dense"):
        rank: Size = len(call.shape(0))
    else:
        rank = call.shape(2)[0]
    return sparse_tensor(rank, unknown_size(), call.node.type("T"))


@rule("SetSize")
def set_size(call: Call) -> Sequence[Out]:
    """Count the elements of the sets in the last dimension of a sparse tensor."""
    return [Out(tuple(call.sizes(2)[:-1]), "int32")]


@rule("EditDistance")
def edit_distance(call: Call) -> Sequence[Out]:
    """Compare the sequences in the last dimension of two sparse tensors."""
    first, second = call.sizes(2), call.sizes(5)
    if len(first) != len(second) or not all(isinstance(size, int) for size in (*first, *second)):
        raise Open("the sizes of the sequences are not known")
    return [Out(tuple(max(a, b) for a, b in zip(first[:-1], second[:-1])), "float32")]  # type: ignore[type-var]


@rule("SparseReduceSum", "SparseReduceMax")
def reduced(call: Call) -> Sequence[Out]:
    """Reduce a sparse tensor to a dense one."""
    sizes = call.sizes(2)
    axes = {call.within(axis, len(sizes)) for axis in call.whole(3)}
    if call.node.flag("keep_dims"):
        return [Out(tuple(1 if at in axes else size for at, size in enumerate(sizes)), call.value(1).dtype)]
    return [Out(tuple(size for at, size in enumerate(sizes) if at not in axes), call.value(1).dtype)]


@rule("SparseSparseMaximum", "SparseSparseMinimum")
def combined(call: Call) -> Sequence[Out]:
    """Combine two sparse tensors."""
    count = unknown_size()
    sizes = call.value(2).shape
    return [Out((count, sizes[0] if sizes else unknown_size()), "int64"), Out((count,), call.value(1).dtype)]


@rule("CTCBeamSearchDecoder")
def beam_search(call: Call) -> Sequence[Out]:
    """Decode the likeliest sequences of labels."""
    paths = call.node.integer("top_paths", 1)
    if not 0 < paths <= 64:
        raise Open("there are too many paths")
    made = [sparse_tensor(2, unknown_size(), "int64") for _ in range(paths)]
    return [*(each[at] for at in range(3) for each in made), Out((call.shape(0)[1], paths), call.value(0).dtype)]
