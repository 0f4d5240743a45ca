"""Functions that make tensors from sizes and from Python or numpy data."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.lazy_list import LazyList
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import own, register
from cutaway.knowledge.base.values import LIMIT, Lazy
from cutaway.knowledge.torch.elementwise.rows import is_numpy, of_numpy, operand
from cutaway.knowledge.torch.tensor.op import Out, composite, compute, op
from cutaway.knowledge.torch.tensor.options import device_of, dtype_of, size, sizes
from cutaway.knowledge.torch.tensor.promote import promote_types
from cutaway.knowledge.torch.tensor.tensor import TENSOR_METHODS, Tensor, TensorMeta, attach_method, new
from cutaway.knowledge.torch.tensor.types import DTYPES, DType, Size, default_dtype, dtype_of_number, set_default_dtype

# Filled with one number


def _filled(name: str, number: Any) -> None:
    """Enter `name`, `name_like` and `new_name`; `number` is None where the memory is not initialised."""

    def values(shape: Any) -> Lazy | None:
        return None if number is None else filling(shape, number)

    def make(
        *size, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None, **named
    ):
        shape = sizes(name, size, named)
        dtype = dtype_of(dtype, default_dtype())
        return Out(shape, dtype, values(shape), device=device_of(device), requires_grad=requires_grad)

    def like(input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None):
        dtype = dtype_of(dtype, input.dtype)
        return Out(input.shape, dtype, values(input.shape), device=device_of(device), requires_grad=requires_grad)

    def method(self, *size, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, **named):
        shape = sizes(f"new_{name}", size, named)
        dtype = dtype_of(dtype, self.dtype)
        return Out(shape, dtype, values(shape), device=device_of(device), requires_grad=requires_grad)

    op(f"torch.{name}")(make)
    op(f"torch.{name}_like")(like)
    op(f"torch.Tensor.new_{name}")(method)


def filling(shape: Any, number: Any) -> Lazy | None:
    """Return the numbers of a tensor that holds one number everywhere, where they are few."""
    if isinstance(shape, Unknown) or not all(isinstance(s, int) for s in shape):
        return None
    count = 1
    for s in shape:
        count *= s
    return compute(lambda np, value: np.full(shape, value), number) if count <= LIMIT else None


_filled("zeros", 0)
_filled("ones", 1)
_filled("empty", None)


def _number_dtype(value: Any) -> DType:
    if isinstance(value, Unknown):
        raise Undecidable(value)
    return value.dtype if isinstance(value, Tensor) else dtype_of_number(operand("full", value))


@op("torch.full")
def full(size, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, names=None):
    shape = sizes("full", (size,))
    dtype = dtype_of(dtype, None) or _number_dtype(fill_value)
    return Out(shape, dtype, filling(shape, fill_value), device=device_of(device), requires_grad=requires_grad)


@op("torch.full_like")
def full_like(
    input, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
    memory_format=None,
):  # fmt: skip
    dtype = dtype_of(dtype, input.dtype)
    return Out(
        input.shape, dtype, filling(input.shape, fill_value), device=device_of(device), requires_grad=requires_grad
    )


@op("torch.Tensor.new_full")
def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    shape = sizes("new_full", (size,))
    dtype = dtype_of(dtype, self.dtype)
    return Out(shape, dtype, filling(shape, fill_value), device=device_of(device), requires_grad=requires_grad)


@op("torch.empty_strided", strided=True)
def empty_strided(size, stride, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    return Out(sizes("empty_strided", (size,)), dtype_of(dtype, default_dtype()), device=device_of(device))


@op("torch.Tensor.new_empty_strided", strided=True)
def new_empty_strided(self, size, stride, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    return Out(sizes("new_empty_strided", (size,)), dtype_of(dtype, self.dtype), device=device_of(device))


@op("torch.empty_permuted", strided=True)
def empty_permuted(
    size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False
):
    return Out(sizes("empty_permuted", (size,)), dtype_of(dtype, default_dtype()), device=device_of(device))


@op("torch.scalar_tensor")
def scalar_tensor(s, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    dtype = dtype_of(dtype, default_dtype())
    return Out((), dtype, filling((), s), device=device_of(device), requires_grad=requires_grad)


# From data


class _Data:
    """What nested Python data says of the tensor made from it."""

    def __init__(self, data: Any) -> None:
        self.leaves: list[Any] = []
        self.dtype: DType | None = None
        self.undecided: Unknown | None = None
        self.known = True
        shape = self._read(data, ())
        if shape is None:
            assert self.undecided is not None, "only an unknown element has no shape"
            raise Undecidable(self.undecided)
        self.shape: tuple[Any, ...] = shape

    def _read(self, data: Any, path: tuple[int, ...]) -> tuple[Any, ...] | None:
        """Return the shape of one element; None where it is unknown: it may be a number or a list."""
        if isinstance(data, (bool, int, float, complex)) and not is_numpy(data):
            self._count(dtype_of_number(data))
            self.leaves.append(data)
            return ()
        if isinstance(data, Unknown):
            self.known = False
            if data.kind is not None:
                self._count(dtype_of_number(data.kind()))
                return ()
            self.undecided = data
            return None
        if isinstance(data, Dim):
            self.known = False
            self._count(DTYPES["int64"])
            return ()
        if isinstance(data, Tensor) or is_numpy(data):
            return self._array(data if isinstance(data, Tensor) else of_numpy(data))
        if isinstance(data, (str, bytes, dict)) or not (hasattr(data, "__len__") and hasattr(data, "__getitem__")):
            raise TypeFault(f"tensor: can't make a tensor of {type(data).__name__}", FaultCode.WRONG_TYPE)
        return self._sequence(data, path)

    def _count(self, dtype: DType) -> None:
        self.dtype = dtype if self.dtype is None else promote_types(self.dtype, dtype)

    def _array(self, tensor: Tensor) -> tuple[Any, ...]:
        self._count(tensor.dtype)
        if tensor.values_ is None:
            self.known = False
        else:
            self.leaves.append(tensor.values_)
        if isinstance(tensor.shape, Unknown):
            raise Undecidable(tensor.shape)
        return tuple(tensor.shape)

    def _sequence(self, data: Any, path: tuple[int, ...]) -> tuple[Any, ...] | None:
        inner: tuple[Any, ...] | None = None
        if type(data) is list and len(data) > 1 and set(map(type, data)) == {int}:
            self._count(DTYPES["int64"])
            self.leaves.extend(data)
            return (len(data),)
        for i in range(len(data)):
            shape = self._read(data[i], (*path, i))
            if shape is None:
                continue
            if inner is not None and shape != inner:
                lengths = (inner[0] if inner else "a number", shape[0] if shape else "a number")
                raise ArgumentFault(
                    f"tensor: the data is ragged: at {''.join(f'[{p}]' for p in path)}[{i}] it has length "
                    f"{lengths[1]}, but before {lengths[0]}",
                    FaultCode.RAGGED_DATA,
                )
            inner = shape
        if inner is None and len(data):
            return None
        return (len(data), *(inner or ()))

    def values(self) -> Lazy | None:
        """Return the numbers where all are known."""
        if not self.known:
            return None
        shape = self.shape

        def numbers(np: Any, *leaves: Any) -> Any:
            return np.array(leaves).reshape(shape)

        return Lazy(numbers, self.leaves)


def of_data(data: Any, dtype: DType | None) -> tuple[Any, DType, Lazy | None]:
    """Return the shape, dtype and numbers of the tensor that `torch.tensor(data)` is."""
    if type(data) is LazyList and data.numbers and dtype is not None:
        return (len(data),), dtype, Lazy(lambda np: np.array(list(data)))
    read = _Data(data)
    if dtype is None and read.undecided is not None and (read.dtype is None or not read.dtype.is_floating_point):
        raise Undecidable(read.undecided)
    return read.shape, dtype or read.dtype or default_dtype(), read.values()


@op("torch.tensor")
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    shape, dtype, values = of_data(data, dtype_of(dtype, None))
    return Out(shape, dtype, values, device=device_of(device), requires_grad=requires_grad)


@op("torch.Tensor.new_tensor")
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    shape, dtype, values = of_data(data, dtype_of(dtype, self.dtype))
    return Out(shape, dtype, values, device=device_of(device), requires_grad=requires_grad)


def _rule_of(row):
    """Return the rule of a row, which records nothing itself."""
    return row.__wrapped__


@op("torch.as_tensor")
def as_tensor(data, dtype=None, device=None):
    if isinstance(data, Tensor):
        return _rule_of(TENSOR_METHODS["to"])(data, dtype=dtype, device=device)
    return _in_memory_of(data, _rule_of(tensor)(data, dtype=dtype, device=device))


def _in_memory_of(data: Any, out: Out) -> Out:
    """Say that a tensor may lie in the memory of what it is made of, which is so for an array of numpy."""
    if is_numpy(data) and hasattr(data, "__setitem__"):
        out.shares = data
    return out


@op("torch.asarray")
def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    if isinstance(obj, Tensor) and not copy:
        return _rule_of(TENSOR_METHODS["to"])(obj, dtype=dtype, device=device)
    return _in_memory_of(obj, _rule_of(tensor)(obj, dtype=dtype, device=device, requires_grad=requires_grad))


@composite("torch.from_numpy")
def from_numpy(ndarray):
    if isinstance(ndarray, Unknown):
        return ndarray
    if not is_numpy(ndarray):
        raise TypeFault(f"from_numpy: expected a numpy array, but got {type(ndarray).__name__}", FaultCode.WRONG_TYPE)
    made = of_numpy(ndarray)
    made.share(ndarray)
    return made


@op("torch.frombuffer")
def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    length = count if count > 0 else (len(buffer) - offset) // dtype.itemsize
    values = Lazy(lambda np: np.frombuffer(buffer, dtype.name, length, offset).copy())
    out = Out((length,), dtype, values, requires_grad=requires_grad)
    out.shares = None if isinstance(buffer, bytes) else buffer
    return out


# The constructors of old: `torch.Tensor(2, 3)`, `torch.FloatTensor([1, 2])`


def legacy_tensor(*data: Any, dtype: DType | None = None, device: Any = None) -> Any:
    """Make what `torch.Tensor(...)` makes: of sizes, or of data."""
    made = dtype or default_dtype()
    if not data:
        return new((0,), made)
    first = data[0]
    if len(data) == 1 and isinstance(first, Unknown):
        return new(first, made)
    if len(data) == 1 and not isinstance(first, (int, Dim, Size)):
        shape, _, values = of_data(first, made)
        return new(shape, made, values=values and Lazy(lambda np, a: a.astype(made.name), [values]))
    shape = tuple(first) if isinstance(first, Size) else tuple(size("Tensor", s) for s in data)
    return new(shape, made)


def _init(self: Tensor, *data: Any, **_options: Any) -> None:
    """`torch.Tensor(2, 3)` or `torch.Tensor([[1., 2.]])`."""
    self.__dict__.update(legacy_tensor(*data).__dict__)


attach_method("__init__", _init)


class TypedMeta(TensorMeta):
    """`torch.FloatTensor(2, 3)` makes a tensor; every float32 tensor is an instance of it."""

    element: DType

    def __call__(cls, *data: Any, device: Any = None) -> Any:
        return legacy_tensor(*data, dtype=cls.element)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.element


TYPED: dict[str, Any] = {}
"""The classes by their full names, as `Tensor.type()` gives them."""
_ELEMENTS = {
    "Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Byte": "uint8",
    "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64", "Bool": "bool",
    "ComplexFloat": "complex64", "ComplexDouble": "complex128",
}  # fmt: skip
for _owner in ("torch", "torch.cuda"):
    for _name, _element in _ELEMENTS.items():
        _class = TypedMeta(
            f"{_name}Tensor", (Tensor,), {"element": DTYPES[_element], "__module__": _owner, "dtype": DTYPES[_element]}
        )
        TYPED[f"{_owner}.{_name}Tensor"] = own(_class)
        if not _name.startswith("Complex"):
            register(f"{_owner}.{_name}Tensor", _class)


@op("torch.Tensor.new")
def new_legacy(self, *data, device=None):
    made = legacy_tensor(*data, dtype=self.dtype)
    return Out(made.shape, made.dtype, made.values_)


@composite("torch.set_default_tensor_type")
def set_default_tensor_type(t):
    chosen = TYPED.get(t) if isinstance(t, str) else t
    if isinstance(chosen, TypedMeta):
        set_default_dtype(chosen.element)
