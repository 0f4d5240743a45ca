"""Our module classes on the samples of torch's own module database: weights, attributes, outputs."""

from __future__ import annotations

import pytest

from . import modules
from .exclusions import MODULES


@pytest.mark.parametrize("name", [name for name in modules.infos() if name not in MODULES])
def test_module(name: str) -> None:
    found = {line: str(sample) for sample in modules.samples(name, limit=24) for line in modules.differences(sample)}
    assert not found, "\n".join(f"{line}\n    {sample}" for line, sample in list(found.items())[:10])


@pytest.mark.parametrize("name", sorted(MODULES))
def test_exclusion_is_still_needed(name: str) -> None:
    assert any(modules.differences(sample) for sample in modules.samples(name)), f"{name} passes: drop its exclusion"


@pytest.mark.parametrize("name", modules.class_names())
def test_bases(name: str) -> None:
    """`isinstance` and `super()` of a target work as with torch's classes."""
    mine, expected = modules.bases(name)
    assert mine == expected
