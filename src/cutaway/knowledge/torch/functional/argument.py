"""What the functions of `torch.nn.functional` check of their arguments in the same way."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault, IndexFault, NotImplementedFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import has_zero
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import TABLE
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.ops.window import shown


def shape_of(tensor: Any) -> Any:
    """Return the shape of an optional tensor."""
    return None if tensor is None else tensor.shape


def axis(name: str, dim: Any, shape: Any) -> Any:
    """Return a dimension counted from the front; of a tensor of unknown rank it stays as it is."""
    if isinstance(dim, Unknown) or isinstance(shape, Unknown):
        return dim
    rank = max(len(shape), 1)
    if not -rank <= dim < rank:
        raise IndexFault(
            f"{name}: dim {dim} is out of range for an input of {len(shape)} dimensions, {shown(shape)}",
            FaultCode.DIMENSION_OUT_OF_RANGE,
        )
    return dim % rank


def empty(shape: Any) -> bool:
    """Tell whether a tensor of this shape certainly has no elements."""
    return isinstance(shape, tuple) and has_zero(shape)


def floating(name: str, tensor: Any, *, complex: bool = False) -> Any:
    """Return the dtype of an input that has to be floating; one without elements does not have to be."""
    dtype = tensor.dtype
    if empty(tensor.shape):
        return dtype
    if not (dtype.is_floating_point or (complex and dtype.is_complex)):
        raise NotImplementedFault(f"{name} is not implemented for {dtype}", FaultCode.UNSUPPORTED_DTYPE)
    return dtype


def same_dtype(name: str, **tensors: Any) -> Any:
    """Return the one dtype of several tensors; autocasting forgives floating ones that differ."""
    given = {key: tensor.dtype for key, tensor in tensors.items() if isinstance(tensor, Tensor)}
    (first, dtype), *others = given.items()
    for key, other in others:
        if other is dtype or (dtype.is_floating_point and other.is_floating_point and _autocasting()):
            continue
        raise Fault(f"{name}: {first} is {dtype}, but {key} is {other}", FaultCode.DTYPE_MISMATCH)
    return dtype


def forget(tensor: Any) -> None:
    """Note that an argument's numbers change on the side; in the dataflow graph it stays the value it was."""
    if isinstance(tensor, Tensor):
        tensor._storage[0] += 1
        tensor._version = tensor._storage[0]
        tensor._values = None


def _autocasting() -> bool:
    enabled = TABLE.get("torch._C._is_any_autocast_enabled")
    return enabled is not None and bool(enabled())
