"""Text of symbolic sizes reads back to the same size."""

from __future__ import annotations

import random
from math import ceil, floor
from typing import Any

import pytest

from cutaway.core.size.dim import Size, ceildiv, maximum, minimum, substitute, symbol
from cutaway.core.size.parser import parse

B, H = symbol("B", 0), symbol("H", 0)


@pytest.mark.parametrize(
    "size",
    [
        *(7, -3, B, -B, B * H - 3 * H + 2, B**3, B // 2, -(B // 2), 3 * (B // 2) ** 2, (B + 1) % 4, -(H % 4) * B),
        *(ceildiv(H, 2), minimum(B, H + 1) - maximum(B, 4), (H // 2 + 1) // 3),
    ],
    ids=str,
)
def test_text_reads_back(size: Size) -> None:
    assert str(parse(str(size))) == str(size)


def random_size(choose: random.Random, depth: int) -> Any:
    if depth == 0:
        return choose.choice([B, H, 1, 2, -5])
    left, right = random_size(choose, depth - 1), random_size(choose, depth - 1)
    makers = [
        lambda: left + right,
        lambda: left - right,
        lambda: left * right,
        lambda: minimum(left, right),
        lambda: maximum(left, right),
        lambda: left // choose.choice([2, 3]),
        lambda: left % choose.choice([2, 3]),
    ]
    return choose.choice(makers)()


def test_text_means_in_python_what_the_size_means() -> None:
    choose = random.Random(0)
    for _ in range(500):
        size = random_size(choose, choose.randrange(4))
        values = {"B": choose.randrange(9), "H": choose.randrange(9)}
        expected = substitute(size, values)
        assert substitute(parse(str(size)), values) == expected, str(size)
        assert eval(str(size), {"min": min, "max": max, "floor": floor, "ceil": ceil, **values}) == expected, str(size)


@pytest.mark.parametrize("text", ["x.shape[0]", "layer.0", "two words", "?", "len(x)", "1.5"])
def test_what_is_no_expression_of_sizes_is_a_symbol(text: str) -> None:
    assert str(parse(text) * 2) == f"2*{text}"


def test_nothing_is_assumed_of_a_symbol() -> None:
    assert str(parse("min(B, 1)")) == "min(B, 1)"
    assert str(parse("floor(B/N)")) == "floor(B/N)"
