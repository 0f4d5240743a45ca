"""Solving linear equations: the solvers of `torch.linalg` and their older names in `torch`."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, minimum, product
from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.functional.argument import empty
from cutaway.knowledge.torch.linalg.decomposition import floating, names
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import DType, int32, int64
from cutaway.ops import layout, linalg
from cutaway.ops.elementwise import broadcast
from cutaway.ops.reshape import axes, text

_SolveEx = namedtuple("_SolveEx", ["result", "info"])
_Lstsq = namedtuple("_Lstsq", ["solution", "residuals", "rank", "singular_values"])
_TriangularSolve = namedtuple("_TriangularSolve", ["solution", "cloned_coefficient"])


def _same(name: str, A: Tensor, B: Tensor) -> DType:
    if empty(A.shape) or empty(B.shape):
        return A.dtype
    if A.dtype is not B.dtype:
        raise Fault(
            f"{name}: A and B must have the same dtype, but have {A.dtype} and {B.dtype}", FaultCode.DTYPE_MISMATCH
        )
    return floating(name, A)


def _solution(name: str, A: Tensor, B: Tensor, left: bool) -> Out:
    dtype = _same(name, A, B)
    linalg.square(A.shape, name)
    if not linalg.is_vector(A.shape, B.shape):
        return Out(linalg.solve(A.shape, B.shape, name, left), dtype)
    if not left:
        raise Fault(f"{name}: a vector B ({text(B.shape)}) can be solved only with left=True", FaultCode.SHAPE_MISMATCH)
    return Out(linalg.solve(A.shape, (*B.shape, 1), name)[:-1], dtype)


@op(*names("solve"), strided=True)
def solve(A, B, *, left=True):
    return _solution("linalg.solve", A, B, left)


@op(*names("solve_ex"), strided=True)
def solve_ex(A, B, *, left=True, check_errors=False):
    return _SolveEx(_solution("linalg.solve_ex", A, B, left), Out(A.shape[:-2], int32))


@op(*names("solve_triangular"), strided=True)
def solve_triangular(input, B, *, upper, left=True, unitriangular=False):
    dtype = input.dtype if empty(input.shape) or empty(B.shape) else floating("linalg.solve_triangular", input)
    shape = linalg.solve(input.shape, B.shape, "linalg.solve_triangular", left)
    return Out(shape, dtype, strides=layout.by_columns(shape))


@op("torch.triangular_solve", "torch.Tensor.triangular_solve", strided=True)
def triangular_solve(input, A, upper=True, transpose=False, unitriangular=False):
    dtype = _same("triangular_solve", A, input)
    shape = linalg.solve(A.shape, input.shape, "triangular_solve")
    return _TriangularSolve(Out(shape, dtype), Out((*shape[:-2], *A.shape[-2:]), dtype))


@op("torch.cholesky_solve", "torch.Tensor.cholesky_solve", strided=True)
def cholesky_solve(input, input2, upper=False):
    dtype = _same("cholesky_solve", input2, input)
    return Out(linalg.solve(input2.shape, input.shape, "cholesky_solve"), dtype)


def _pivots(name: str, factors: Tensor, pivots: Tensor) -> None:
    if pivots.dtype is not int32:
        raise Fault(f"{name}: pivots must be torch.int32, but is {pivots.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    linalg.square(factors.shape, name)
    if pivots.ndim != factors.ndim - 1 or any(equal(a, b) is False for a, b in zip(pivots.shape, factors.shape)):
        raise Fault(
            f"{name}: pivots {text(pivots.shape)} must have the shape {text(factors.shape[:-1])} of a factor's rows",
            FaultCode.SHAPE_MISMATCH,
        )


@op(*names("lu_solve"), strided=True)
def lu_solve(LU, pivots, B, *, left=True, adjoint=False):
    dtype = _same("linalg.lu_solve", LU, B)
    _pivots("linalg.lu_solve", LU, pivots)
    return Out(linalg.solve(LU.shape, B.shape, "linalg.lu_solve", left), dtype)


@op("torch.lu_solve", "torch.Tensor.lu_solve", strided=True)
def old_lu_solve(input, LU_data, LU_pivots):
    dtype = _same("lu_solve", LU_data, input)
    _pivots("lu_solve", LU_data, LU_pivots)
    return Out(linalg.solve(LU_data.shape, input.shape, "lu_solve"), dtype)


@op(*names("ldl_solve"), strided=True)
def ldl_solve(LD, pivots, B, *, hermitian=False):
    dtype = _same("linalg.ldl_solve", LD, B)
    linalg.square(LD.shape, "linalg.ldl_solve", "LD")
    return Out(linalg.solve(LD.shape, B.shape, "linalg.ldl_solve"), dtype)


@op(*names("lstsq"), strided=True)
def lstsq(input, b, rcond=None, *, driver=None):
    dtype = _same("linalg.lstsq", input, b)
    batch, rows, columns = linalg.matrix(input.shape, "linalg.lstsq")
    if not 0 <= input.ndim - b.ndim <= 1:
        raise Fault(
            f"linalg.lstsq: A has {input.ndim} dimensions, so B must have as many or one less, not {b.ndim}",
            FaultCode.WRONG_RANK,
        )
    vector = b.ndim < input.ndim
    right = (*b.shape, 1) if vector else tuple(b.shape)
    if equal(rows, right[-2]) is False:
        raise Fault(f"linalg.lstsq: A has {rows} rows, but B has {right[-2]}", FaultCode.SHAPE_MISMATCH)
    if driver is None:
        driver = "gelsy" if input.device.type == "cpu" else "gels"
    common = broadcast("linalg.lstsq", batch, right[:-2])
    solution = (*common, columns, right[-1])
    residuals: Any = (*common, right[-1]) if driver != "gelsy" and rows > columns else (0,)
    if driver in ("gelsd", "gelss") and rows > columns:
        residuals = Unknown("whether the matrix has full rank, as linalg.lstsq gives no residuals otherwise")
    return _Lstsq(
        Out(solution[:-1] if vector else solution, dtype),
        Out(residuals, dtype.to_real()),
        Out((0,) if driver == "gels" else batch, int64),
        Out((*batch, minimum(rows, columns)) if driver in ("gelsd", "gelss") else (0,), dtype.to_real()),
    )


@op(*names("tensorinv"), strided=True)
def tensorinv(input, ind=2):
    if ind <= 0:
        raise Fault(f"linalg.tensorinv: ind must be positive, but it is {ind}", FaultCode.INVALID_ARGUMENT)
    first, second = tuple(input.shape[:ind]), tuple(input.shape[ind:])
    if equal(product(first), product(second)) is False:
        raise Fault(
            f"linalg.tensorinv: the first {ind} dimensions of {text(input.shape)} hold {product(first)} elements, "
            f"but the others {product(second)}",
            FaultCode.SHAPE_MISMATCH,
        )
    return Out((*second, *first), floating("linalg.tensorinv", input))


@op(*names("tensorsolve"), strided=True)
def tensorsolve(input, other, dims=None):
    shape = list(input.shape)
    if dims is not None:
        moved = axes(dims, len(shape), "linalg.tensorsolve")
        shape = [s for i, s in enumerate(shape) if i not in moved] + [shape[i] for i in moved]
    solution = shape[other.ndim :]
    for what, elements in (("other", product(other.shape)), ("the other dimensions", product(shape[: other.ndim]))):
        if equal(elements, product(solution)) is False:
            raise Fault(
                f"linalg.tensorsolve: the last {len(solution)} dimensions of {text(shape)} hold {product(solution)} "
                f"elements, but {what} {elements}",
                FaultCode.SHAPE_MISMATCH,
            )
    return Out(solution, _same("linalg.tensorsolve", input, other))


@op(*names("vecdot"), strided=True)
def vecdot(x, y, *, dim=-1):
    if x.dtype is not y.dtype:
        raise Fault(
            f"linalg.vecdot: x and y must have the same dtype, but have {x.dtype} and {y.dtype}",
            FaultCode.DTYPE_MISMATCH,
        )
    floating("linalg.vecdot", x, low_precision=True)
    shape = broadcast("linalg.vecdot", x.shape, y.shape)
    if x.ndim == y.ndim == 1:  # torch takes the dot product whatever `dim` says
        dim = 0
    (position,) = axes([dim], len(shape), "linalg.vecdot")
    values = compute(lambda np, a, b: (np.conj(a) * b).sum(position), x, y) if shape else None
    return Out((*shape[:position], *shape[position + 1 :]), x.dtype, values)
