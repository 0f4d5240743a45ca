"""Parameter names, order, kinds and defaults of every row against the real function's."""

from __future__ import annotations

import pytest

from cutaway.knowledge.base.registry import TABLE

from . import rows, signatures
from .exclusions import SIGNATURES

rows.load()
NAMES = [name for name in sorted(TABLE) if callable(rows.real(name))]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SIGNATURES])
def test_signature(name: str) -> None:
    assert not signatures.differences(name)


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_exclusion_is_still_needed(name: str) -> None:
    assert signatures.differences(name), f"{name} agrees: drop its exclusion"
