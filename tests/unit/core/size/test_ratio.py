"""Quotients of sizes: what is rounded is what Python rounds, and what it might round otherwise is not followed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from cutaway.core.size.dim import Dim, substitute, symbol
from cutaway.core.unknown import Unknown

H, W = symbol("H"), symbol("W")


@pytest.mark.parametrize(
    "compute",
    [
        lambda h, w: math.ceil(h / 2),
        lambda h, w: math.floor(h / 3 + 1),
        lambda h, w: math.trunc(h * 0.75),
        lambda h, w: math.floor(1.5 + h / 2),
        lambda h, w: math.ceil(h / w),
        lambda h, w: math.floor(h / 2 * w / 4),
        lambda h, w: math.floor(5 * (h / 6)),
        lambda h, w: math.ceil(h / 2 - w / 4),
        lambda h, w: math.trunc((h / 2 - 0.5) // 2),
        lambda h, w: math.floor(10 - h / 7),
    ],
)
def test_rounding_gives_what_python_gives(compute: Callable[[Any, Any], Any]) -> None:
    size = compute(H, W)
    assert isinstance(size, Dim)
    for h in range(1, 60):
        for w in (1, 2, 3, 7, 12):
            assert substitute(size, {"H": h, "W": w}) == compute(h, w), (h, w)


@pytest.mark.parametrize(
    "compute",
    [
        lambda h: h / 6 * 3,  # 2/6*3 need not be 1
        lambda h: h * 0.1,
        lambda h: h / 3 + h / 7,
        lambda h: 1 / h,
        lambda h: h / 2 * float("nan"),
    ],
)
def test_what_floating_point_might_round_otherwise_is_unknown(compute: Callable[[Any], Any]) -> None:
    made = compute(H)
    assert isinstance(made, Unknown)
    assert made.ratio is None or isinstance(math.floor(made), Dim)


def test_comparisons_are_those_of_the_exact_numbers() -> None:
    assert (H / 2 > 0) is True
    assert (H / 2 < 0.25) is False
    open_one = H / 2 > 3.5
    assert isinstance(open_one, Unknown) and str(open_one.about) == "2*H > 14"
