"""Layers: names, weights, output shapes and types, and whether they are refused."""

from __future__ import annotations

import importlib.util

import pytest

from tests.keras_oracle.compare import difference
from tests.keras_oracle.samples import TABLE, samples

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None or importlib.util.find_spec("keras") is None,
    reason="TensorFlow is not installed: pip install tensorflow-cpu==2.21.*",
)
COUNT = 4


@pytest.mark.parametrize("name", sorted(TABLE))
def test_a_layer_is_what_it_is_in_keras(name: str) -> None:
    found = [text for sample in samples(name, COUNT) if (text := difference(name, sample)) is not None]
    assert not found, "\n".join(found[:3])
