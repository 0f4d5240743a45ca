"""What is known of a tensor in a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cutaway.core.architecture import Quantity
from cutaway.core.architecture import Shape as StatedShape
from cutaway.core.size.dim import Dim, Size, equal, is_known, product, rewritten, unknown_size
from cutaway.core.size.parser import detached

Shape = tuple[Size, ...] | None
MOST_NUMBERS = 1024


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor: its shape, element type, and its numbers where they are few and whole, in one row.

    `weight` is the name of the weight that it is, or that it is the handle of. `element` is what a list of tensors
    holds. `condition` is when it is computed, `frame` the loop that computes it.
    """

    name: str
    shape: Shape
    dtype: str | None
    numbers: tuple[Size | None, ...] | None = None
    weight: str | None = None
    element: Value | None = None
    condition: str | None = None
    frame: str | None = None
    is_constant: bool = False

    def sizes(self) -> list[Size] | None:
        """Return the numbers as sizes, those that are not known as unknown ones; None where not even how many is known."""
        if self.numbers is not None:
            return [unknown_size() if each is None else each for each in self.numbers]
        if self.shape is not None and len(self.shape) == 1 and type(self.shape[0]) is int and self.shape[0] <= 64:
            return [unknown_size() for _ in range(self.shape[0])]
        return [unknown_size()] if self.shape == () else None

    def whole(self) -> list[int] | None:
        """Return the numbers, if all of them are known."""
        if self.numbers is None or any(type(each) is not int for each in self.numbers):
            return None
        return [each for each in self.numbers if type(each) is int]

    def number(self) -> int | None:
        """Return a single known number."""
        known = self.whole()
        return known[0] if known is not None and len(known) == 1 else None


def told(shape: Sequence[int | None] | None) -> Shape:
    """Return a shape that a file states; sizes that it leaves open are unknown."""
    return None if shape is None else tuple(unknown_size() if size is None else size for size in shape)


def stated(shape: Shape) -> StatedShape:
    """Return a shape in the form of the representation."""
    return None if shape is None else tuple(quantity(size) for size in shape)


def quantity(size: Any) -> Quantity:
    """Return a size in the form of the representation, None where it is unknown."""
    if isinstance(size, int):
        return size
    if not isinstance(size, Dim):
        return None
    size = rewritten(size)
    if isinstance(size, int):
        return size
    return detached(size) if is_known(size) else None


def elements(shape: Shape) -> Size | None:
    """Return how many elements there are."""
    return None if shape is None else product(shape)


def joined(left: Shape, right: Shape) -> Shape:
    """Return what two shapes have in common."""
    if left is None or right is None or len(left) != len(right):
        return None
    return tuple(a if equal(a, b) is True else unknown_size() for a, b in zip(left, right))


def merged(left: Value, right: Value) -> Value:
    """Return what two tensors have in common, one of which is taken."""
    numbers = left.numbers if left.numbers is not None and left.numbers == right.numbers else None
    weight = left.weight if left.weight == right.weight else None
    element = _joint_element(left.element, right.element)
    shape = joined(left.shape, right.shape)
    dtype = left.dtype if left.dtype == right.dtype else None
    return replace(left, shape=shape, dtype=dtype, numbers=numbers, weight=weight, element=element)


DECLARED = "declared"
"""The name of what a list is made for, before something is put into it."""


def _joint_element(left: Value | None, right: Value | None) -> Value | None:
    """Return what two states of a list hold; one that holds nothing yet says nothing."""
    if left is None or right is None:
        return left or right
    if left.name == DECLARED or right.name == DECLARED:
        return right if left.name == DECLARED else left
    return left if left.shape == right.shape else replace(left, shape=joined(left.shape, right.shape))


def compatible(left: Shape, right: Sequence[int | None] | None) -> bool:
    """Tell whether an inferred shape may be the one that a file states."""
    if left is None or right is None:
        return True
    return len(left) == len(right) and all(b is None or equal(a, b) is not False for a, b in zip(left, right))


def completed(inferred: Shape, claimed: Sequence[int | None] | None) -> Shape:
    """Return an inferred shape, with what the file states in place of what could not be inferred."""
    if claimed is None:
        return inferred
    if inferred is None:
        return told(claimed)
    return tuple(
        b if b is not None and isinstance(a, Dim) and not is_known(rewritten(a)) else a
        for a, b in zip(inferred, claimed)
    )
