"""`Parameter` and `Buffer`: the tensors that a module owns."""

from __future__ import annotations

from typing import Any

from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.torch.tensor.tensor import Tensor, TensorMeta, new


@row("torch.nn.Parameter", "torch.nn.parameter.Parameter")
class Parameter(Tensor):
    """A tensor that becomes a parameter when it is assigned to a module."""

    def __new__(cls, data: Any = None, requires_grad: Any = True) -> Any:
        if isinstance(data, Unknown):
            made = new(Unknown(data.reason, data.place), cls=cls)
        elif data is None:
            made = new((0,), cls=cls)
        else:
            made = object.__new__(cls)
            made.__dict__.update(data.__dict__)
        made.requires_grad = requires_grad
        return made

    def __init__(self, data: Any = None, requires_grad: Any = True) -> None:
        pass

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return Tensor.__deepcopy__(self, memo)


class BufferMeta(TensorMeta):
    """Any tensor that was made by `Buffer` is a `Buffer`, whatever its class."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


@row("torch.nn.Buffer", "torch.nn.parameter.Buffer")
class Buffer(Tensor, metaclass=BufferMeta):
    """A tensor that becomes a buffer when it is assigned to a module."""

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        made = new((0,)) if data is None else new(data.shape, data.dtype, values=data.values_, base=data)
        if data is not None:
            made._contiguous, made._strides = data._contiguous, data._strides
        made._is_buffer = True
        made.persistent = persistent
        return made
