"""What a saved graph contains beyond its `Architecture`: each operation whole, known numbers, and where tensors are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cutaway.core.record import dataclass, field
from cutaway.core.size.dim import Size


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor in a file. `pieces` yields its bytes in order, little-endian; None where they can't be read."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    pieces: Callable[[], Iterator[bytes]] | None = field(default=None, compare=False)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a value: shape, element type, and numbers where it is small; None among them is unknown."""

    shape: tuple[Size, ...] | None = None
    dtype: str | None = None
    numbers: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its inputs by place, an empty name where one is omitted, and its attributes in full.

    An attribute that is a tensor is a `Stored`; one that is a graph is the `Contents` of it. `version` is that of the
    operator set. `problem` says why its outputs are not known.
    """

    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    module: str = ""
    version: int = 0
    condition: str | None = None
    repeat: Any = 1
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Contents:
    """A graph: its operations in the order of execution, what is known of values, and the tensors that it stores."""

    name: str
    framework: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    operations: tuple[Operation, ...]
    facts: Mapping[str, Fact]
    tensors: Mapping[str, Stored]
    classes: Mapping[str, str] = field(default_factory=dict)
    separator: str = "."
    problems: tuple[str, ...] = ()
