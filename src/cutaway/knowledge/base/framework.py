"""The seam between the interpreter and the frameworks: how a network is recognised, run and read off."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

from cutaway.core.architecture import Architecture
from cutaway.core.place import Place
from cutaway.core.session import Call, Session
from cutaway.core.size.dim import Size
from cutaway.knowledge.base.input_conventions import Settings


class Framework(Protocol):
    """What a framework's package offers the interpreter.

    A framework derives a class from it, and enters an instance into `FRAMEWORKS`. What has an answer here suits a
    framework that has nothing of the kind.
    """

    name: str
    mode_attribute: str = ""
    """The attribute of a network that tells whether it is being trained."""
    mode_argument: str = ""
    """The argument of a network's call that tells whether it is being trained."""
    part_tables: frozenset[str] = frozenset()
    """The attributes of a network that hold its parts by name."""
    bookkeeping: frozenset[str] = frozenset()
    """Other attributes of a network that the framework keeps, and no program sets."""
    reading_methods: frozenset[str] = frozenset()
    """Methods that leave a network as it is."""
    moving_methods: frozenset[str] = frozenset()
    """Methods that move something to a device, or act on one, and do nothing else."""
    adding_methods: frozenset[str] = frozenset()
    """Methods that add a part to a network."""

    def main_input(self, network: Any) -> str | None:
        """Return the name of the input that a network itself calls its main one, None where it does not."""
        return None

    def is_network(self, value: object) -> bool:
        """Tell whether a value of the target is a network of this framework."""

    def is_part(self, value: object) -> bool:
        """Tell whether a value may be a part of a network: a network, or a layer of the framework's own."""
        return self.is_network(value)

    def is_network_class(self, value: object) -> bool:
        """Tell whether a value is a class of the target whose instances are networks."""

    def presumed_base(self, methods: Collection[str]) -> type | None:
        """Return the class that an unknown base is taken for in a class with these methods, None where it is not clear."""
        return None

    def is_loss(self, network: Any) -> bool:
        """Tell whether a network compares the output of another one with what it should be."""
        return False

    def has_weights(self, network: Any) -> bool:
        """Tell whether a network has weights, or may have some."""
        return True

    def is_left_to_itself(self, network: Any) -> bool:
        """Tell whether a program has optimizers, and none of them has a parameter of a network that has some."""
        return False

    def unbound(self) -> list[tuple[str, Any]]:
        """Return networks of the program that no name of it is bound to, with what to call them."""
        return []

    def tensor(self, shape: Sequence[Size] | None, dtype: str, name: str, number: int | None = None) -> Any:
        """Make an input; a shape of None is an unknown one, and `number` what is in each of its places, if that is known."""

    def forward(self, network: Any) -> Any:
        """Return the function whose signature says which inputs a network takes."""

    def has_forward(self, network: Any) -> bool:
        """Tell whether a network can be called: one that only holds parts, for its own methods, can't."""
        return True

    def declared(self, network: Any, name: str) -> Any:
        """Return the input that a network itself declares for one of forward's parameters, None where it does not."""
        return None

    def call(self, network: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a network with inputs that fit its forward's signature."""

    def origin(self, network: Any) -> Place | None:
        """Return where a network was made."""
        construction = network.__dict__.get("_construction")
        return construction.place if construction is not None else None

    def prepare(self, network: Any) -> None:
        """Put a network into the mode in which it is analysed, recording that as an assumption."""
        return None

    def settings(self, network: Any) -> Settings | None:
        """Return what is known of the sizes that a network is made for; None where no inputs are to be assumed."""
        return None

    def is_solvable(self, network: Any) -> bool:
        """Tell whether someone may run a network on inputs of unknown sizes to find those that it accepts."""
        return False

    def first_argument(self, callee: Any) -> str | None:
        """Return what a layer or a function of the framework takes first: "tensor", "sequence", None where that is open."""
        return None

    def start_naming(self) -> None:
        """Name what is made from now on as in a program that has made nothing yet."""
        return None

    def parts(self, network: Any) -> list[Any]:
        """Return the network and every network inside it."""

    def unregistered_tensors(self, part: Any) -> Iterator[tuple[str, Any]]:
        """Yield the tensors that a part of a network holds, but that are not moved or saved with it."""
        return iter(())

    def untrained(self, network: Any) -> Iterator[tuple[str, Any, Place | None]]:
        """Yield the parts with weights that are newer than the optimizer of the others: path, part, and its place."""
        return iter(())

    def read_off(self, network: Any, name: str, target: str, gathered: Session, call: Call | None) -> Architecture:
        """Describe a network after `call`, or as it was built where it was not called."""


FRAMEWORKS: list[Framework] = []
"""The frameworks whose tables have been loaded."""


def is_mode(attribute: str) -> bool:
    """Tell whether an attribute tells of a network whether it is being trained."""
    return any(attribute == framework.mode_attribute for framework in FRAMEWORKS)


def is_mode_argument(name: str) -> bool:
    """Tell whether an argument may tell of a network whether it is being trained."""
    return any(name == framework.mode_argument for framework in FRAMEWORKS)


def takes_mode(network: object, argument: str) -> bool:
    """Tell whether an argument of a network's call tells whether it is being trained."""
    return any(argument == each.mode_argument and each.is_network(network) for each in FRAMEWORKS)


def holds_parts(attribute: str) -> bool:
    """Tell whether an attribute holds the parts of a network."""
    return any(attribute in framework.part_tables for framework in FRAMEWORKS)


def is_bookkeeping(attribute: str) -> bool:
    """Tell whether an attribute of a network is one that its framework keeps, besides its parts."""
    return any(attribute in framework.bookkeeping for framework in FRAMEWORKS)


def only_reads(method: str) -> bool:
    """Tell whether a method leaves a network as it is."""
    return any(method in framework.reading_methods for framework in FRAMEWORKS)


def adds_part(method: str) -> bool:
    """Tell whether a method adds a part to a network."""
    return any(method in framework.adding_methods for framework in FRAMEWORKS)


def moves(method: str) -> bool:
    """Tell whether a method moves something to a device, and does nothing else."""
    return any(method in framework.moving_methods for framework in FRAMEWORKS)
