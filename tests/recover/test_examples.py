"""The examples in the docs are what the command writes."""

from __future__ import annotations

import warnings

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("tensorflow")
pytest.importorskip("keras")

from benchmarks.recover.examples import PAGE, page


def test_the_examples_in_the_docs_are_what_is_recovered() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert PAGE.read_text() == page()
