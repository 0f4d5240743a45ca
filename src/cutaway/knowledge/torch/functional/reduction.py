"""How a loss of many elements becomes its result: the `reduction` argument, its older forms and its number."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import KnownModule, register, row
from cutaway.knowledge.torch.tensor.op import Out
from cutaway.knowledge.torch.tensor.types import int64

# The losses of `torch` itself take the number, and leave their elements as they are where none is given.
_NUMBERS = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}


@row("torch.nn._reduction.get_enum")
def get_enum(reduction: str) -> int:
    """Return the number that torch's kernels know a reduction by."""
    if isinstance(reduction, Unknown):
        raise Undecidable(reduction)
    if reduction not in _NUMBERS:
        raise ArgumentFault(f"reduction must be none, mean or sum, but is {reduction!r}", FaultCode.INVALID_ARGUMENT)
    return _NUMBERS[reduction]


@row("torch.nn._reduction.legacy_get_string")
def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """Return the reduction that the two older arguments mean."""
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    return ("mean" if size_average else "sum") if reduce else "none"


@row("torch.nn._reduction.legacy_get_enum")
def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """Return the number of the reduction that the two older arguments mean."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))


register("torch.nn.functional._Reduction", KnownModule("torch.nn._reduction"))


def chosen(reduction: Any, size_average: Any = None, reduce: Any = None) -> Any:
    """Return the reduction to apply: the older arguments win where they are given."""
    return reduction if size_average is None and reduce is None else legacy_get_string(size_average, reduce)


def reduced(name: str, shape: Any, dtype: Any, reduction: Any, macs: Any = 0) -> Out:
    """Return the result of a loss whose elements have this shape; `reduction` is a name or its number."""
    number = reduction if isinstance(reduction, int) else get_enum(reduction)
    if number == _NUMBERS["none"]:
        return Out(shape, dtype, macs=macs)
    if number == _NUMBERS["mean"] and not (dtype.is_floating_point or dtype.is_complex):
        raise Fault(f"{name}: the mean of {dtype} elements is not defined", FaultCode.UNSUPPORTED_DTYPE)
    return Out((), dtype if dtype.is_floating_point or dtype.is_complex else int64, macs=macs)
