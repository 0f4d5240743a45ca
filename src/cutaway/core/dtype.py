"""Element types by name, with their size and how two of them combine."""

from __future__ import annotations

from cutaway.core.record import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """What promotion needs to know of an element type: category, then width."""

    category: int  # 0 bool, 1 integer, 2 floating, 3 complex
    bytes: int
    signed: bool = True


KINDS: dict[str, Kind] = {
    "bool": Kind(0, 1, False),
    "uint8": Kind(1, 1, False),
    "uint16": Kind(1, 2, False),
    "uint32": Kind(1, 4, False),
    "uint64": Kind(1, 8, False),
    "int8": Kind(1, 1),
    "int16": Kind(1, 2),
    "int32": Kind(1, 4),
    "int64": Kind(1, 8),
    "float8_e4m3fn": Kind(2, 1),
    "float8_e5m2": Kind(2, 1),
    "float8_e4m3fnuz": Kind(2, 1),
    "float8_e5m2fnuz": Kind(2, 1),
    "float8_e8m0fnu": Kind(2, 1),
    "float16": Kind(2, 2),
    "bfloat16": Kind(2, 2),
    "float32": Kind(2, 4),
    "float64": Kind(2, 8),
    "complex32": Kind(3, 4),
    "complex64": Kind(3, 8),
    "complex128": Kind(3, 16),
}

BOOL, INTEGER, FLOATING, COMPLEX = range(4)


def category(name: str) -> int:
    """Return `BOOL`, `INTEGER`, `FLOATING` or `COMPLEX`."""
    return KINDS[name].category


def itemsize(name: str) -> int:
    """Return the bytes that one element takes."""
    return KINDS[name].bytes


_COMPLEX_OF = {"float16": "complex32", "bfloat16": "complex64", "float32": "complex64", "float64": "complex128"}
_REAL_OF = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}


def to_real(name: str) -> str:
    """Return the type of a complex number's parts; other types stay."""
    return _REAL_OF.get(name, name)


def to_complex(name: str) -> str:
    """Return the complex type whose parts have this floating type."""
    return _COMPLEX_OF.get(name, name)


def promote(left: str, right: str) -> str:
    """Return the type that two tensors of equal standing combine to."""
    if left == right:
        return left
    a, b = KINDS[left], KINDS[right]
    if a.category != b.category:
        low, high = (left, right) if a.category < b.category else (right, left)
        if KINDS[high].category == COMPLEX and KINDS[low].category == FLOATING:
            return promote(to_complex(low), high)
        return high
    if a.category == FLOATING and a.bytes == b.bytes:
        return "float32"  # float16 with bfloat16
    if a.category == INTEGER and a.signed != b.signed:
        signed, unsigned = (a, b) if a.signed else (b, a)
        wide = signed.bytes if signed.bytes > unsigned.bytes else unsigned.bytes * 2
        return {1: "int8", 2: "int16", 4: "int32", 8: "int64"}.get(wide, "int64")
    return left if a.bytes > b.bytes else right
