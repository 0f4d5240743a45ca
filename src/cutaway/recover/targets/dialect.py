"""What is different between frameworks in the code: one object for each, which everything that writes code asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from cutaway.core.record import dataclass, field
from cutaway.recover.graph import Node, Tensor

Write: TypeAlias = Callable[[str, Any], str]
"""How a number is written, given what it is for and its value."""


@dataclass(frozen=True, slots=True)
class LayerForm:
    """How a layer is written: how many arguments are given by position, defaults, and its function."""

    positional: int = 0
    defaults: Mapping[str, Any] = field(default_factory=dict)
    function: str = ""


class Dialect(Protocol):
    """How a framework's code is written."""

    forms: Mapping[str, LayerForm]
    layer_prefix: str  # what the names of layers begin with
    sequential: str  # the class of a sequence of layers
    names_parts: bool  # whether the parts of a sequence may have names
    identity: str  # a layer that does nothing
    bases: tuple[str, str]  # the classes that blocks and networks are made from
    forward: str  # the method that is called
    annotation: str  # the type of a tensor
    reserved: frozenset[str]  # names that a class can't have
    attributes: frozenset[str]  # names that parts can't have: its classes have them

    def render(self, node: Node, names: Sequence[tuple[str, int]], write: Write) -> tuple[str, int]:
        """Return the expression of a node and how strongly it binds."""
        ...

    def call(self, op: str, target: str, arguments: list[str]) -> str:
        """Return the call of a layer."""
        ...

    def list_of(self, elements: list[str]) -> str:
        """Return a list of modules."""
        ...

    def sequence(self, entries: list[tuple[str, str]]) -> str:
        """Return what a sequence of named parts is constructed with."""
        ...

    def parameter(self, own: str, sizes: list[str], tensor: Tensor) -> str:
        """Return the statement that makes a parameter of a block."""
        ...

    def imports(self, body: list[str]) -> list[str]:
        """Return the imports that code needs."""
        ...

    def loader(self, name: str, weights_file: str, inputs: Sequence[tuple[tuple[int, ...], str]] | None) -> list[str]:
        """Return the function that loads the weights."""
        ...
