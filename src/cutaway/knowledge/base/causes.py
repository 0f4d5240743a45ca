"""Where unknowns come from: an unknown value keeps the reason and the place of the first, so what depends on each can be counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cutaway.core.architecture import Cause
from cutaway.core.place import Place
from cutaway.core.record import dataclass, field
from cutaway.core.session import Call, Operation, Reference, Session
from cutaway.core.size.atom import Symbol
from cutaway.core.size.dim import symbols
from cutaway.core.unknown import Unknown


@dataclass(slots=True)
class _Hanging:
    """What depends on one cause."""

    modules: set[str] = field(default_factory=set)
    weights: set[str] = field(default_factory=set)
    ops: int = 0


class Causes:
    """The causes of what is unknown in one network, as they are met."""

    def __init__(self, gathered: Session) -> None:
        self._gathered = gathered
        self._found: dict[tuple[str, Place | None], _Hanging] = {}
        self._sizes: dict[Symbol, Unknown] = dict(gathered.sizes)

    def _of(self, unknown: Unknown) -> _Hanging:
        return self._found.setdefault(self._key(unknown.reason, unknown.place), _Hanging())

    def _key(self, reason: str, place: Place | None) -> tuple[str, Place | None]:
        return reason, self._gathered.reason_places.get(reason, place)

    def module(self, path: str, unknown: Unknown) -> None:
        """Enter a module that is not known completely, or not what comes out of it."""
        self._of(unknown).modules.add(path)

    def weight(self, name: str, reference: Reference) -> None:
        """Enter a weight, if its shape is not known."""
        for unknown in self._behind([reference]):
            self._of(unknown).weights.add(name)

    def operations(self, done: Sequence[Operation]) -> None:
        """Enter the operations whose results are not known; the first that has an unknown size is where it comes from."""
        for operation in done:
            for unknown in self._behind(operation.outputs, operation):
                self._of(unknown).ops += 1

    def _behind(self, references: Iterable[Reference], operation: Operation | None = None) -> list[Unknown]:
        """Return what is behind the unknown shapes and sizes of values, each once."""
        found: dict[tuple[str, Place | None], Unknown] = {}
        for reference in references:
            shape = reference.shape
            if isinstance(shape, Unknown):
                found[shape.reason, shape.place] = shape
                continue
            for size in shape:
                for symbol in () if type(size) is int else symbols(size):
                    if symbol.anonymous and symbol not in self._sizes and operation is not None:
                        reason = f"a size of what {operation.op} gives is not known before it runs"
                        self._sizes[symbol] = Unknown(reason, operation.place)
                    if symbol in self._sizes:
                        unknown = self._sizes[symbol]
                        found[unknown.reason, unknown.place] = unknown
        return list(found.values())

    def calls(self, calls: Mapping[str, Sequence[Call]], separator: str) -> None:
        """Enter the modules whose calls gave something unknown, and those below them that were not reached."""
        behind: dict[str, list[Unknown]] = {}
        for path, made in calls.items():
            ended = [call.stopped for call in made if call.stopped is not None]
            behind[path] = ended or self._behind(r for call in made for _, r in call.outputs or ())
            above = path.rpartition(separator)[0] if path else None
            lost = any(call.outputs is None for call in made)
            if not behind[path] and (lost or not made) and above is not None:
                behind[path] = behind.get(above, [])
            for unknown in behind[path]:
                self.module(path, unknown)

    def listed(self) -> tuple[Cause, ...]:
        """Return the causes, the one that most depends on first; what is noted and has no effect comes last."""
        for note in self._gathered.unknowns:
            self._found.setdefault(self._key(note.text, note.place), _Hanging())
        made = [
            Cause(reason, place, len(hanging.modules), len(hanging.weights), hanging.ops)
            for (reason, place), hanging in self._found.items()
        ]
        return tuple(sorted(made, key=lambda cause: -(cause.modules + cause.weights + cause.ops)))
