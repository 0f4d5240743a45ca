"""The options that functions which make tensors share: sizes, dtype, device."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim, less
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import Device, DType, bool_, complex128, float64, int64

_PYTHON_TYPES = {float: float64, int: int64, bool: bool_, complex: complex128}


def size(name: str, value: Any) -> Any:
    """Return one size: an int, a symbolic size, or an `Unknown` for one that is not known."""
    if isinstance(value, Tensor):
        try:
            value = value.__index__()
        except Undecidable:
            value = Unknown("a size read from a tensor")
    if isinstance(value, (float, str)) or not (isinstance(value, (Dim, Unknown)) or hasattr(value, "__index__")):
        raise TypeFault(f"{name}: a size must be an integer, but got {value!r}", FaultCode.WRONG_TYPE)
    if not isinstance(value, (Dim, Unknown)):
        value = value.__index__()
    if not isinstance(value, Unknown) and less(value, 0) is True:
        raise Fault(f"{name}: a size must not be negative, but got {value}", FaultCode.NEGATIVE_SIZE)
    return value


def sizes(name: str, args: Any, named: dict[str, Any] | None = None) -> Any:
    """Return the shape given as `f(2, 3)`, `f((2, 3))` or `f(size=(2, 3))`."""
    named = named or {}
    for key in named:
        if key not in ("size", "names"):
            raise TypeFault(f"{name}() got an unexpected keyword argument '{key}'", FaultCode.UNKNOWN_ARGUMENT)
    if "size" in named:
        args = (named["size"],)
    if len(args) == 1:
        first = args[0]
        if isinstance(first, Unknown):
            return first
        if isinstance(first, (tuple, list)):
            args = first
        elif isinstance(first, Tensor) and first.ndim == 1:
            args = first.array().tolist()
    return tuple(size(name, value) for value in args)


def dtype_of(dtype: Any, default: Any) -> Any:
    """Return the dtype that an argument asks for, or the default."""
    if dtype is None:
        return default
    if isinstance(dtype, Unknown):
        raise Undecidable(dtype)
    if isinstance(dtype, DType):
        return dtype
    if isinstance(dtype, type) and dtype in _PYTHON_TYPES:
        return _PYTHON_TYPES[dtype]
    raise TypeFault(f"dtype must be a torch.dtype, but got {dtype!r}", FaultCode.WRONG_TYPE)


def device_of(device: Any) -> Device | None:
    """Return the device that an argument asks for; None where it says nothing."""
    if device is None or isinstance(device, Unknown):
        return None
    return device if isinstance(device, Device) else Device(device)
