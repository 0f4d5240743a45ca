"""Changes that repeat in every copy of a block, each listed once with the numbers of the copies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from cutaway.core.pattern import pattern
from cutaway.core.record import dataclass
from cutaway.passes.diff import Change

_PARTS = pattern(r"([./])")
_PLACEHOLDER = "\0"


@dataclass(frozen=True, slots=True)
class Repeated:
    """A change, under a name that covers all of its copies: `layers.0-11.mlp`."""

    label: str
    change: Change
    indices: tuple[int, ...]

    @property
    def count(self) -> int:
        """The number of copies."""
        return len(self.indices)


def repeated(changes: Sequence[Change]) -> list[Repeated]:
    """Return the changes; those whose paths differ only by numbers, and that are otherwise the same, become one."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for at, change in enumerate(changes):
        own = (_template(change.path), _template(change.now), change.kind, change.class_name, change.details)
        groups.setdefault(own if _moves_alike(change) else (at,), []).append(at)
    merged: list[Repeated] = []
    for indices in groups.values():
        label = _label([changes[at].path for at in indices])
        if label is None:
            merged += [Repeated(changes[at].path, changes[at], (at,)) for at in indices]
        else:
            merged.append(Repeated(label, changes[indices[0]], tuple(indices)))
    return sorted(merged, key=lambda each: each.indices[0])


def _moves_alike(change: Change) -> bool:
    """Tell whether a change is in place, so that its copies need one path and not two."""
    return change.now in ("", change.path)


def _template(path: str) -> str:
    return "".join(_PLACEHOLDER if part.isdecimal() else part for part in _PARTS.split(path))


def _label(paths: Sequence[str]) -> str | None:
    """Return one name for paths that differ in numbers: a range or a list in place of each; None if they are no grid."""
    if len(paths) == 1:
        return paths[0]
    rows = [_PARTS.split(path) for path in paths]
    values = [sorted(set(column), key=lambda part: (len(part), part)) for column in zip(*rows)]
    if len(list(product(*values))) != len(paths):
        return None
    return "".join(_range(column) for column in values)


def _range(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    numbers = [int(name) for name in names]
    if numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{numbers[0]}-{numbers[-1]}"
    return ",".join(names)
