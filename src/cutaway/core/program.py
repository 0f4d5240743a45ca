"""A program as rules see it: its source, its networks, and what was recorded while it was interpreted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from cutaway.core.architecture import Architecture, Diagnostic
from cutaway.core.place import Place
from cutaway.core.record import dataclass, field
from cutaway.core.session import Call, Operation, Session


@dataclass(frozen=True, slots=True)
class Part:
    """A module or tensor that a network has, or should have: the place that makes it, and where it is.

    `other` is the place of what it is used with.
    """

    class_name: str
    place: Place | None
    text: str
    other: Place | None = None


@dataclass(slots=True)
class Record:
    """What is recorded of a program in its first run, besides its networks.

    `unregistered` are modules in plain containers, which their network does not know, `transient` those that forward makes
    anew in each call. `tensors` are held by modules, but not registered, and used in a forward pass; `untrained` are modules
    that are newer than the optimizer of their network, `unoptimized` networks that are called in training mode, and that no
    optimizer has anything of. `operations` are those that the program itself makes, and those of networks that it never calls.
    """

    faults: tuple[Diagnostic, ...] = ()
    operations: tuple[Operation, ...] = ()
    calls: tuple[Call, ...] = ()
    notes: tuple[str, ...] = ()
    unregistered: list[Part] = field(default_factory=list)
    transient: list[Part] = field(default_factory=list)
    tensors: list[Part] = field(default_factory=list)
    untrained: list[Part] = field(default_factory=list)
    unoptimized: list[Part] = field(default_factory=list)

    def take(self, session: Session, faults: tuple[Diagnostic, ...]) -> None:
        """Keep what a run has recorded; a later run of the same program replaces an earlier one."""
        self.faults = faults
        self.calls = tuple(session.calls)
        self.notes = tuple(f"{note.place}: {note.text}" if note.place else note.text for note in session.unknowns)


@dataclass(frozen=True, slots=True)
class Program:
    """A program that was interpreted; `tree` is its syntax, `networks` are all that it defines or builds."""

    file: str
    tree: ast.Module
    networks: tuple[Architecture, ...]
    record: Record
    _by_kind: dict[type, list[Any]] = field(default_factory=dict, compare=False, repr=False)

    def nodes(self, *kinds: type) -> Iterator[Any]:
        """Yield the nodes of the syntax tree that are of some kinds, those of one kind in the order of a walk."""
        if not self._by_kind:
            for node in ast.walk(self.tree):
                self._by_kind.setdefault(type(node), []).append(node)
        for kind in kinds:
            yield from self._by_kind.get(kind, ())
