"""Which element types TensorFlow's functions take: floating, integer, unsigned, complex, boolean."""

from __future__ import annotations

from cutaway.core.fault import TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.keras.tensors.dtypes import DTYPES, UNTOLD, DType

_KINDS = {"f": "floating", "i": "integer", "u": "unsigned", "c": "complex", "b": "boolean", "s": "text"}


def _letter(dtype: DType) -> str:
    if dtype.is_floating:
        return "f"
    if dtype == "bool":
        return "b"
    if dtype == "string":
        return "s"
    return "c" if dtype.is_complex else "u" if dtype.startswith("u") else "i"


def require(name: str, dtype: DType, letters: str) -> None:
    """Raise where a function does not take a type."""
    if dtype != UNTOLD and _letter(dtype) not in letters:
        kinds = " or ".join(_KINDS[letter] for letter in letters)
        raise TypeFault(
            f"{name}: a tensor of {dtype} is given, but the type must be {kinds}", FaultCode.UNSUPPORTED_DTYPE
        )


def divided(dtype: DType) -> DType:
    """Return the type of a true quotient: that of integers is floating."""
    if dtype.is_integer:
        return DTYPES["float32" if dtype in ("int8", "uint8", "int16", "uint16") else "float64"]
    return dtype
