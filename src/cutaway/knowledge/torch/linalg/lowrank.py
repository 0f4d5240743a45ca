"""Approximate decompositions of matrices of low rank."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import maximum, minimum, product
from cutaway.knowledge.torch.linalg.decomposition import floating
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.ops import linalg


def _lowrank(name: str, A: Tensor, q: Any, niter: int) -> tuple[Out, Out, Out]:
    batch, rows, columns = linalg.matrix(A.shape, name)
    dtype = floating(name, A)
    if isinstance(q, (float, Tensor)):
        raise TypeFault(
            f"{name}: q must be an integer, but is {q if isinstance(q, float) else 'a tensor'}",
            FaultCode.WRONG_TYPE,
        )
    longer, shorter = maximum(rows, columns), minimum(rows, columns)
    elements = longer * shorter
    macs, width = elements * q, minimum(longer, q)
    for _ in range(niter):
        macs = macs + elements * width
        width = minimum(width, shorter)
        macs = macs + elements * width
    rank = minimum(width, shorter)
    macs = product(batch) * (macs + elements * width + longer * width * rank)
    left, values, right = (*batch, rows, rank), (*batch, rank), (*batch, columns, rank)
    return Out(left, dtype, macs=macs), Out(values, dtype.to_real()), Out(right, dtype)


@op("torch.svd_lowrank", "torch._lowrank.svd_lowrank", strided=True)
def svd_lowrank(A, q=6, niter=2, M=None):
    return _lowrank("svd_lowrank", A, 6 if q is None else q, niter)


@op("torch.pca_lowrank", "torch._lowrank.pca_lowrank", strided=True)
def pca_lowrank(A, q=None, center=True, niter=2):
    _, rows, columns = linalg.matrix(A.shape, "pca_lowrank")
    least = minimum(rows, columns)
    if q is None:
        q = minimum(6, least)
    elif (isinstance(q, int) and q < 0) or q > least:
        raise Fault(f"pca_lowrank: q={q} must be between 0 and {least}", FaultCode.INVALID_ARGUMENT)
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
        raise Fault(
            f"lobpcg: A is {order} by {order}, which is smaller than 3 times {k if n is None else n}",
            FaultCode.SHAPE_MISMATCH,
        )
    return Out((*batch, k), A.dtype), Out((*batch, order, k), A.dtype)
