"""Questions about tensors and dtypes that Python code asks: sizes, numbers, limits, equality."""

from __future__ import annotations

import math
from typing import Any

from cutaway.core import session
from cutaway.core.condition import DATA, Term
from cutaway.core.fault import Fault, IndexFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, maximum, product
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import TABLE, register, row
from cutaway.knowledge.torch.elementwise.rows import rule_of
from cutaway.knowledge.torch.tensor.gradients import backward_ran
from cutaway.knowledge.torch.tensor.history import differentiate, require_detached
from cutaway.knowledge.torch.tensor.op import composite, op
from cutaway.knowledge.torch.tensor.options import dtype_of
from cutaway.knowledge.torch.tensor.tensor import Tensor, attach_method, strides_of
from cutaway.knowledge.torch.tensor.types import bool_, default_dtype
from cutaway.ops import layout
from cutaway.ops.elementwise import written
from cutaway.ops.reduce import axis

_ELEMENTS = 1024  # of unknown numbers, a list of this many is made at most

for _name in ("pi", "inf", "nan", "e"):
    register(f"torch.{_name}", getattr(math, _name))
register("torch.newaxis", None)


# Sizes


@op("torch.Tensor.size")
def size(self, dim=None):
    shape = self.shape
    if dim is None or isinstance(shape, Unknown):
        return shape
    if not shape:
        raise IndexFault(f"size: dimension {dim} of a tensor of 0 dimensions", FaultCode.DIMENSION_OUT_OF_RANGE)
    return shape[axis("size", dim, len(shape))]


@op("torch.numel", "torch.Tensor.numel", "torch.Tensor.nelement")
def numel(input):
    return input.shape if isinstance(input.shape, Unknown) else product(input.shape)


@op("torch.Tensor.dim", "torch.Tensor.ndimension")
def dim(self):
    return self.shape if isinstance(self.shape, Unknown) else len(self.shape)


@op("torch.Tensor.stride")
def stride(self, dim=None):
    if not self._contiguous or isinstance(self.shape, Unknown):
        return Unknown("the strides of a tensor that may not be contiguous")
    steps = [product(maximum(s, 1) for s in self.shape[i + 1 :]) for i in range(len(self.shape))]
    return tuple(steps) if dim is None else steps[axis("stride", dim, len(steps))]


@op("torch.Tensor.is_contiguous")
def is_contiguous(self, memory_format=None):
    if memory_format in (None, TABLE["torch.contiguous_format"]):
        strides = strides_of(self)
        if self._contiguous or (strides is not None and layout.is_numeric((*self.shape, *strides))):
            return self._contiguous or layout.is_contiguous(self.shape, strides)
    return Unknown("whether a tensor is contiguous")


@op("torch.Tensor.storage_offset")
def storage_offset(self):
    return Unknown("the place of a tensor in its memory") if self._is_view or not self._contiguous else 0


def _hidden(name: str) -> None:
    def rule(self, *args, **kwargs):
        self.expose()
        return Unknown(f"Tensor.{name}: where a tensor is in memory")

    rule.__name__ = name
    op(f"torch.Tensor.{name}")(rule)


for _name in ("data_ptr", "const_data_ptr", "storage", "untyped_storage", "storage_type", "is_set_to", "dim_order"):
    _hidden(_name)


@op("torch.Tensor.element_size")
def element_size(self):
    return self.dtype.itemsize


for _name, _value in {"retains_grad": False, "output_nr": 0, "name": None}.items():
    attach_method(_name, _value)
attach_method("nbytes", property(lambda self: numel(self) * self.dtype.itemsize))


@op("torch.get_device", "torch.Tensor.get_device")
def get_device(input):
    if input.device.type == "cpu":
        return -1
    return input.device.index or 0


@op("torch.is_same_size", "torch.Tensor.is_same_size")
def is_same_size(input, other):
    return _same_shape(input, other)


def _same_shape(input: Any, other: Any) -> bool:
    if len(input.shape) != len(other.shape):
        return False
    answers = [equal(a, b) for a, b in zip(input.shape, other.shape)]
    if False in answers:
        return False
    if None in answers:
        raise Undecidable(Unknown(f"whether {written(input.shape)} and {written(other.shape)} are the same shape"))
    return True


# What kind of thing it is


@composite("torch.is_tensor")
def is_tensor(obj):
    return obj if isinstance(obj, Unknown) else isinstance(obj, Tensor)


@composite("torch.is_storage")
def is_storage(obj):
    return obj if isinstance(obj, Unknown) else False


@op("torch.is_floating_point", "torch.Tensor.is_floating_point")
def is_floating_point(input):
    return input.dtype.is_floating_point


@op("torch.is_complex", "torch.Tensor.is_complex")
def is_complex(input):
    return input.dtype.is_complex


@op("torch.is_signed", "torch.Tensor.is_signed")
def is_signed(input):
    return input.dtype.is_signed


def _never(name: str, function: bool) -> None:
    def rule(input, *args, **kwargs):
        return False

    rule.__name__ = name
    op(f"torch.Tensor.{name}", *([f"torch.{name}"] if function else []))(rule)


for _name in ("is_inference", "is_distributed", "is_conj", "is_neg"):
    _never(_name, True)
for _name in ("is_pinned", "is_shared", "is_coalesced"):
    _never(_name, False)


# Its numbers, as Python's


@op("torch.Tensor.item")
def item(self):
    if not isinstance(self.shape, Unknown) and equal(product(self.shape), 1) is False:
        raise Fault(
            f"item: a tensor of shape {written(self.shape)} has {product(self.shape)} elements, but 1 is needed",
            FaultCode.NOT_A_SCALAR,
        )
    if self.values_ is None:
        return Unknown("the number in a tensor", term=Term("", DATA))
    number = self.values_.numbers()
    while isinstance(number, list):
        number = number[0]
    return number


@op("torch.Tensor.tolist")
def tolist(self):
    if self.values_ is not None:
        return self.values_.numbers()
    shape = self.shape
    if isinstance(shape, Unknown) or not all(isinstance(s, int) for s in shape) or math.prod(shape) > _ELEMENTS:
        return Unknown("the numbers in a tensor")
    return _nested(tuple(shape), Unknown("the number in a tensor"))


def _nested(shape: tuple[int, ...], leaf: Any) -> Any:
    return [_nested(shape[1:], leaf) for _ in range(shape[0])] if shape else leaf


@op("torch.Tensor.numpy")
def numpy(self, *, force=False):
    if not force:
        require_detached(session.current(), self, "numpy")
    if self.dtype.name == "bfloat16":
        raise TypeFault("numpy: numpy has no bfloat16", FaultCode.UNSUPPORTED_DTYPE)
    from cutaway.knowledge.numpy.shaped import of_tensor  # late: it imports numpy

    made = of_tensor(self) if self.values_ is None else self.array().copy()
    if not isinstance(made, Unknown):
        self.share(made)
    return made


@composite("torch.Tensor.__array__")
def array(self, dtype=None, copy=None):
    numbers = self.array().copy()
    self.share(numbers)
    return numbers if dtype is None else numbers.astype(dtype, copy=False)


@op("torch.is_nonzero", "torch.Tensor.is_nonzero")
def is_nonzero(input):
    value = rule_of(item)(input)
    return value if isinstance(value, Unknown) else bool(value)


@op("torch.equal", "torch.Tensor.equal")
def equal_(input, other):
    if not _same_shape(input, other):
        return False
    if input is other or product(input.shape) == 0:
        return True
    return bool((input.array() == other.array()).all())


@op("torch.allclose", "torch.Tensor.allclose")
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    if input.dtype is not other.dtype:
        raise Fault(f"allclose: input is {input.dtype.name}, but other is {other.dtype.name}", FaultCode.DTYPE_MISMATCH)
    close = rule_of(TABLE["torch.isclose"])(input, other, rtol, atol, equal_nan)
    if close.values is None:
        return Unknown("whether tensors of unknown numbers are close")
    return bool(close.values.array().all())


# What only training needs


class _Handle:
    """What registering a hook on a tensor returns."""

    def remove(self) -> None:
        """Take the hook away."""


@composite("torch.Tensor.register_hook", "torch.Tensor.register_post_accumulate_grad_hook")
def register_hook(self, hook):
    session.current().doubts.setdefault("what a hook does")
    return _Handle()


@composite("torch.Tensor.backward")
def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    if gradient is None and not isinstance(self._shape, Unknown):
        elements = [size for size in self._shape if size != 1]
        if elements and all(isinstance(size, int) for size in elements):
            raise Fault(
                f"backward: the tensor has shape {tuple(self._shape)}, but only a scalar has a gradient by itself",
                FaultCode.NOT_A_SCALAR,
            )
    here = session.current()
    keeps = retain_graph is True or create_graph is not False or isinstance(retain_graph, Unknown) or inputs is not None
    try:
        differentiate(here, self, keeps, here.place)
    except Fault as fault:
        here.report(fault)
        raise
    backward_ran()


@composite("torch.Tensor.retain_grad")
def retain_grad(self):
    self.__dict__["_retains_grad"] = True


@composite("torch.Tensor.record_stream")
def record_stream(self, s):
    return None


# Limits of dtypes

# Bits, mantissa bits, exponent of the largest number, of the smallest normal one; decimal resolution.
_FLOATS = {
    "float64": (64, 52, 1023, -1022, 1e-15),
    "float32": (32, 23, 127, -126, 1e-6),
    "float16": (16, 10, 15, -14, 1e-3),
    "bfloat16": (16, 7, 127, -126, 1e-2),
    "float8_e5m2": (8, 2, 15, -14, 1.0),
    "float8_e4m3fn": (8, 3, 8, -6, 1.0),
    "float8_e4m3fnuz": (8, 3, 7, -7, 1.0),
    "float8_e5m2fnuz": (8, 2, 15, -15, 1.0),
    "float8_e8m0fnu": (8, 0, 127, -127, 1.0),
}
# What torch states otherwise than follows from those.
_STATED = {
    "float8_e4m3fn": {"max": 448.0, "min": -448.0},
    "float8_e5m2fnuz": {"eps": 0.125},
    "float8_e8m0fnu": {"min": 2.0**-127},
}


@row("torch.finfo")
class finfo:
    """The limits of a floating dtype."""

    def __init__(self, type: Any = None) -> None:
        dtype = dtype_of(type, default_dtype())
        name = dtype.to_real().name
        if name not in _FLOATS:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{dtype}'")
        self.bits, mantissa, top, bottom, self.resolution = _FLOATS[name]
        self.eps = 2.0**-mantissa
        self.max = (2 - self.eps) * 2.0**top
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0**bottom
        self.__dict__.update(_STATED.get(name, {}))
        self.dtype = name

    def __repr__(self) -> str:
        return f"finfo(resolution={self.resolution}, min={self.min}, max={self.max}, dtype={self.dtype})"


@row("torch.iinfo")
class iinfo:
    """The limits of an integer dtype."""

    def __init__(self, type: Any) -> None:
        dtype = dtype_of(type, None)
        if dtype.is_floating_point or dtype.is_complex or dtype is bool_:
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{dtype}'")
        self.bits = dtype.itemsize * 8
        self.min = -(1 << self.bits - 1) if dtype.is_signed else 0
        self.max = (1 << self.bits - dtype.is_signed) - 1
        self.dtype = dtype.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
