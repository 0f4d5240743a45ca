"""Matrix decompositions and functions of matrices: most of `torch.linalg` and its older names in `torch`."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from cutaway.core.fault import Fault, NotImplementedFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, minimum, product
from cutaway.knowledge.base.registry import own, register
from cutaway.knowledge.torch.functional.argument import empty
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import DType, int32, int64
from cutaway.ops import linalg
from cutaway.ops.elementwise import broadcast
from cutaway.ops.reshape import diagonal as diagonal_of
from cutaway.ops.reshape import integer, text


class LinAlgError(RuntimeError):
    """What torch raises for a singular matrix."""


register("torch.linalg.LinAlgError", LinAlgError)
register("torch._C._LinAlgError", LinAlgError)


def names(name: str, *others: str) -> tuple[str, ...]:
    """Return all names of a function of `torch.linalg`."""
    return (f"torch.linalg.{name}", f"torch._C._linalg.linalg_{name}", *others)


def floating(name: str, tensor: Tensor, low_precision: bool = False) -> DType:
    """Return the dtype, which must be floating or complex, and of full precision unless allowed."""
    dtype = tensor.dtype
    if empty(tensor.shape):
        return dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise Fault(f"{name}: expects a floating or complex tensor, but got {dtype}", FaultCode.UNSUPPORTED_DTYPE)
    if not low_precision and dtype.name not in ("float32", "float64", "complex64", "complex128"):
        raise Fault(f"{name}: {dtype} has too low a precision", FaultCode.UNSUPPORTED_DTYPE)
    return dtype


def _complex(dtype: DType) -> DType:
    return dtype if dtype.is_complex else dtype.to_complex()


# Functions that keep the shape of square matrices, and those that give a number for each.


def square(name: str, A: Tensor) -> Any:
    """Return batch, order and dtype of square matrices."""
    dtype = floating(name, A)
    return *linalg.square(A.shape, name), dtype


def _inverse(name: str, A: Tensor) -> Out:
    _, _, dtype = square(name, A)
    return Out(A.shape, dtype, None if empty(A.shape) else compute(lambda np, a: np.linalg.inv(a), A))


@op(*names("inv"), strided=True)
def inv(A):
    return _inverse("linalg.inv", A)


@op("torch.inverse", "torch.Tensor.inverse", strided=True)
def inverse(input):
    return _inverse("inverse", input)


@op(*names("matrix_exp"), "torch.matrix_exp", "torch.Tensor.matrix_exp", strided=True)
def matrix_exp(input):
    linalg.square(input.shape, "linalg.matrix_exp")
    return Out(input.shape, floating("linalg.matrix_exp", input, low_precision=True))


@op(*names("cholesky"), strided=True)
def linalg_cholesky(input, *, upper=False):
    _, _, dtype = square("linalg.cholesky", input)
    return Out(input.shape, dtype)


@op("torch.cholesky", "torch.Tensor.cholesky", strided=True)
def cholesky(input, upper=False):
    if empty(input.shape):
        return Out(input.shape, input.dtype)
    _, _, dtype = square("cholesky", input)
    return Out(input.shape, dtype)


@op("torch.cholesky_inverse", "torch.Tensor.cholesky_inverse", strided=True)
def cholesky_inverse(input, upper=False):
    linalg.square(input.shape, "cholesky_inverse")
    return Out(input.shape, floating("cholesky_inverse", input))


def _determinant(name: str, A: Tensor) -> Out:
    batch, _, dtype = square(name, A)
    return Out(batch, dtype, None if empty(A.shape) else compute(lambda np, a: np.linalg.det(a), A))


@op(*names("det"), strided=True)
def linalg_det(A):
    return _determinant("linalg.det", A)


@op("torch.det", "torch.Tensor.det", strided=True)
def det(input):
    return _determinant("det", input)


@op("torch.logdet", "torch.Tensor.logdet", strided=True)
def logdet(input):
    batch, _, dtype = square("logdet", input)
    return Out(batch, dtype)


def result(name: str, *fields: str) -> Any:
    """Return the class of results with several tensors, which torch names."""
    return own(namedtuple(name, fields))


_Slogdet = result("slogdet", "sign", "logabsdet")
_CholeskyEx = result("linalg_cholesky_ex", "L", "info")
_InvEx = result("linalg_inv_ex", "inverse", "info")
_Eig = result("linalg_eig", "eigenvalues", "eigenvectors")
_Svd = result("linalg_svd", "U", "S", "Vh")
_OldSvd = result("svd", "U", "S", "V")
_Qr = result("linalg_qr", "Q", "R")
_Geqrf = result("geqrf", "a", "tau")


def _log_determinant(name: str, A: Tensor) -> Any:
    batch, _, dtype = square(name, A)
    return _Slogdet(Out(batch, dtype), Out(batch, dtype.to_real()))


@op(*names("slogdet"), strided=True)
def linalg_slogdet(A):
    return _log_determinant("linalg.slogdet", A)


@op("torch.slogdet", "torch.Tensor.slogdet", strided=True)
def slogdet(input):
    return _log_determinant("slogdet", input)


@op(*names("cholesky_ex"), strided=True)
def cholesky_ex(input, *, upper=False, check_errors=False):
    batch, _, dtype = square("linalg.cholesky_ex", input)
    return _CholeskyEx(Out(input.shape, dtype), Out(batch, int32))


@op(*names("inv_ex"), strided=True)
def inv_ex(A, *, check_errors=False):
    batch, _, dtype = square("linalg.inv_ex", A)
    return _InvEx(Out(A.shape, dtype), Out(batch, int32))


@op(*names("eig"), strided=True)
def eig(input):
    batch, order, dtype = square("linalg.eig", input)
    return _Eig(Out((*batch, order), _complex(dtype)), Out(input.shape, _complex(dtype)))


@op(*names("eigvals"), strided=True)
def eigvals(input):
    batch, order, dtype = square("linalg.eigvals", input)
    return Out((*batch, order), _complex(dtype))


def _triangle(name: str, UPLO: Any) -> None:
    if isinstance(UPLO, str) and UPLO.upper() not in ("L", "U"):
        raise Fault(f"{name}: UPLO must be 'L' or 'U', but it is {UPLO!r}", FaultCode.INVALID_ARGUMENT)


@op(*names("eigh"), strided=True)
def eigh(input, UPLO="L"):
    _triangle("linalg.eigh", UPLO)
    batch, order, dtype = square("linalg.eigh", input)
    return _Eig(Out((*batch, order), dtype.to_real()), Out(input.shape, dtype))


@op(*names("eigvalsh"), strided=True)
def eigvalsh(input, UPLO="L"):
    _triangle("linalg.eigvalsh", UPLO)
    batch, order, dtype = square("linalg.eigvalsh", input)
    return Out((*batch, order), dtype.to_real())


@op(*names("matrix_power"), "torch.matrix_power", "torch.Tensor.matrix_power", strided=True)
def matrix_power(input, n):
    batch, order = linalg.square(input.shape, "linalg.matrix_power")
    if integer(n, "matrix_power: n") < 0:
        floating("linalg.matrix_power", input)
    macs = linalg.power_products(n) * product(batch) * order * order * order
    # Of an inverse the numbers are not kept: near a singular matrix they are noise.
    values = compute(lambda np, a, n: np.linalg.matrix_power(a, n), input, n) if n >= 0 else None
    return Out(input.shape, input.dtype, values, macs=macs)


# Decompositions.


@op(*names("svd"), strided=True)
def linalg_svd(A, full_matrices=True, *, driver=None):
    dtype = floating("linalg.svd", A)
    u, s, vh = linalg.svd(A.shape, full_matrices, "linalg.svd")
    return _Svd(Out(u, dtype), Out(s, dtype.to_real()), Out(vh, dtype))


@op(*names("svdvals"), strided=True)
def svdvals(A, *, driver=None):
    dtype = floating("linalg.svdvals", A)
    return Out(linalg.svd(A.shape, False, "linalg.svdvals")[1], dtype.to_real())


@op("torch.svd", "torch.Tensor.svd", strided=True)
def svd(input, some=True, compute_uv=True):
    dtype = floating("svd", input)
    u, s, vh = linalg.svd(input.shape, not some or not compute_uv, "svd")
    return _OldSvd(Out(u, dtype), Out(s, dtype.to_real()), Out((*vh[:-2], vh[-1], vh[-2]), dtype))


@op(*names("qr"), strided=True)
def linalg_qr(A, mode="reduced"):
    if mode not in ("reduced", "complete", "r"):
        raise Fault(
            f"linalg.qr: mode must be 'reduced', 'complete' or 'r', but it is {mode!r}", FaultCode.INVALID_ARGUMENT
        )
    dtype = floating("linalg.qr", A)
    q, r = linalg.qr(A.shape, mode, "linalg.qr")
    return _Qr(Out(q, dtype), Out(r, dtype))


@op("torch.qr", "torch.Tensor.qr", strided=True)
def qr(input, some=True):
    dtype = floating("qr", input)
    q, r = linalg.qr(input.shape, "reduced" if some else "complete", "qr")
    return _Qr(Out(q, dtype), Out(r, dtype))


@op("torch.geqrf", "torch.Tensor.geqrf", strided=True)
def geqrf(input):
    batch, rows, columns = linalg.matrix(input.shape, "geqrf")
    dtype = floating("geqrf", input)
    return _Geqrf(Out(input.shape, dtype), Out((*batch, minimum(rows, columns)), dtype))


def _reflected(name: str, input: Tensor, tau: Tensor) -> Out:
    _, rows, columns = linalg.matrix(input.shape, name)
    if equal(rows, columns) is False and rows < columns:
        raise Fault(
            f"{name}: input needs at least as many rows as columns, but it is {rows} by {columns}",
            FaultCode.SHAPE_MISMATCH,
        )
    if tau.ndim != input.ndim - 1:
        raise Fault(
            f"{name}: tau must have one dimension less than input, but they are {text(tau.shape)} and "
            f"{text(input.shape)}",
            FaultCode.WRONG_RANK,
        )
    return Out(input.shape, floating(name, input))


@op(*names("householder_product"), strided=True)
def householder_product(input, tau):
    return _reflected("linalg.householder_product", input, tau)


@op("torch.orgqr", "torch.Tensor.orgqr", strided=True)
def orgqr(input, input2):
    return _reflected("orgqr", input, input2)


@op("torch.ormqr", "torch.Tensor.ormqr", strided=True)
def ormqr(input, input2, input3, left=True, transpose=False):
    linalg.matrix(input.shape, "ormqr", "input")
    linalg.matrix(input3.shape, "ormqr", "input3")
    facing = input3.shape[-2 if left else -1]
    if equal(input.shape[-2], facing) is False:
        which = "rows" if left else "columns"
        raise Fault(
            f"ormqr: input has {input.shape[-2]} rows, but input3 has {facing} {which}", FaultCode.SHAPE_MISMATCH
        )
    return Out(input3.shape, floating("ormqr", input))


# Others.


@op(*names("diagonal"), strided=True)
def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    first, second, shape = diagonal_of(A.shape, offset, dim1, dim2)
    values = compute(lambda np, a, k: np.diagonal(a, k, first, second), A, offset)
    return Out(shape, A.dtype, values, view=True)


@op(*names("cond"), strided=True)
def cond(input, p=None):
    dtype = floating("linalg.cond", input)
    batch, _, _ = linalg.matrix(input.shape, "linalg.cond")
    if p not in (None, 2, -2):
        linalg.square(input.shape, "linalg.cond")
    return Out(batch, dtype.to_real())


@op(*names("matrix_rank"), strided=True)
def matrix_rank(input, tol=None, hermitian=False, *, atol=None, rtol=None):
    batch, _, _ = linalg.matrix(input.shape, "linalg.matrix_rank")
    floating("linalg.matrix_rank", input)
    if empty(input.shape):
        return Out(batch, int64)
    if hermitian:
        linalg.square(input.shape, "linalg.matrix_rank")
    return Out(_with_tolerances("linalg.matrix_rank", batch, tol, atol, rtol), int64)


def _with_tolerances(name: str, batch: Any, *tolerances: Any) -> Any:
    """Return the batch shape that results where tolerances are given for each matrix."""
    return broadcast(name, batch, *(t.shape for t in tolerances if isinstance(t, Tensor)))


def _pinv(name: str, input: Tensor, hermitian: Any, *tolerances: Any) -> Out:
    batch, rows, columns = linalg.matrix(input.shape, name)
    if not empty(input.shape):
        if hermitian:
            linalg.square(input.shape, name)
        batch = _with_tolerances(name, batch, *tolerances)
    return Out((*batch, columns, rows), floating(name, input))


@op(*names("pinv"), strided=True)
def pinv(input, rcond=None, hermitian=False, *, atol=None, rtol=None):
    return _pinv("linalg.pinv", input, hermitian, rcond, atol, rtol)


@op("torch.pinverse", "torch.Tensor.pinverse", strided=True)
def pinverse(input, rcond=1e-15):
    return _pinv("pinverse", input, False, rcond)


@op(*names("vander"), strided=True)
def vander(x, *, N=None):
    if x.dtype.name in ("bool", "float16", "bfloat16"):
        raise Fault(f"linalg.vander: {x.dtype} is not supported", FaultCode.UNSUPPORTED_DTYPE)
    shape = x.shape or (1,)
    columns = shape[-1] if N is None else N
    if isinstance(columns, int) and columns < 2:
        raise Fault(f"linalg.vander: N must be greater than 1, but it is {columns}", FaultCode.INVALID_ARGUMENT)
    dtype = x.dtype if x.dtype.is_floating_point or x.dtype.is_complex else int64
    values = compute(lambda np, a, n: a[..., None] ** np.arange(n), x, columns)
    return Out((*shape, columns), dtype, values)


def _removed(name: str, replacement: str) -> None:
    @op(f"torch.{name}", strided=True)
    def removed(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedFault(f"torch.{name} was removed; use {replacement}", FaultCode.REMOVED_FUNCTION)


for _name, _replacement in {
    "eig": "torch.linalg.eig",
    "symeig": "torch.linalg.eigh",
    "lstsq": "torch.linalg.lstsq",
    "solve": "torch.linalg.solve",
    "matrix_rank": "torch.linalg.matrix_rank",
}.items():
    _removed(_name, _replacement)
