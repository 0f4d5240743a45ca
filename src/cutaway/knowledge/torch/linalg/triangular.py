"""Factorisations into triangular matrices: LU and LDL."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import minimum
from cutaway.knowledge.torch.linalg.decomposition import floating, names, result, square
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import int32
from cutaway.ops import linalg

_Lu = result("linalg_lu", "P", "L", "U")
_LuFactor = result("linalg_lu_factor", "LU", "pivots")
_LuFactorEx = result("linalg_lu_factor_ex", "LU", "pivots", "info")
_LuWithInfo = result("_lu_with_info", "LU", "pivots", "info")
_LdlFactor = result("linalg_ldl_factor", "LD", "pivots")
_LdlFactorEx = result("linalg_ldl_factor_ex", "LD", "pivots", "info")


@op(*names("lu"), strided=True)
def linalg_lu(A, *, pivot=True):
    dtype = floating("linalg.lu", A)
    p, lower, upper = linalg.lu(A.shape, "linalg.lu")
    return _Lu(Out(p if pivot else (0,), dtype), Out(lower, dtype), Out(upper, dtype))


def _lu_factor(name: str, A: Tensor) -> tuple[Out, Out, Out]:
    dtype = floating(name, A)
    batch, rows, columns = linalg.matrix(A.shape, name)
    return Out(A.shape, dtype), Out((*batch, minimum(rows, columns)), int32), Out(batch, int32)


@op(*names("lu_factor"), strided=True)
def lu_factor(A, *, pivot=True):
    return _LuFactor(*_lu_factor("linalg.lu_factor", A)[:2])


@op(*names("lu_factor_ex"), strided=True)
def lu_factor_ex(A, *, pivot=True, check_errors=False):
    return _LuFactorEx(*_lu_factor("linalg.lu_factor_ex", A))


def _lu_with_info(A: Tensor, get_infos: Any) -> Any:
    outs = _lu_factor("lu", A)
    return _LuWithInfo(*outs) if get_infos else outs[:2]


@op("torch.lu", "torch.functional.lu", strided=True)
def lu(A, pivot=True, get_infos=False):
    return _lu_with_info(A, get_infos)


@op("torch.Tensor.lu", strided=True)
def tensor_lu(self, pivot=True, get_infos=False):
    return _lu_with_info(self, get_infos)


@op("torch.lu_unpack", strided=True)
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    if unpack_pivots and LU_pivots.dtype is not int32:
        raise Fault(f"lu_unpack: LU_pivots must be torch.int32, but is {LU_pivots.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    p, lower, upper = linalg.lu(LU_data.shape, "lu_unpack")
    dtype = LU_data.dtype
    return _Lu(
        Out(p if unpack_pivots else (0,), dtype),
        Out(lower if unpack_data else (0,), dtype),
        Out(upper if unpack_data else (0,), dtype),
    )


@op(*names("ldl_factor"), strided=True)
def ldl_factor(input, *, hermitian=False):
    batch, order, dtype = square("linalg.ldl_factor", input)
    return _LdlFactor(Out(input.shape, dtype), Out((*batch, order), int32))


@op(*names("ldl_factor_ex"), strided=True)
def ldl_factor_ex(input, *, hermitian=False, check_errors=False):
    batch, order, dtype = square("linalg.ldl_factor_ex", input)
    return _LdlFactorEx(Out(input.shape, dtype), Out((*batch, order), int32), Out(batch, int32))
