"""A network that a file describes by a configuration, which is interpreted like source; its weights are in the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cutaway.core.record import dataclass, field

if TYPE_CHECKING:
    from cutaway.core.architecture import Note
    from cutaway.formats.pickled_tensor import Stored


@dataclass(frozen=True, slots=True)
class StoredLayer:
    """The weights of a layer, in order: their names and what the file says of them.

    `path` are the names of the layer and those around it, as far as the file says them.
    """

    path: tuple[str, ...]
    weights: tuple[tuple[str, Stored], ...]


@dataclass(frozen=True, slots=True)
class Description:
    """A configuration as text and as values, and the weights that are stored with it.

    `are_named` says that the weights have the framework's own names.
    """

    name: str
    target: str
    path: str
    text: str
    config: Mapping[str, Any]
    layers: Sequence[StoredLayer] | None = None
    are_named: bool = False
    unknowns: tuple[Note, ...] = field(default=())
