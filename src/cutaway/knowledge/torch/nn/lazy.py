"""Modules whose weights get their shape from the first input, and the weights that wait for it."""

from __future__ import annotations

import itertools
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.construction import Construction
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.torch.nn.parameter import Parameter
from cutaway.knowledge.torch.nn.weights import require_differentiable, storage
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import DTYPES, Device, DType


@row("torch.nn.parameter.UninitializedTensorMixin")
class UninitializedTensorMixin:
    """A tensor that has a dtype and a device, but no shape yet."""

    cls_to_become: type

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    @property
    def shape(self) -> Any:
        raise Fault(
            "the shape of an uninitialized parameter or buffer is not set before the first forward",
            FaultCode.UNINITIALIZED,
        )

    def materialize(self: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become a real tensor of this shape."""
        self.data = storage(
            self, shape, self._device if device is None else device, self._dtype if dtype is None else dtype
        )
        self.__class__ = self.cls_to_become

    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Change dtype and device; the shape stays open."""
        made = self._copy()
        for value in (*args, *kwargs.values()):
            if isinstance(value, DType):
                made._dtype = value
            elif isinstance(value, (str, Device)):
                made._device = Device(value)
            elif isinstance(value, Tensor):
                made._dtype, made._device = value._dtype, value._device
        return made

    def cuda(self, *_args: Any, **_kwargs: Any) -> Any:
        return self.to("cuda")

    def cpu(self) -> Any:
        return self.to("cpu")

    def half(self) -> Any:
        return self.to(DTYPES["float16"])

    def bfloat16(self) -> Any:
        return self.to(DTYPES["bfloat16"])

    def float(self) -> Any:
        return self.to(DTYPES["float32"])

    def double(self) -> Any:
        return self.to(DTYPES["float64"])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def _waiting(cls: type, requires_grad: Any, device: Any, dtype: Any) -> Any:
    shape = Unknown("the shape of an uninitialized weight is set by the first forward")
    made = storage(cls, shape, device, dtype, cls=cls)
    made.requires_grad = requires_grad
    require_differentiable(made, cls.__name__)
    return made


@row("torch.nn.UninitializedParameter", "torch.nn.parameter.UninitializedParameter")
class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter that is made real by `materialize`."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad: Any = True, device: Any = None, dtype: Any = None) -> Any:
        return _waiting(cls, requires_grad, device, dtype)


@row("torch.nn.UninitializedBuffer", "torch.nn.parameter.UninitializedBuffer")
class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer that is made real by `materialize`."""

    cls_to_become = Tensor

    def __new__(cls, requires_grad: Any = False, device: Any = None, dtype: Any = None, persistent: bool = True) -> Any:
        made = _waiting(cls, requires_grad, device, dtype)
        made.persistent = persistent
        made._is_buffer = True
        return made


@row("torch.nn.parameter.is_lazy", "torch.nn.modules.lazy.is_lazy")
def is_lazy(param: Any) -> bool:
    """Tell whether a parameter or buffer still waits for its shape."""
    return isinstance(param, UninitializedTensorMixin)


@row("torch.nn.modules.lazy.LazyModuleMixin")
class LazyModuleMixin:
    """Before its first call a lazy module makes its parameters and becomes `cls_to_become`."""

    __module__ = "torch.nn.modules.lazy"
    cls_to_become: type | None = None

    def __init__(self: Any, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _lazy_load_hook(
        self: Any, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        for name, param in itertools.chain(self._parameters.items(), self._buffers.items()):
            given = state_dict.get(prefix + name)
            if param is not None and given is not None and is_lazy(param) and not is_lazy(given):
                param.materialize(given.shape)

    def initialize_parameters(self: Any, *args, **kwargs):
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self: Any):
        return any(map(is_lazy, itertools.chain(self._parameters.values(), self._buffers.values())))

    def _infer_parameters(self: Any, module, args, kwargs=None):
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise Fault(f"module {self._get_name()} has not been fully initialized", FaultCode.UNINITIALIZED)
        module._initialize_hook.remove()
        module._load_hook.remove()
        delattr(module, "_initialize_hook")
        delattr(module, "_load_hook")
        if module.cls_to_become is not None:
            lazy = type(module)
            module.__class__ = module.cls_to_become
            _restate(module, lazy)

    def _replicate_for_data_parallel(self):
        raise Fault("a module with uninitialized parameters can't be used with DataParallel", FaultCode.UNINITIALIZED)


def _restate(module: Any, lazy: type) -> None:
    """Say how the module would have been made had its input been known, in terms of its new class."""
    made = module._construction
    signature = session.current().signature
    try:
        bound = signature(lazy.__init__).bind(module, *made.args, **made.kwargs).arguments  # type: ignore[misc]
        wanted = signature(type(module).__init__).parameters
    except TypeError:
        return
    given = {name: value for name, value in bound.items() if name in wanted}
    stated = {
        name: given[name] if name in given else attribute.get(module, name)
        for name, parameter in list(wanted.items())[1:]
        if name in given or (parameter.default is parameter.empty and attribute.has(module, name))
    }
    module.__dict__["_construction"] = Construction((), stated, made.place)
