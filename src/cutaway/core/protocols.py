"""What values of modelled libraries offer the rest of Cutaway, beyond what the target sees of them.

A class takes part by being entered here, with all that derive from it: a class of the target that happens to have methods
of these names does not. The questions are asked of the class, so that a target's `__getattr__` is never run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from cutaway.core.unknown import Unknown

FACTS_OF_TENSORS = frozenset(("_shape", "_dtype", "requires_grad"))
"""The attributes of a tensor by which a network is described."""

FACTS_APART = frozenset(("requires_grad",))
"""Those of them that may be unknown while the others are known."""


class Module(Protocol):
    """A module or layer: what the tree of a network consists of."""

    def mark_incomplete(self, unknown: Unknown) -> None:
        """Note that what it consists of could not be followed to the end."""


class Container(Protocol):
    """A module that holds others, to which a loop of symbolic length may add."""

    def held_children(self) -> Any:
        """Return its children, to compare with later."""

    def repeat_children(self, before: Any, count: Any, index: str) -> bool:
        """Repeat the children that were added since; False where that can't be expressed."""


class Tensor(Protocol):
    """A tensor of a modelled framework."""

    def reference(self) -> Any:
        """Return its number in the dataflow graph, with its shape and dtype."""

    def with_sizes(self, sizes: tuple[Any, ...]) -> Any:
        """Return it with other sizes."""


class Joinable(Protocol):
    """A tensor that can be joined with another one, and of whose items the sizes are known."""

    def joined_with(self, other: Any, is_older: Callable[[Any], bool]) -> Any:
        """Return a new tensor that is what both have in common, None where they differ in more than sizes.

        `is_older` tells whether an object is older than the two states: it may be referred to elsewhere.
        """

    def any_item(self) -> Any:
        """Return an item, it is unknown which; None where nothing is known of it."""


class Memory(Protocol):
    """The memory of tensors, which counts how often it was written to."""

    def join(self, other: int) -> None:
        """Note that it has been written to in one of two states; in the other one it had been `other` times."""


class Array(Protocol):
    """An array whose numbers may become unknown."""

    def forget_numbers(self) -> None:
        """Make the numbers unknown; shape and dtype stay."""

    def without_numbers(self) -> Any:
        """Return it without its numbers."""


Kind = TypeVar("Kind", bound=type)


class Role:
    """Classes of modelled libraries that offer the same; a class is entered by decorating it."""

    __slots__ = ("kinds",)

    def __init__(self) -> None:
        self.kinds: tuple[type, ...] = ()

    def __call__(self, cls: Kind) -> Kind:
        self.kinds = (*self.kinds, cls)
        return cls


MODULE, CONTAINER, TENSOR, RESIZABLE, JOINABLE, MEMORY, ARRAY = (Role() for _ in range(7))


def is_module(value: Any) -> bool:
    """Tell whether a value is a module."""
    return issubclass(type(value), MODULE.kinds)


def is_module_class(value: Any) -> bool:
    """Tell whether a value is a class of modules."""
    return isinstance(value, type) and issubclass(value, MODULE.kinds)


def is_container(value: Any) -> bool:
    """Tell whether a value is a module that holds others."""
    return issubclass(type(value), CONTAINER.kinds)


def is_tensor(value: Any) -> bool:
    """Tell whether a value is a tensor."""
    return issubclass(type(value), TENSOR.kinds)


def is_resizable(value: Any) -> bool:
    """Tell whether a value is a tensor whose sizes can be replaced."""
    return issubclass(type(value), RESIZABLE.kinds)


def is_joinable(value: Any) -> bool:
    """Tell whether a value is a tensor that can be joined with another one."""
    return issubclass(type(value), JOINABLE.kinds)


def is_memory(value: Any) -> bool:
    """Tell whether a value is the memory of tensors."""
    return issubclass(type(value), MEMORY.kinds)


def has_no_numbers(value: Any) -> bool:
    """Tell whether a value is an array whose numbers may be unknown."""
    return issubclass(type(value), ARRAY.kinds)
