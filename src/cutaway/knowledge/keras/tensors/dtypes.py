"""Element types: `tf.DType`, Keras's names for them, and how they combine."""

from __future__ import annotations

from typing import Any

from cutaway.core.dtype import KINDS
from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.program_state import Key
from cutaway.core.unknown import Undecidable, Unknown


class DType(str):
    """An element type. It is its own name, so that it equals what a program compares it with."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return str(self)

    @property
    def base_dtype(self) -> DType:
        return self

    @property
    def is_floating(self) -> bool:
        return "float" in self

    @property
    def is_integer(self) -> bool:
        return "int" in self

    @property
    def is_complex(self) -> bool:
        return self.startswith("complex")

    @property
    def is_bool(self) -> bool:
        return self == "bool"

    @property
    def size(self) -> int:
        return KINDS[str(self)].bytes

    @property
    def itemsize(self) -> int:
        return self.size

    @property
    def as_numpy_dtype(self) -> Any:
        import numpy

        return numpy.dtype(str(self)).type

    @property
    def max(self) -> Any:
        return self._limits().max

    @property
    def min(self) -> Any:
        return self._limits().min

    def _limits(self) -> Any:
        import numpy

        if str(self) in ("bfloat16", "bool", "string"):
            raise Undecidable(Unknown(f"the limits of {self} are not modelled"))
        return numpy.iinfo(str(self)) if self.is_integer else numpy.finfo(str(self))

    def __hash__(self) -> int:
        return str.__hash__(self)

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other if isinstance(other, str) else _name(other)) is True

    def __ne__(self, other: object) -> bool:
        return not self == other


NAMES = (
    "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float32 float64 bfloat16 complex64 complex128 "
    "string float8_e4m3fn float8_e5m2"
).split()
DTYPES = {name: DType(name) for name in NAMES}
UNTOLD = DType("unknown")
"""The type of a tensor of which not even that can be told."""
_OTHER_NAMES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "int": "int64",
    "str": "string",
    "object": "string",
    "object_": "string",
    "bool_": "bool",
    "str_": "string",
}
_PYTHON = {bool: "bool", int: "int64", float: "float32", str: "string"}


def _name(dtype: Any) -> str:
    if isinstance(dtype, type):
        if dtype in _PYTHON:
            return _PYTHON[dtype]
        return dtype.__name__
    return str(getattr(dtype, "name", None) or "")


FLOATX: Key[DType] = Key(lambda: DTYPES["float32"])


def floatx() -> DType:
    """Return the element type of what has none given."""
    return FLOATX.get()


def standardize(dtype: Any) -> DType:
    """Return the element type that an argument names."""
    if isinstance(dtype, DType):
        return dtype
    if dtype is None:
        return floatx()
    if type(dtype) is Unknown:
        raise Undecidable(dtype)
    name = str(dtype) if isinstance(dtype, str) else _name(dtype)
    name = _OTHER_NAMES.get(name, name)
    if name.startswith(("<U", "<S", "|S", ">U")):
        name = "string"
    if name not in DTYPES:
        raise ArgumentFault(f"invalid dtype: {name or dtype!r}", FaultCode.INVALID_ARGUMENT)
    return DTYPES[name]


_SIGNED = ["int8", "int16", "int32", "int64"]
_UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
_FLOATS = ["bfloat16", "float16", "float32", "float64"]


def differ(left: DType, right: DType) -> bool:
    """Tell whether two types are known not to be the same."""
    return left != right and UNTOLD not in (left, right)


def promote(*dtypes: Any) -> DType:
    """Return the type that operands combine to. Python's `int` and `float` count as weak types."""
    strong = [standardize(d) for d in dtypes if d not in (int, float, bool) or isinstance(d, str)]
    weak = [d for d in dtypes if d in (int, float) and not isinstance(d, str)]
    if not strong:
        if float in weak:
            return floatx()
        return DTYPES["int32"] if weak else DTYPES["bool"]
    if UNTOLD in strong:
        return UNTOLD
    found = strong[0]
    for dtype in strong[1:]:
        found = _two(found, dtype)
    if float in weak and not found.is_floating and not found.is_complex:
        return floatx()
    if int in weak and found == "bool":
        return DTYPES["int32"]
    return found


def _two(left: DType, right: DType) -> DType:
    if left == right:
        return left
    if left.is_complex or right.is_complex:
        wide = "complex128" in (left, right) or "float64" in (left, right)
        return DTYPES["complex128" if wide else "complex64"]
    floats = [d for d in (left, right) if d.is_floating]
    if len(floats) == 1:
        return floats[0]
    if len(floats) == 2:
        if {str(left), str(right)} == {"bfloat16", "float16"}:
            return DTYPES["float32"]
        return DTYPES[max(floats, key=lambda d: _FLOATS.index(str(d)) if str(d) in _FLOATS else -1)]
    for one, other in ((left, right), (right, left)):
        if one == "bool":
            return other
    sides = {str(left), str(right)}
    if sides <= set(_SIGNED):
        return DTYPES[max(sides, key=_SIGNED.index)]
    if sides <= set(_UNSIGNED):
        return DTYPES[max(sides, key=_UNSIGNED.index)]
    signed = next((d for d in sides if d in _SIGNED), None)
    unsigned = next((d for d in sides if d in _UNSIGNED), None)
    if signed is None or unsigned is None:
        raise ArgumentFault(f"{left} and {right} do not combine", FaultCode.DTYPE_MISMATCH)
    if unsigned == "uint64":
        return floatx()
    return DTYPES[_SIGNED[max(_SIGNED.index(signed), _UNSIGNED.index(unsigned) + 1)]]


def to_float(dtype: Any) -> DType:
    """Return a float type as it is, and for any other that which its numbers are divided in."""
    dtype = standardize(dtype)
    return dtype if dtype.is_floating or dtype.is_complex else floatx()
