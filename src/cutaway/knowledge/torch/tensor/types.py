"""The small value types of torch: dtypes, devices, sizes, layouts."""

from __future__ import annotations

from typing import Any

from cutaway.core import dtype as kinds
from cutaway.core.program_state import Key
from cutaway.core.size.dim import product
from cutaway.core.unknown import is_placement, placed
from cutaway.knowledge.base.registry import CONSTRUCTORS, DEVICE_TYPES, register


class DType:
    """A `torch.dtype`; there is one object per name, so `is` works as in torch."""

    def __init__(self, name: str) -> None:
        kind = kinds.KINDS[name]
        self.name = name
        self.itemsize = kind.bytes
        self.is_floating_point = kind.category == kinds.FLOATING
        self.is_complex = kind.category == kinds.COMPLEX
        self.is_signed = kind.signed

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __deepcopy__(self, memo: object) -> DType:
        return self

    def __copy__(self) -> DType:
        return self

    def to_real(self) -> DType:
        """Return the dtype of the real part."""
        return DTYPES[kinds.to_real(self.name)]

    def to_complex(self) -> DType:
        """Return the complex dtype with parts of this dtype."""
        return DTYPES[kinds.to_complex(self.name)]


DTYPES: dict[str, DType] = {name: DType(name) for name in kinds.KINDS}
_ALIASES = {
    "half": "float16", "float": "float32", "double": "float64", "short": "int16", "int": "int32",
    "long": "int64", "chalf": "complex32", "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip
for _name, _dtype in DTYPES.items():
    register(f"torch.{_name}", _dtype)
for _alias, _name in _ALIASES.items():
    register(f"torch.{_alias}", DTYPES[_name])
register("torch.dtype", DType)

bool_, int64, int32, uint8 = (DTYPES[n] for n in ("bool", "int64", "int32", "uint8"))
float16, bfloat16, float32, float64 = (DTYPES[n] for n in ("float16", "bfloat16", "float32", "float64"))
complex64, complex128 = DTYPES["complex64"], DTYPES["complex128"]


_DEFAULT_DTYPE: Key[DType] = Key(lambda: float32)


def default_dtype() -> DType:
    """Return what `torch.get_default_dtype()` would."""
    return _DEFAULT_DTYPE.get()


def set_default_dtype(d: DType) -> None:
    """Change the dtype of new floating tensors, for the session in progress."""
    _DEFAULT_DTYPE.set(d)


register("torch.get_default_dtype", default_dtype)
register("torch.set_default_dtype", set_default_dtype)


def dtype_of_number(value: Any) -> DType:
    """Return the dtype that torch gives a Python number."""
    if isinstance(value, bool):
        return bool_
    if isinstance(value, float):
        return default_dtype()
    if isinstance(value, complex):
        return default_dtype().to_complex()
    return int64


DType.__name__ = DType.__qualname__ = "dtype"


class Device:
    """A `torch.device`, also usable as a context manager; it decides nothing about shapes."""

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        if isinstance(type, Device):
            other: Any = type
            type, index = other.type, other.index
        if isinstance(type, int):
            type, index = "cuda", type
        if isinstance(type, str) and ":" in type:
            type, _, number = type.partition(":")
            index = int(number)
        self.type = type
        self.index = index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __repr__(self) -> str:
        return f"device(type={self.type!r})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_exc: object) -> None:
        pass


register("torch.device", Device)
DEVICE_TYPES.add(Device)


def _device(name: Any = "cpu", index: int | None = None, *, type: Any = None) -> Any:
    """Make a device; which one it is may depend on the machine."""
    name = name if type is None else type
    return placed(name, Device(name.usual.value, index)) if is_placement(name) else Device(name, index)


CONSTRUCTORS[Device] = _device
CPU = Device("cpu")


Device.__name__ = Device.__qualname__ = "device"


class Size(tuple[Any, ...]):
    """A `torch.Size`: a tuple of sizes that knows its product."""

    __slots__ = ()

    def numel(self) -> Any:
        """Return the number of elements."""
        return product(self)

    def __getitem__(self, key: Any) -> Any:
        item = tuple.__getitem__(self, key)
        return Size(item) if isinstance(key, slice) else item

    def __add__(self, other: Any) -> Any:
        return Size((*self, *other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Size((*other, *self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count: Any) -> Any:
        return Size(tuple.__mul__(self, count))

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"


register("torch.Size", Size)


class Constant:
    """A named constant of torch that is only passed around (a layout, a memory format)."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __deepcopy__(self, memo: object) -> Constant:
        return self


class Layout(Constant):
    """A `torch.layout`."""


class MemoryFormat(Constant):
    """A `torch.memory_format`."""


for _name in ("strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged"):
    register(f"torch.{_name}", Layout(f"torch.{_name}"))
for _name in ("contiguous_format", "channels_last", "channels_last_3d", "preserve_format"):
    register(f"torch.{_name}", MemoryFormat(f"torch.{_name}"))
register("torch.layout", Layout)
register("torch.memory_format", MemoryFormat)
