"""Fingerprints of the examples, as they are kept: whichever version of Python runs this, they are the same."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway
from cutaway.passes.fingerprint import fingerprint

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
KEPT = {
    "unet.py::UNet": (["1x3x64x64"], "3359ecd4be447476733e29457b8a4fa2"),
    "encoder.py::Encoder": (["ids=2x128:int64", "mask=2x128:bool"], "f7519db2259bc4f3c0505affb8c38026"),
}


@pytest.mark.parametrize("target", sorted(KEPT))
def test_a_fingerprint_is_the_one_that_is_kept(target: str) -> None:
    inputs, kept = KEPT[target]
    (found,) = cutaway.show(f"{EXAMPLES / target}", input=inputs)
    assert not found.unknowns
    assert fingerprint(found) == kept
