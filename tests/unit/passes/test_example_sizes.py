"""The sizes that figures are computed for, where sizes are left open."""

from __future__ import annotations

import pytest

from cutaway.core.architecture import Architecture, Note, Value
from cutaway.core.size.dim import symbol
from cutaway.passes.example_sizes import another_size, example_sizes


def network(*assumed: str) -> Architecture:
    """Return a network of one input whose length is left open."""
    shape = (symbol("B"), symbol("N"))
    return Architecture(
        "Net", inputs=(Value("x", shape, "float32"),), assumptions=tuple(Note(text, None) for text in assumed)
    )


@pytest.mark.parametrize(
    ("assumed", "size", "other"),
    [
        ((), 128, 256),
        (("N is divisible by 48",), 144, 288),
        (("N >= 200",), 200, 400),
        (("shown for 2 <= N <= 200: other sizes take other paths",), 128, 64),
        (("shown for 2 <= N <= 64: other sizes take other paths",), 64, 32),
        (("shown for N = 7: other sizes take other paths",), 7, None),
        (("shown for N = 7; or N >= 90: other sizes take other paths",), 128, 256),
    ],
)
def test_examples_are_among_the_sizes_that_are_shown(assumed: tuple[str, ...], size: int, other: int | None) -> None:
    assert example_sizes(network(*assumed)) == {"B": 1, "N": size}
    assert another_size(network(*assumed), "N", size) == other
