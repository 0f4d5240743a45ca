"""`torch.nn.utils.parametrize`: a weight that other modules compute each time it is read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size import dim
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.torch.nn.container import ModuleDict, ModuleList
from cutaway.knowledge.torch.nn.mode import copy_mode
from cutaway.knowledge.torch.nn.parameter import Parameter
from cutaway.knowledge.torch.nn.traversal import parts
from cutaway.knowledge.torch.runtime.context import modes
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.ops.elementwise import written

_PACKAGE = "torch.nn.utils.parametrize"


@row(f"{_PACKAGE}.cached")
@contextlib.contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized weight once within the block."""
    _caches.append({})
    try:
        yield
    finally:
        _caches.pop()


_caches: list[dict[tuple[int, str], Any]] = []


def _enter(module: Any, name: str, tensor: Any) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _set(destination: Any, source: Any) -> None:
    """Give a weight new contents; of contents that are not known only the old shape stays."""
    if isinstance(source, Tensor):
        destination.data = source


def _check_alike(tensor: Any, shape: Any, dtype: Any, name: str) -> None:
    if isinstance(tensor, Unknown):
        return
    if not isinstance(tensor, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(tensor).__name__}.")
    if tensor.dtype is not dtype:
        raise ArgumentFault(
            f"register_parametrization: {name} is {dtype}, but parametrized it is {tensor.dtype}",
            FaultCode.DTYPE_MISMATCH,
        )
    if len(tensor.shape) != len(shape) or any(dim.equal(a, b) is False for a, b in zip(tensor.shape, shape)):
        raise ArgumentFault(
            f"register_parametrization: {name} has shape {written(shape)}, but parametrized it has {written(tensor.shape)}",
            FaultCode.SHAPE_MISMATCH,
        )


@row(f"{_PACKAGE}.ParametrizationList")
class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, and what they are computed from."""

    __module__ = _PACKAGE

    def __init__(self, modules: Any, original: Any, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        inverse = original
        for module in reversed(list(self)):
            if hasattr(module, "right_inverse"):
                # Some parametrizations have no inverse; the tensor then stays as it is.
                with contextlib.suppress(NotImplementedError):
                    inverse = module.right_inverse(inverse)
        self.is_tensor = isinstance(inverse, (Tensor, Unknown))
        if not self.is_tensor and not isinstance(inverse, Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(inverse).__name__}"
            )
        self.ntensors = 1 if self.is_tensor else len(inverse)
        if self.is_tensor:
            _set(original, inverse)
            _enter(self, "original", original)
        else:
            for i, tensor in enumerate(inverse):
                if isinstance(original, Parameter):
                    tensor = Parameter(tensor, original.requires_grad)
                _enter(self, f"original{i}", tensor)
        if not self.unsafe:
            _check_alike(self(), shape, dtype, "the tensor")

    def right_inverse(self, value: Any) -> None:
        """Set the originals so that they give `value`."""
        for module in reversed(list(self)):
            if not hasattr(module, "right_inverse"):
                raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
            value = module.right_inverse(value)
        if self.is_tensor:
            _set(self.original, value)
        else:
            for i, tensor in enumerate(value):
                _set(attribute.get(self, f"original{i}"), tensor)

    def forward(self) -> Any:
        if self.is_tensor:
            x = self[0](self.original)
        else:
            x = self[0](*(attribute.get(self, f"original{i}") for i in range(self.ntensors)))
        for module in list(self)[1:]:
            x = module(x)
        return x


def _inject_new_class(module: Any) -> None:
    cls = type(module)
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), {"__module__": _PACKAGE})


def _inject_property(module: Any, tensor_name: str) -> None:
    def get(self: Any) -> Any:
        parametrization = self.parametrizations[tensor_name]
        if not _caches:
            return parametrization()
        key = (id(self), tensor_name)
        if key not in _caches[0]:
            _caches[0][key] = parametrization()
        return _caches[0][key]

    def set_original(self: Any, value: Any) -> None:
        self.parametrizations[tensor_name].right_inverse(value)

    attribute.put(type(module), tensor_name, property(get, set_original))


@row(f"{_PACKAGE}.register_parametrization")
def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    for part in parts(parametrization):
        copy_mode(module, part)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            current = attribute.get(module, tensor_name)
            _check_alike(parametrization(current), current.shape, current.dtype, tensor_name)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = attribute.get(module, tensor_name)
        parametrizations = ParametrizationList([parametrization], original, unsafe=unsafe)
        attribute.delete(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name '{tensor_name}'"
        )
    return module


@row(f"{_PACKAGE}.is_parametrized")
def is_parametrized(module, tensor_name=None):
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


@row(f"{_PACKAGE}.remove_parametrizations")
def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            _set(original, attribute.get(module, tensor_name))
    elif leave_parametrized:
        original = attribute.get(module, tensor_name)
        # The computed weight requires a gradient where one of its originals does and the mode records it.
        if modes().grad and any(p.requires_grad for p in parametrizations.parameters(recurse=False)):
            original = Parameter(original)
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor "
            "that is parametrized in terms of a sequence of tensors."
        )
    attribute.delete(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _enter(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


@row(f"{_PACKAGE}.type_before_parametrizations")
def type_before_parametrizations(module):
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


@row(f"{_PACKAGE}.transfer_parametrizations_and_params")
def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        source = from_module.parametrizations[name]
        if not attribute.has(to_module, name):
            attribute.put(to_module, name, Parameter(attribute.get(from_module, name)))
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        for original in list(source._parameters) + list(source._buffers):
            attribute.put(to_module.parametrizations[name], original, attribute.get(source, original))
    return to_module
