"""Decompositions and systems of equations, transforms of signals, products of sparse matrices."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.size.dim import Size, floordiv, minimum, unknown_size
from cutaway.formats.graph_def.operators.registry import Call, Open, Out, rule
from cutaway.ops.elementwise import broadcast


def _matrix(call: Call, at: int = 0) -> tuple[tuple[Size, ...], Size, Size]:
    shape = call.shape(at)
    if len(shape) < 2:
        raise Open("a matrix was expected")
    return shape[:-2], shape[-2], shape[-1]


@rule("MatrixDeterminant", "BatchMatrixDeterminant")
def determinant(call: Call) -> Sequence[Out]:
    """Reduce each matrix to a number."""
    return [Out(_matrix(call)[0], call.value(0).dtype)]


@rule("LogMatrixDeterminant")
def log_determinant(call: Call) -> Sequence[Out]:
    """Reduce each matrix to a sign and a number."""
    batch = _matrix(call)[0]
    return [Out(batch, call.value(0).dtype), Out(batch, call.value(0).dtype)]


@rule("MatrixSolve", "MatrixTriangularSolve")
def solve(call: Call) -> Sequence[Out]:
    """Solve for each column of the second input."""
    left, right = _matrix(call), _matrix(call, 1)
    batch = left[0] if call.name == "MatrixSolve" else broadcast(call.name, left[0], right[0])
    return [Out((*batch, left[2], right[2]), call.value(0).dtype)]


@rule("TridiagonalSolve", "TridiagonalMatMul")
def tridiagonal(call: Call) -> Sequence[Out]:
    """Keep the shape of the right side."""
    return [Out(call.value(1 if call.name == "TridiagonalSolve" else 3).shape, call.value(0).dtype)]


@rule("Svd")
def singular_values(call: Call) -> Sequence[Out]:
    """Decompose into singular values and vectors."""
    batch, rows, columns = _matrix(call)
    less = minimum(rows, columns)
    kind = call.value(0).dtype
    if not call.node.flag("compute_uv", True):
        return [Out((*batch, less), kind), Out(None, kind), Out(None, kind)]
    whole = call.node.flag("full_matrices")
    left, right = (*batch, rows, rows if whole else less), (*batch, columns, columns if whole else less)
    return [Out((*batch, less), kind), Out(left, kind), Out(right, kind)]


@rule("Qr")
def orthogonal(call: Call) -> Sequence[Out]:
    """Decompose into an orthogonal and a triangular matrix."""
    batch, rows, columns = _matrix(call)
    less, kind = minimum(rows, columns), call.value(0).dtype
    whole = call.node.flag("full_matrices")
    inner = rows if whole else less
    return [Out((*batch, rows, inner), kind), Out((*batch, inner, columns), kind)]


@rule("SelfAdjointEigV2", "Eig")
def eigenvalues(call: Call) -> Sequence[Out]:
    """Decompose into eigenvalues and eigenvectors."""
    batch, rows, _columns = _matrix(call)
    kind = call.node.type("Tout") or call.value(0).dtype
    vectors = (*batch, rows, rows) if call.node.flag("compute_v", True) else None
    return [Out((*batch, rows), kind), Out(vectors, kind)]


@rule("Lu")
def triangular(call: Call) -> Sequence[Out]:
    """Decompose into triangular matrices, and the order of the rows."""
    batch, rows, columns = _matrix(call)
    return [
        Out((*batch, rows, columns), call.value(0).dtype),
        Out((*batch, rows), call.node.type("output_idx_type") or "int32"),
    ]


@rule("RFFT", "RFFT2D", "RFFT3D", "IRFFT", "IRFFT2D", "IRFFT3D")
def real_transform(call: Call) -> Sequence[Out]:
    """Transform real numbers to half of their spectrum, or back."""
    shape, lengths = call.shape(0), call.sizes(1)
    if not 0 < len(lengths) <= len(shape):
        raise Open("the lengths of the transform are not known")
    inverse = call.name.startswith("I")
    ends: list[Size] = list(lengths)
    if not inverse:
        ends[-1] = floordiv(ends[-1], 2) + 1
    kind = call.node.type("Treal" if inverse else "Tcomplex") or ("float32" if inverse else "complex64")
    return [Out((*shape[: len(shape) - len(ends)], *ends), kind)]


@rule("SparseTensorDenseMatMul")
def sparse_product(call: Call) -> Sequence[Out]:
    """Multiply a sparse matrix, given by indices, values and shape."""
    sizes, right = call.sizes(2), call.shape(3)
    if len(sizes) != 2 or len(right) != 2:
        raise Open("a matrix was expected")
    rows = sizes[1] if call.node.flag("adjoint_a") else sizes[0]
    columns = right[0] if call.node.flag("adjoint_b") else right[1]
    return [Out((rows, columns), call.value(3).dtype, macs=unknown_size())]
