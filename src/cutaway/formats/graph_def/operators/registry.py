"""The table of operations: the name in a file -> the rule that says what comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cutaway.core.size.dim import Size
from cutaway.formats.graph_def.messages import Node
from cutaway.formats.graph_def.value import Shape, Value


class Open(Exception):
    """A rule can't tell what comes out; the message says why."""


@dataclass(frozen=True, slots=True)
class Out:
    """A tensor that an operation makes; `dtype` is None where it is that of the operation."""

    shape: Shape
    dtype: str | None = None
    numbers: tuple[Size | None, ...] | None = None
    macs: Size = 0
    element: Value | None = None


@dataclass(slots=True)
class Call:
    """An operation with its inputs."""

    node: Node
    inputs: Sequence[Value]

    @property
    def name(self) -> str:
        """The operation's name, for messages."""
        return self.node.op

    def value(self, at: int) -> Value:
        """Return an input."""
        if not -len(self.inputs) <= at < len(self.inputs):
            raise Open(f"{self.name} has no input {at}")
        return self.inputs[at]

    def shape(self, at: int) -> tuple[Size, ...]:
        """Return the shape of an input."""
        shape = self.value(at).shape
        if shape is None:
            raise Open("the shape of an input is not known")
        return shape

    def whole(self, at: int) -> list[int]:
        """Return the numbers of an input."""
        numbers = self.value(at).whole()
        if numbers is None:
            raise Open(f"{self.name}: the numbers of an input are not known")
        return numbers

    def number(self, at: int) -> int:
        """Return the only number of an input."""
        numbers = self.whole(at)
        if len(numbers) != 1:
            raise Open(f"{self.name}: a single number was expected")
        return numbers[0]

    def sizes(self, at: int) -> list[Size]:
        """Return the numbers of an input as sizes."""
        sizes = self.value(at).sizes()
        if sizes is None:
            raise Open(f"{self.name}: the numbers of an input are not known")
        return sizes

    def axis(self, at: int, rank: int) -> int:
        """Return an axis counted from the front."""
        return self.within(self.number(at), rank)

    def within(self, axis: int, rank: int) -> int:
        """Return an axis counted from the front, if it is one."""
        if not -rank <= axis < rank:
            raise Open(f"{self.name}: there is no axis {axis} in {rank} dimensions")
        return axis % rank


Rule = Callable[[Call], Sequence[Out]]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Enter a rule under the names of operations."""

    def enter(function: Rule) -> Rule:
        for name in names:
            if name in RULES:
                raise ValueError(f"two rules claim {name}")
            RULES[name] = function
        return function

    return enter


def names(text: str) -> list[str]:
    """Return words."""
    return text.split()


Numbers = tuple[Any, ...]
