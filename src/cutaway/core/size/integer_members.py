"""What Python's integers have beside arithmetic, of a symbolic size: what depends on its digits is unknown."""

from __future__ import annotations

from typing import Any

from cutaway.core.unknown import Unknown


class IntegerMembers:
    """Attributes, and operators on bits."""

    __slots__ = ()
    imag, denominator = 0, 1

    def of_digits(self, other: object = 0) -> Any:
        """Return what depends on the digits of the size and on another operand."""
        if isinstance(other, (int, IntegerMembers)):
            return Unknown(f"what depends on the digits of the size {self} is not computed", kind=int)
        return other if isinstance(other, Unknown) else NotImplemented

    def __and__(self, other: Any) -> Any:
        return self.of_digits(other)

    __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __and__

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other  # type: ignore[operator]

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __invert__(self) -> Any:
        return -self - 1  # type: ignore[operator]

    def __round__(self, digits: Any = None) -> Any:
        return self if digits is None or (isinstance(digits, int) and digits >= 0) else self.of_digits()

    @property
    def real(self) -> Any:
        return self

    numerator = real

    def conjugate(self) -> Any:
        return self

    def is_integer(self) -> bool:
        return True

    def bit_length(self, *_arguments: Any) -> Any:
        return self.of_digits()

    bit_count = bit_length

    def to_bytes(self, *_arguments: Any, **_options: Any) -> Unknown:
        return Unknown(f"what depends on the digits of the size {self} is not computed")
