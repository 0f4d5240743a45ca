"""The names that a framework has, modelled or not: what is in none of its lists does not exist in that version.

The lists are text files in `knowledge/names/`, which `scripts/write_names.py` writes from the real frameworks. They are
read when a name is missing, and never before.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from cutaway.core.pattern import pattern
from cutaway.core.record import dataclass
from cutaway.core.suggestions import suggestion
from cutaway.knowledge.base import registry


@dataclass(frozen=True, slots=True)
class Names:
    """The public names of the modules and classes of a framework, by qualified name."""

    framework: str
    version: str
    names: dict[str, frozenset[str]]


@functools.cache
def _names(framework: str) -> Names | None:
    text = registry.read_names(framework)
    if not text:
        return None
    first, *lines = text.splitlines()
    name, _, version = first.partition(" ")
    parts = (line.partition(": ") for line in lines)
    return Names(name, version, {owner: frozenset(listed.split()) for owner, _, listed in parts})


MENTION = pattern(
    rb"\b(?:import|from)[ \\\"'n]+(?:torch|keras|tensorflow|tf_keras|lightning|pytorch_lightning)\b"
    rb"|\bnn\.Module\b|\bLightningModule\b"
)
"""What a file that defines or builds a network contains, in a script or in the JSON of a notebook."""


CHECKED = pattern(
    rb"\b(?:import|from)[ \\\"'n]+(?:torch|keras|tensorflow|tf_keras|lightning|pytorch_lightning|timm|torchvision|"
    rb"transformers)\b|\bnn\.Module\b|\bLightningModule\b"
)
"""What a file that uses a framework contains, whether it has a network or not."""


def names_of(owner: str) -> frozenset[str] | None:
    """Return the public names of a module or a class of a framework, None where there is no complete list of them."""
    names = _names(owner.partition(".")[0])
    return None if names is None else names.names.get(owner)


def class_names(cls: type) -> frozenset[str] | None:
    """Return the public attributes of a class of a framework and of its instances; None where they are not listed."""
    if not registry.is_shared(cls):
        return None
    for framework in registry.loaded():
        names = _names(framework)
        for path, listed in () if names is None else names.names.items():
            if path.endswith(f".{cls.__name__}") and registry.TABLE.get(path) is cls:
                return listed
    return None


_FORMER = frozenset(("tensorflow.estimator", "tensorflow.compat.v1.estimator"))
"""Names that TensorFlow 1 had: programs for it are followed, so that is not what is wrong with them."""


def lacks(owner: str, name: str) -> bool:
    """Tell whether a module or a class of a framework certainly has no such name; private ones are not listed."""
    if name.startswith("_") or f"{owner}.{name}" in _FORMER:
        return False
    names = names_of(owner)
    return names is not None and name not in names


def missing_name(owner: str, name: str) -> str:
    """Return the message for a name that a framework does not have."""
    names = _names(owner.partition(".")[0])
    assert names is not None, "the framework has a list"
    version = f"{names.framework} {names.version}"
    listed: Iterable[str] = names.names.get(owner, ())
    start = version if owner == names.framework else f"{owner} of {version}"
    similar = suggestion(name, listed, quote="'")
    return f"{start} has no '{name}'{similar}"
