"""What is recovered from a file."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.core.record import dataclass


@dataclass(frozen=True, slots=True)
class Recovered:
    """Recovered code.

    `inputs` are the names in the file of what `forward` is called with, in that order. `missing` are the operations that there is no code for, `different` is what the code read again does not have in common
    with the original.
    """

    source: str
    class_name: str
    weights: Mapping[str, tuple[int, ...]]
    inputs: tuple[str, ...]
    missing: tuple[str, ...] = ()
    different: tuple[str, ...] = ()
