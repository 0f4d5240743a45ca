"""Numbers and shapes read well."""

from __future__ import annotations

from typing import Any

import pytest

from cutaway.core.architecture import Shape
from cutaway.core.size.dim import symbol
from cutaway.core.size.parser import read_size as size
from cutaway.passes.cost import Figure
from cutaway.report import figures


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (64, "64"),
        (9408, "9,408"),
        (9999, "9,999"),
        (10_000, "10.0k"),
        (36_864, "36.9k"),
        (204_800, "205k"),
        (999_499, "999k"),
        (999_500, "1.00M"),
        (25_557_032, "25.6M"),
        (4_089_184_256, "4.09G"),
        (175 * 10**9, "175G"),
        (10**22, "10,000E"),
    ],
)
def test_short(number: int, text: str) -> None:
    assert figures.short(number) == text


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (9408 * 4, "37.6 kB"), (102_441_032, "102 MB")]
)
def test_memory(number: int, text: str) -> None:
    assert figures.memory(number) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (None, "?"),
        (12_345, "12.3k"),
        (size("B"), "B"),
        (size("118013952*B + 64"), "118M*B + 64"),
        (size("B*x12345"), "B*x12345"),
    ],
)
def test_quantity(amount: Any, text: str) -> None:
    assert figures.quantity(amount) == text


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (Figure(0), "-"),
        (Figure(0, False), "?"),
        (Figure(12), "12"),
        (Figure(12, False), ">=12"),
        (Figure(3 * symbol("B")), "3*B"),
    ],
)
def test_figure(figure: Figure, text: str) -> None:
    assert figures.figure(figure, ">=") == text


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (None, "?"),
        ((), "scalar"),
        ((7,), "7"),
        ((2, 3, 224, 224), "2x3x224x224"),
        ((2, None), "2x?"),
        ((size("B"), 3, size("H - 2"), size("floor(W/2)")), "B x 3 x (H - 2) x floor(W/2)"),
        ((size("floor(W/2) - floor(H/2)"),), "(floor(W/2) - floor(H/2))"),
        ((10**2000,), "?"),
    ],
)
def test_shape(shape: Shape, text: str) -> None:
    assert figures.shape(shape) == text


def test_of_many_shapes_the_first_are_shown() -> None:
    assert figures.shapes(((1,), (2, 2), (3,), (4,), (5,))) == "1, 2x2, 3, +2"
