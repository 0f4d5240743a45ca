"""What is recovered from a file."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.core.record import dataclass


@dataclass(frozen=True, slots=True)
class Recovered:
    """Recovered code.

    `missing` are the operations that there is no code for, `different` is what the code read again does not have in common
    with the original.
    """

    source: str
    class_name: str
    weights: Mapping[str, tuple[int, ...]]
    missing: tuple[str, ...] = ()
    different: tuple[str, ...] = ()
