"""Matrix decompositions and functions of matrices: most of `torch.linalg` and its older names in `torch`."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from cutaway.core.dim import equal, minimum, product
from cutaway.core.fault import Fault, NotImplementedFault
from cutaway.knowledge.registry import register
from cutaway.knowledge.torch.functional.argument import empty
from cutaway.knowledge.torch.op import Out, compute, op
from cutaway.knowledge.torch.tensor import Tensor
from cutaway.knowledge.torch.types import DType, int32, int64
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
        raise Fault(f"{name}: expects a floating or complex tensor, but got {dtype}", "dtype-mismatch")
    if not low_precision and dtype.name not in ("float32", "float64", "complex64", "complex128"):
        raise Fault(f"{name}: {dtype} has too low a precision", "dtype-mismatch")
    return dtype


def _complex(dtype: DType) -> DType:
    return dtype if dtype.is_complex else dtype.to_complex()


# Functions that keep the shape of square matrices, and those that give a number for each.


def _square(name: str, A: Tensor) -> Any:
    dtype = floating(name, A)
    return *linalg.square(A.shape, name), dtype


@op(*names("inv"), "torch.inverse", "torch.Tensor.inverse")
def inv(A):
    _, _, dtype = _square("linalg.inv", A)
    return Out(A.shape, dtype, None if empty(A.shape) else compute(lambda np, a: np.linalg.inv(a), A))


@op(*names("matrix_exp"), "torch.matrix_exp", "torch.Tensor.matrix_exp")
def matrix_exp(input):
    linalg.square(input.shape, "linalg.matrix_exp")
    return Out(input.shape, floating("linalg.matrix_exp", input, low_precision=True))


@op(*names("cholesky"))
def linalg_cholesky(input, *, upper=False):
    _, _, dtype = _square("linalg.cholesky", input)
    return Out(input.shape, dtype)


@op("torch.cholesky", "torch.Tensor.cholesky")
def cholesky(input, upper=False):
    if empty(input.shape):
        return Out(input.shape, input.dtype)
    _, _, dtype = _square("cholesky", input)
    return Out(input.shape, dtype)


@op("torch.cholesky_inverse", "torch.Tensor.cholesky_inverse")
def cholesky_inverse(input, upper=False):
    linalg.square(input.shape, "cholesky_inverse")
    return Out(input.shape, floating("cholesky_inverse", input))


@op(*names("det"), "torch.det", "torch.Tensor.det")
def det(A):
    batch, _, dtype = _square("linalg.det", A)
    return Out(batch, dtype, None if empty(A.shape) else compute(lambda np, a: np.linalg.det(a), A))


@op("torch.logdet", "torch.Tensor.logdet")
def logdet(input):
    batch, _, dtype = _square("logdet", input)
    return Out(batch, dtype)


def _result(name: str, *fields: str) -> Any:
    return namedtuple(name, fields)


_Slogdet = _result("slogdet", "sign", "logabsdet")
_CholeskyEx = _result("linalg_cholesky_ex", "L", "info")
_InvEx = _result("linalg_inv_ex", "inverse", "info")
_Eig = _result("linalg_eig", "eigenvalues", "eigenvectors")
_Svd = _result("linalg_svd", "U", "S", "Vh")
_OldSvd = _result("svd", "U", "S", "V")
_Qr = _result("linalg_qr", "Q", "R")
_Lu = _result("linalg_lu", "P", "L", "U")
_LuFactor = _result("linalg_lu_factor", "LU", "pivots")
_LuFactorEx = _result("linalg_lu_factor_ex", "LU", "pivots", "info")
_LuWithInfo = _result("_lu_with_info", "LU", "pivots", "info")
_LdlFactor = _result("linalg_ldl_factor", "LD", "pivots")
_LdlFactorEx = _result("linalg_ldl_factor_ex", "LD", "pivots", "info")
_Geqrf = _result("geqrf", "a", "tau")


@op(*names("slogdet"), "torch.slogdet", "torch.Tensor.slogdet")
def slogdet(A):
    batch, _, dtype = _square("linalg.slogdet", A)
    return _Slogdet(Out(batch, dtype), Out(batch, dtype.to_real()))


@op(*names("cholesky_ex"))
def cholesky_ex(input, *, upper=False, check_errors=False):
    batch, _, dtype = _square("linalg.cholesky_ex", input)
    return _CholeskyEx(Out(input.shape, dtype), Out(batch, int32))


@op(*names("inv_ex"))
def inv_ex(A, *, check_errors=False):
    batch, _, dtype = _square("linalg.inv_ex", A)
    return _InvEx(Out(A.shape, dtype), Out(batch, int32))


@op(*names("eig"))
def eig(input):
    batch, order, dtype = _square("linalg.eig", input)
    return _Eig(Out((*batch, order), _complex(dtype)), Out(input.shape, _complex(dtype)))


@op(*names("eigvals"))
def eigvals(input):
    batch, order, dtype = _square("linalg.eigvals", input)
    return Out((*batch, order), _complex(dtype))


def _triangle(name: str, UPLO: Any) -> None:
    if isinstance(UPLO, str) and UPLO.upper() not in ("L", "U"):
        raise Fault(f"{name}: UPLO must be 'L' or 'U', but it is {UPLO!r}", "invalid-argument")


@op(*names("eigh"))
def eigh(input, UPLO="L"):
    _triangle("linalg.eigh", UPLO)
    batch, order, dtype = _square("linalg.eigh", input)
    return _Eig(Out((*batch, order), dtype.to_real()), Out(input.shape, dtype))


@op(*names("eigvalsh"))
def eigvalsh(input, UPLO="L"):
    _triangle("linalg.eigvalsh", UPLO)
    batch, order, dtype = _square("linalg.eigvalsh", input)
    return Out((*batch, order), dtype.to_real())


@op(*names("matrix_power"), "torch.matrix_power", "torch.Tensor.matrix_power")
def matrix_power(input, n):
    batch, order = linalg.square(input.shape, "linalg.matrix_power")
    if integer(n, "matrix_power: n") < 0:
        floating("linalg.matrix_power", input)
    macs = linalg.power_products(n) * product(batch) * order * order * order
    return Out(input.shape, input.dtype, compute(lambda np, a, n: np.linalg.matrix_power(a, n), input, n), macs=macs)


# Decompositions.


@op(*names("svd"))
def linalg_svd(A, full_matrices=True, *, driver=None):
    dtype = floating("linalg.svd", A)
    u, s, vh = linalg.svd(A.shape, full_matrices, "linalg.svd")
    return _Svd(Out(u, dtype), Out(s, dtype.to_real()), Out(vh, dtype))


@op(*names("svdvals"))
def svdvals(A, *, driver=None):
    dtype = floating("linalg.svdvals", A)
    return Out(linalg.svd(A.shape, False, "linalg.svdvals")[1], dtype.to_real())


@op("torch.svd", "torch.Tensor.svd")
def svd(input, some=True, compute_uv=True):
    dtype = floating("svd", input)
    u, s, vh = linalg.svd(input.shape, not some or not compute_uv, "svd")
    return _OldSvd(Out(u, dtype), Out(s, dtype.to_real()), Out((*vh[:-2], vh[-1], vh[-2]), dtype))


@op(*names("qr"))
def linalg_qr(A, mode="reduced"):
    if mode not in ("reduced", "complete", "r"):
        raise Fault(f"linalg.qr: mode must be 'reduced', 'complete' or 'r', but it is {mode!r}", "invalid-argument")
    dtype = floating("linalg.qr", A)
    q, r = linalg.qr(A.shape, mode, "linalg.qr")
    return _Qr(Out(q, dtype), Out(r, dtype))


@op("torch.qr", "torch.Tensor.qr")
def qr(input, some=True):
    dtype = floating("qr", input)
    q, r = linalg.qr(input.shape, "reduced" if some else "complete", "qr")
    return _Qr(Out(q, dtype), Out(r, dtype))


@op("torch.geqrf", "torch.Tensor.geqrf")
def geqrf(input):
    batch, rows, columns = linalg.matrix(input.shape, "geqrf")
    dtype = floating("geqrf", input)
    return _Geqrf(Out(input.shape, dtype), Out((*batch, minimum(rows, columns)), dtype))


@op(*names("householder_product"), "torch.orgqr", "torch.Tensor.orgqr")
def householder_product(input, tau):
    _, rows, columns = linalg.matrix(input.shape, "linalg.householder_product")
    if equal(rows, columns) is False and rows < columns:
        raise Fault(
            f"linalg.householder_product: input needs at least as many rows as columns, not {rows} by {columns}"
        )
    if tau.ndim != input.ndim - 1:
        raise Fault(
            f"linalg.householder_product: tau must have one dimension less than input, but they are {text(tau.shape)} "
            f"and {text(input.shape)}"
        )
    return Out(input.shape, floating("linalg.householder_product", input))


@op("torch.ormqr", "torch.Tensor.ormqr")
def ormqr(input, tau, other, left=True, transpose=False):
    linalg.matrix(input.shape, "ormqr", "input")
    linalg.matrix(other.shape, "ormqr", "other")
    if equal(input.shape[-2], other.shape[-2 if left else -1]) is False:
        which = "rows" if left else "columns"
        raise Fault(f"ormqr: input has {input.shape[-2]} rows, but other has {other.shape[-2 if left else -1]} {which}")
    return Out(other.shape, floating("ormqr", input))


@op(*names("lu"))
def linalg_lu(A, *, pivot=True):
    dtype = floating("linalg.lu", A)
    p, lower, upper = linalg.lu(A.shape, "linalg.lu")
    return _Lu(Out(p if pivot else (0,), dtype), Out(lower, dtype), Out(upper, dtype))


def _lu_factor(name: str, A: Tensor) -> tuple[Out, Out, Out]:
    dtype = floating(name, A)
    batch, rows, columns = linalg.matrix(A.shape, name)
    return Out(A.shape, dtype), Out((*batch, minimum(rows, columns)), int32), Out(batch, int32)


@op(*names("lu_factor"))
def lu_factor(A, *, pivot=True):
    return _LuFactor(*_lu_factor("linalg.lu_factor", A)[:2])


@op(*names("lu_factor_ex"))
def lu_factor_ex(A, *, pivot=True, check_errors=False):
    return _LuFactorEx(*_lu_factor("linalg.lu_factor_ex", A))


@op("torch.lu", "torch.functional.lu", "torch.Tensor.lu")
def lu(A, pivot=True, get_infos=False):
    outs = _lu_factor("lu", A)
    return _LuWithInfo(*outs) if get_infos else outs[:2]


@op("torch.lu_unpack", "torch.functional.lu_unpack")
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    if unpack_pivots and LU_pivots.dtype is not int32:
        raise Fault(f"lu_unpack: LU_pivots must be torch.int32, but is {LU_pivots.dtype}", "dtype-mismatch")
    p, lower, upper = linalg.lu(LU_data.shape, "lu_unpack")
    dtype = LU_data.dtype
    return _Lu(
        Out(p if unpack_pivots else (0,), dtype),
        Out(lower if unpack_data else (0,), dtype),
        Out(upper if unpack_data else (0,), dtype),
    )


@op(*names("ldl_factor"))
def ldl_factor(input, *, hermitian=False):
    batch, order, dtype = _square("linalg.ldl_factor", input)
    return _LdlFactor(Out(input.shape, dtype), Out((*batch, order), int32))


@op(*names("ldl_factor_ex"))
def ldl_factor_ex(input, *, hermitian=False, check_errors=False):
    batch, order, dtype = _square("linalg.ldl_factor_ex", input)
    return _LdlFactorEx(Out(input.shape, dtype), Out((*batch, order), int32), Out(batch, int32))


# Approximate decompositions.


def _lowrank(name: str, A: Tensor, q: Any, niter: int) -> tuple[Out, Out, Out]:
    batch, rows, columns = linalg.matrix(A.shape, name)
    dtype = floating(name, A)
    sketch = (2 + 2 * niter) * rows * columns * q
    macs = product(batch) * (sketch + (columns if rows < columns else rows) * q * q)
    return Out((*batch, rows, q), dtype, macs=macs), Out((*batch, q), dtype.to_real()), Out((*batch, columns, q), dtype)


@op("torch.svd_lowrank", "torch._lowrank.svd_lowrank")
def svd_lowrank(A, q=6, niter=2, M=None):
    return _lowrank("svd_lowrank", A, 6 if q is None else q, niter)


@op("torch.pca_lowrank", "torch._lowrank.pca_lowrank")
def pca_lowrank(A, q=None, center=True, niter=2):
    _, rows, columns = linalg.matrix(A.shape, "pca_lowrank")
    least = minimum(rows, columns)
    if q is None:
        q = minimum(6, least)
    elif (isinstance(q, int) and q < 0) or q > least:
        raise Fault(f"pca_lowrank: q={q} must be between 0 and {least}", "invalid-argument")
    return _lowrank("pca_lowrank", A, q, niter)


@op("torch.lobpcg", "torch._lobpcg.lobpcg")
def lobpcg(
    A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None, tracker=None,
    ortho_iparams=None, ortho_fparams=None, ortho_bparams=None,
):  # fmt: skip
    batch, order = linalg.square(A.shape, "lobpcg")
    if k is None:
        k = 1 if X is None else X.shape[-1]
    if isinstance(order, int) and order < 3 * (k if n is None else n):
        raise Fault(f"lobpcg: A is {order} by {order}, which is smaller than 3 times {k if n is None else n}")
    return Out((*batch, k), A.dtype), Out((*batch, order, k), A.dtype)


# Others.


@op(*names("diagonal"))
def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    first, second, shape = diagonal_of(A.shape, offset, dim1, dim2)
    values = compute(lambda np, a, k: np.diagonal(a, k, first, second), A, offset)
    return Out(shape, A.dtype, values, view=True)


@op(*names("cond"))
def cond(input, p=None):
    dtype = floating("linalg.cond", input)
    batch, _, _ = linalg.matrix(input.shape, "linalg.cond")
    if p not in (None, 2, -2):
        linalg.square(input.shape, "linalg.cond")
    return Out(batch, dtype.to_real())


@op(*names("matrix_rank"))
def matrix_rank(input, tol=None, hermitian=False, *, atol=None, rtol=None):
    batch, _, _ = linalg.matrix(input.shape, "linalg.matrix_rank")
    floating("linalg.matrix_rank", input)
    if hermitian and not empty(input.shape):
        linalg.square(input.shape, "linalg.matrix_rank")
    return Out(_with_tolerances("linalg.matrix_rank", batch, tol, atol, rtol), int64)


def _with_tolerances(name: str, batch: Any, *tolerances: Any) -> Any:
    """Return the batch shape that results where tolerances are given for each matrix."""
    return broadcast(name, batch, *(t.shape for t in tolerances if isinstance(t, Tensor)))


def _pinv(name: str, input: Tensor, hermitian: Any, *tolerances: Any) -> Out:
    batch, rows, columns = linalg.matrix(input.shape, name)
    if hermitian:
        linalg.square(input.shape, name)
    if not empty(input.shape):
        batch = _with_tolerances(name, batch, *tolerances)
    return Out((*batch, columns, rows), floating(name, input))


@op(*names("pinv"))
def pinv(input, rcond=None, hermitian=False, *, atol=None, rtol=None):
    return _pinv("linalg.pinv", input, hermitian, rcond, atol, rtol)


@op("torch.pinverse", "torch.Tensor.pinverse")
def pinverse(input, rcond=1e-15):
    return _pinv("pinverse", input, False, rcond)


@op(*names("vander"))
def vander(x, *, N=None):
    if x.dtype.name in ("bool", "float16", "bfloat16"):
        raise Fault(f"linalg.vander: {x.dtype} is not supported", "dtype-mismatch")
    shape = x.shape or (1,)
    columns = shape[-1] if N is None else N
    if isinstance(columns, int) and columns < 2:
        raise Fault(f"linalg.vander: N must be greater than 1, but it is {columns}", "invalid-argument")
    dtype = x.dtype if x.dtype.is_floating_point or x.dtype.is_complex else int64
    values = compute(lambda np, a, n: a[..., None] ** np.arange(n), x, columns)
    return Out((*shape, columns), dtype, values)


def _removed(name: str, replacement: str) -> None:
    @op(f"torch.{name}")
    def removed(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedFault(f"torch.{name} was removed; use {replacement}", "removed-function")


for _name, _replacement in {
    "eig": "torch.linalg.eig",
    "symeig": "torch.linalg.eigh",
    "lstsq": "torch.linalg.lstsq",
    "solve": "torch.linalg.solve",
    "matrix_rank": "torch.linalg.matrix_rank",
}.items():
    _removed(_name, _replacement)
