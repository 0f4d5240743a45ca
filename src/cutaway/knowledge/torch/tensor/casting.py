"""Tensors as they are, elsewhere: other dtypes and devices, copies, and what is written into them."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import TABLE
from cutaway.knowledge.torch.creation.create import TYPED, TypedMeta, filling
from cutaway.knowledge.torch.elementwise.rows import operand, shape_of
from cutaway.knowledge.torch.tensor.op import Out, composite, compute, inplace_op, op
from cutaway.knowledge.torch.tensor.options import device_of, dtype_of
from cutaway.knowledge.torch.tensor.tensor import Tensor, attach_method, new, strides_of
from cutaway.knowledge.torch.tensor.types import DTYPES, Device, DType, MemoryFormat, default_dtype
from cutaway.ops import layout
from cutaway.ops.elementwise import expands_to, written

_LAYOUTS = ("torch.channels_last", "torch.channels_last_3d")


def _converted(self: Any, dtype: Any, device: Any, copy: Any = False, memory_format: Any = None) -> Any:
    """Return the tensor itself where nothing changes, as torch does."""
    dtype, place = dtype_of(dtype, self.dtype), device_of(device) or self.device
    relaid = isinstance(memory_format, MemoryFormat) and memory_format.name in _LAYOUTS
    plain = memory_format is TABLE["torch.contiguous_format"]
    if dtype is self.dtype and place == self.device and copy is not True and not (relaid or (plain and _turned(self))):
        return self
    made = Out(self.shape, dtype, _recast(self, dtype), device=place, strides=True if plain else None)
    if not relaid:
        return made
    laid = new(self.shape, dtype, values=self.values_ if dtype is self.dtype else None, device=place, base=self)
    return laid


def _turned(self: Any) -> bool:
    """Tell whether a tensor has its channels last in memory; another one is as good as contiguous for `to`."""
    strides = strides_of(self)
    return strides is not None and layout.has_channels_last(self.shape, strides) is True


def _recast(self: Any, dtype: DType) -> Any:
    whole = not (dtype.is_floating_point or dtype.is_complex or dtype.name == "bool")

    def numbers(np: Any, a: Any) -> Any:
        if whole and a.dtype.kind in "fc":
            a = a.real.astype("int64")  # a float becomes an integer by truncation, then wraps around
        return a.real if a.dtype.kind == "c" and not dtype.is_complex and dtype.name != "bool" else a

    return compute(numbers, self)


@op("torch.Tensor.to")
def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None, other=None):
    for value in (*args, other):
        if isinstance(value, DType) or (isinstance(value, type) and value in (float, int, bool, complex)):
            dtype = value
        elif isinstance(value, Tensor):
            dtype, device = value.dtype, value.device
        elif isinstance(value, (str, Device)) or (isinstance(value, int) and not isinstance(value, bool)):
            device = value
        elif isinstance(value, Unknown):
            raise Undecidable(value)
        elif value is not None and not isinstance(value, bool):
            raise TypeFault(f"to: can't convert to {value!r}", FaultCode.WRONG_TYPE)
    return _converted(self, dtype, device, copy, memory_format)


def _cast(name: str, dtype: DType) -> None:
    def rule(self, memory_format=None):
        return _converted(self, dtype, None, False, memory_format)

    rule.__name__ = name
    op(f"torch.Tensor.{name}")(rule)


for _name, _dtype in {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "byte": "uint8",
    "char": "int8", "short": "int16", "int": "int32", "long": "int64", "bool": "bool", "chalf": "complex32",
    "cfloat": "complex64", "cdouble": "complex128",
}.items():  # fmt: skip
    _cast(_name, DTYPES[_dtype])


@op("torch.Tensor.type")
def type_(self, dtype=None, non_blocking=False):
    if dtype is None:
        owner = "torch.cuda" if self.device.type == "cuda" else "torch"
        return next((n for n, c in TYPED.items() if c.element is self.dtype and n.rpartition(".")[0] == owner), None)
    if dtype in (Tensor, "torch.Tensor"):
        dtype = default_dtype()
    elif isinstance(dtype, str):
        chosen = TYPED.get(dtype)
        if chosen is None:
            raise TypeFault(f"type: unknown type {dtype!r}", FaultCode.WRONG_TYPE)
        dtype = chosen
    if isinstance(dtype, TypedMeta):
        device = "cuda" if dtype.__module__ == "torch.cuda" else "cpu"
        return _converted(self, dtype.element, device)
    if dtype is Tensor:  # the type of every tensor stands for the default one
        return _converted(self, default_dtype(), "cpu")
    return _converted(self, dtype_of(dtype, self.dtype), None)


@op("torch.Tensor.type_as")
def type_as(self, other):
    return _converted(self, other.dtype, other.device)


@op("torch.Tensor.cpu")
def cpu(self, memory_format=None):
    return _converted(self, None, "cpu")


def _elsewhere(name: str) -> None:
    def rule(self, device=None, non_blocking=False, memory_format=None):
        return _converted(self, None, name if device is None else device)

    rule.__name__ = name
    op(f"torch.Tensor.{name}")(rule)


for _name in ("cuda", "xpu", "ipu", "mtia"):
    _elsewhere(_name)


@op("torch.clone", "torch.Tensor.clone")
def clone(input, *, memory_format=None):
    return Out(input.shape, input.dtype, compute(lambda np, a: a, input))


@op("torch.detach", "torch.Tensor.detach")
def detach(input):
    return Out(input.shape, input.dtype, compute(lambda np, a: a, input), view=True, strides=strides_of(input))


@op("torch.detach_copy", "torch.alias_copy")
def detach_copy(input):
    return Out(input.shape, input.dtype, compute(lambda np, a: a, input))


@op("torch.Tensor.contiguous")
def contiguous(self, memory_format=None):
    standard = memory_format is None or memory_format is TABLE["torch.contiguous_format"]
    if self._contiguous and standard:
        return self
    if standard and self._strides is not None:
        return Out(self.shape, self.dtype, compute(lambda np, a: a, self), strides=True)
    # Where it is contiguous already, torch returns the same memory.
    made = new(self.shape, self.dtype, values=self.values_, device=self.device, base=self)
    made._contiguous = standard
    return made


def _itself(name: str) -> None:
    def rule(self):
        return self

    rule.__name__ = name
    op(f"torch.Tensor.{name}")(rule)


for _name in ("detach_", "pin_memory", "share_memory_", "coalesce"):
    _itself(_name)


@op("torch.detach_")
def detach_(input):
    return input


@op("torch.Tensor.requires_grad_")
def requires_grad_(self, requires_grad=True):
    if requires_grad is True and not (self.dtype.is_floating_point or self.dtype.is_complex):
        raise Fault(
            f"requires_grad_: a tensor of {self.dtype.name} can't require gradients", FaultCode.UNSUPPORTED_DTYPE
        )
    self.requires_grad = requires_grad
    return self


@composite("torch.Tensor.as_subclass")
def as_subclass(self, cls):
    made = new(self.shape, self.dtype, values=self.values_, device=self.device, base=self, cls=cls)
    made._contiguous = self._contiguous
    return made


# Written into


@inplace_op("torch.Tensor.copy_")
def copy_(self, src, non_blocking=False):
    if isinstance(src, Unknown):
        return Out(self.shape, self.dtype)
    source = operand("copy_", src)
    shape, target = shape_of(source), self.shape
    if isinstance(shape, Unknown) or isinstance(target, Unknown):
        return Out(target, self.dtype)
    if expands_to(shape, target) is False:
        raise Fault(
            f"copy_: src has shape {written(shape)}, which does not broadcast to {written(target)}",
            FaultCode.SHAPE_MISMATCH,
        )
    values = None
    if isinstance(source, Tensor) and all(isinstance(s, int) for s in target):
        values = compute(lambda np, a: np.broadcast_to(a, tuple(target)), source)
    elif not isinstance(source, Tensor):
        values = filling(target, source)
    return Out(target, self.dtype, values)


def _filled(name: str, self: Any, value: Any) -> Out:
    if isinstance(value, Unknown):
        return Out(self.shape, self.dtype)
    number = operand(name, value)
    if isinstance(number, Tensor) and number.ndim != 0:
        raise Fault(f"{name}: value must have 0 dimensions, but has {number.ndim}", FaultCode.WRONG_RANK)
    if isinstance(number, complex) and not self.dtype.is_complex:
        raise Fault(f"{name}: value is complex, but the tensor is {self.dtype.name}", FaultCode.DTYPE_MISMATCH)
    return Out(self.shape, self.dtype, filling(self.shape, number))


@inplace_op("torch.Tensor.fill_", "torch.fill_")
def fill_(input, value):
    return _filled("fill_", input, value)


@op("torch.fill")
def fill(input, value):
    return _filled("fill", input, value)


@inplace_op("torch.Tensor.zero_", "torch.zero_")
def zero_(input):
    return Out(input.shape, input.dtype, filling(input.shape, 0))


@inplace_op("torch.Tensor.fill_diagonal_")
def fill_diagonal_(self, fill_value, wrap=False):
    if len(self.shape) < 2:
        raise Fault(f"fill_diagonal_: needs at least 2 dimensions, but has {len(self.shape)}", FaultCode.WRONG_RANK)

    def numbers(np: Any, a: Any) -> Any:
        filled = a.copy()
        np.fill_diagonal(filled, fill_value, wrap)
        return filled

    return Out(self.shape, self.dtype, compute(numbers, self))


def _on(kind: str) -> property:
    return property(lambda self: self._device.type == kind)


for _name in ("cuda", "cpu", "meta", "mps", "xpu", "xla", "mtia", "vulkan", "ipu", "maia"):
    attach_method(f"is_{_name}", _on(_name))
