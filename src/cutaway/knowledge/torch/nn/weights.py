"""Making the weights of a layer, and asking what is certain of the arguments that it was given."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.session import is_named
from cutaway.core.size.dim import Dim, equal, less, unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.torch.nn.parameter import Parameter
from cutaway.knowledge.torch.tensor.tensor import Tensor, new
from cutaway.knowledge.torch.tensor.types import CPU, Device, DType


def weight(layer: Any, shape: Any, device: Any = None, dtype: Any = None, requires_grad: Any = True) -> Any:
    """Return a parameter of a layer whose numbers are not known."""
    data = storage(layer, shape, device, dtype)
    data.requires_grad = requires_grad
    require_differentiable(data, _name(layer))
    return Parameter(data, requires_grad)


def require_differentiable(tensor: Any, owner: str) -> None:
    """Raise if a tensor that can't have gradients requires them."""
    dtype = tensor.dtype
    if tensor.requires_grad is True and not (dtype.is_floating_point or dtype.is_complex):
        raise Fault(
            f"{owner}: a weight of dtype {dtype} can't require gradients, only floating and complex ones can",
            FaultCode.UNSUPPORTED_DTYPE,
        )


def vector(size: Any) -> Any:
    """Return the shape of a weight that has one entry per channel; an unknown size is still one size."""
    return (size,) if isinstance(size, Unknown) else size


def storage(layer: Any, shape: Any, device: Any = None, dtype: Any = None, **options: Any) -> Any:
    """Return what `torch.empty(shape, device=device, dtype=dtype)` does; an unknown size stays unknown."""
    if (
        type(shape) is tuple
        and device is None
        and (dtype is None or type(dtype) is DType)
        and all(type(size) is int and size >= 0 for size in shape)
    ):
        return new(shape, dtype, **options)  # by far the most common case
    if not isinstance(shape, Unknown):
        sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
        shape = [_size(layer, position, sizes) for position in range(len(sizes))]
    if not isinstance(device, (str, int, Device, Unknown, type(None))):
        raise TypeFault(f"{_name(layer)}: device must be a torch.device, got {device!r}", FaultCode.WRONG_TYPE)
    if isinstance(dtype, Unknown):
        raise Undecidable(dtype)
    if not isinstance(dtype, (DType, type(None))):
        raise TypeFault(f"{_name(layer)}: dtype must be a torch.dtype, got {dtype!r}", FaultCode.WRONG_TYPE)
    return new(shape, dtype, device=CPU if device is None else Device(device), **options)


@row("torch.nn.factory_kwargs")
def factory_kwargs(kwargs: Any) -> Any:
    """Return the arguments that decide how a layer's weights are made."""
    if kwargs is None:
        return {}
    simple = {"device", "dtype", "memory_format"}
    if unexpected := set(kwargs) - simple - {"factory_kwargs"}:
        raise TypeFault(f"unexpected kwargs {', '.join(sorted(unexpected))}", FaultCode.UNKNOWN_ARGUMENT)
    found = dict(kwargs.get("factory_kwargs", {}))
    for key in simple & set(kwargs):
        if key in found:
            raise TypeFault(
                f"{key} is given twice, in kwargs and in kwargs['factory_kwargs']", FaultCode.ARGUMENT_CONFLICT
            )
        found[key] = kwargs[key]
    return found


def _size(layer: Any, position: int, sizes: Any) -> Any:
    value = sizes[position]
    if isinstance(value, Unknown):
        here = session.current()
        return here.size(value if is_named(value) else here.note(value))
    if isinstance(value, Tensor) and value.values_ is None and not value.dtype.is_floating_point:
        return unknown_size()
    if not isinstance(value, Dim):
        try:
            if position == 0 and isinstance(value, bool):  # torch looks for bool only there
                raise TypeError
            value = operator.index(value)
        except TypeError:
            raise TypeFault(
                f"{_name(layer)}: sizes of a weight must be integers, got {value!r} ({type(value).__name__}) "
                f"in {_text(sizes)}",
                FaultCode.WRONG_TYPE,
            ) from None
    if less(value, 0) is True:
        raise Fault(
            f"{_name(layer)}: a weight can't have the negative size {value} in {_text(sizes)}", FaultCode.NEGATIVE_SIZE
        )
    return value


def _name(layer: Any) -> str:
    return type(layer).__name__


def _text(sizes: Any) -> str:
    return f"({', '.join(map(str, sizes))})"


def certain(question: Callable[[], Any]) -> bool:
    """Tell whether the answer is yes whatever the unknown and symbolic values in it are."""
    try:
        return bool(question())
    except Undecidable:
        return False


def indivisible(size: Any, by: Any) -> bool:
    """Tell whether `size` is certainly not a multiple of `by`."""
    rest = size % by
    return equal(rest, 0) is False if isinstance(rest, Dim) else certain(lambda: rest != 0)


def unequal(left: Any, right: Any) -> bool:
    """Tell whether two sizes certainly differ."""
    if isinstance(left, Dim) or isinstance(right, Dim):
        return certain(lambda: equal(left, right) is False)
    return certain(lambda: left != right)


def rank(tensor: Any) -> int | None:
    """Return the number of dimensions of an argument, None where it is not known."""
    shape = getattr(tensor, "shape", None)
    return len(shape) if isinstance(shape, tuple) else None
