"""Named tensors to an `Architecture`: what a file of weights tells of a network.

The tree is that of the names. Classes, configurations and modules without weights are not in such a file, and mostly
not which of its tensors are parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cutaway.core.architecture import Architecture, Module, Note, Setting, Weight
from cutaway.core.place import Place
from cutaway.formats import layer_kinds

if TYPE_CHECKING:
    from cutaway.formats.pickled_tensor import Stored

NOTHING_ELSE = "a file of weights has neither the classes of modules nor what is computed with them"
ALIKE = "the file does not tell buffers from parameters: all of its tensors are counted as parameters"


def architecture(
    named: Mapping[str, Stored],
    *,
    name: str,
    target: str,
    framework: str,
    unknowns: Iterable[Note] = (),
) -> Architecture:
    """Return the network of named tensors, as far as they tell."""
    separator = "/" if not any("." in each for each in named) and any("/" in each for each in named) else "."
    weights = tuple(listed([(each, stored, None) for each, stored in named.items()], separator))
    paths: dict[str, None] = {"": None}
    for weight in weights:
        parts = (weight.module or "").split(separator) if weight.module else []
        paths.update((separator.join(parts[: at + 1]), None) for at in range(len(parts)))
    own: dict[str, list[Weight]] = {}
    for weight in weights:
        own.setdefault(weight.module or "", []).append(weight)
    place = Place(target.partition("::")[0])
    return Architecture(
        name=name,
        target=target,
        framework=framework,
        modules=tuple(Module(path, "", "", _settings(path, own.get(path, ()))) for path in paths),
        weights=weights,
        unknowns=(Note(NOTHING_ELSE, place), *unknowns),
        assumptions=(Note(ALIKE, place),) if any(weight.kind == "tensor" for weight in weights) else (),
        separator=separator,
    )


def _settings(path: str, weights: Iterable[Weight]) -> dict[str, Setting]:
    """Return the tensors of a module, and what kind of layer they may be."""
    start = len(path) + 1 if path else 0
    return layer_kinds.settings(path, {weight.name[start:]: (weight.shape, weight.dtype) for weight in weights})


def listed(found: Sequence[tuple[str, Stored, str | None]], separator: str = ".") -> Iterable[Weight]:
    """Yield weights under their names, with what is known of their kind; those that share all memory are tied."""
    first: dict[Any, str] = {}
    for name, stored, kind in found:
        tied = first.setdefault(stored.identity, name) if stored.identity is not None else name
        if kind is None:
            kind = "tensor" if stored.trainable is None else "parameter"
        yield Weight(
            name,
            stored.shape,
            stored.dtype,
            kind,
            kind != "buffer" and stored.trainable is not False,
            None if tied == name else tied,
            name.rpartition(separator)[0],
            stored.persistent,
        )
