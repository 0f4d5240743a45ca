"""`range`: the steps of long ranges are counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown, derived_unknown
from cutaway.interp.run.budget import tick
from cutaway.interp.run.choice import drawn
from cutaway.interp.symbolic.builtins import symbolic_range

_LONG = 1 << 20


class LongRange(Sequence[int]):
    """A range that is too long for host functions to iterate over: each step is counted."""

    def __init__(self, numbers: range) -> None:
        self.numbers = numbers
        self.start, self.stop, self.step = numbers.start, numbers.stop, numbers.step

    def __iter__(self) -> Iterator[int]:
        for number in self.numbers:
            tick()
            yield number

    def __len__(self) -> int:
        return len(self.numbers)

    def __contains__(self, item: object) -> bool:
        return item in self.numbers

    def __getitem__(self, index: Any) -> Any:
        item = self.numbers[index]
        return _counted_range(item) if isinstance(item, range) else item

    def __reversed__(self) -> Iterator[int]:
        return iter(self[::-1])

    def __eq__(self, other: object) -> bool:
        return self.numbers == (other.numbers if isinstance(other, LongRange) else other)

    def __hash__(self) -> int:
        return hash(self.numbers)

    def __repr__(self) -> str:
        return repr(self.numbers)

    def index(self, value: Any, *bounds: Any) -> int:
        return self.numbers.index(value, *bounds)

    def count(self, value: Any) -> int:
        return self.numbers.count(value)


def _counted_range(numbers: range) -> Any:
    return numbers if abs(numbers.stop - numbers.start) <= _LONG * abs(numbers.step) else LongRange(numbers)


class _RangeMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, (range, LongRange))

    def __call__(cls, *args: Any) -> Any:
        args = tuple(map(drawn, args))
        for argument in args:
            if isinstance(argument, Unknown):
                return derived_unknown(argument)
        if any(isinstance(argument, Dim) for argument in args):
            return symbolic_range(*args)
        return _counted_range(range(*args))


class Range(metaclass=_RangeMeta):
    """`range`; the steps of long ranges are counted."""
