"""Text of symbolic sizes reads back to the same size."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
from math import ceil, floor
from typing import Any

import pytest

from cutaway.core.size.dim import Size, ceildiv, maximum, minimum, quotient, substitute, symbol
from cutaway.core.size.parser import detached, evaluate, parse, read_size

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


@pytest.mark.parametrize("text", ["B", "dim // heads", "2 * B", "H + 1 - 1", "cfg.act", "not x", "?"])
def test_a_size_that_is_read_is_written_as_it_is_spelled(text: str) -> None:
    assert str(read_size(text)) == text
    assert read_size(text) == parse(text)


def test_a_detached_size_says_what_its_string_says() -> None:
    height = symbol("H")
    assert detached(height) == parse("H") != height
    assert detached(32 * quotient(height, 32)) == parse("H")
    assert detached(7) == 7


def test_evaluate_takes_sizes_and_strings() -> None:
    assert evaluate("ceil(H/32)*B", {"H": 224}) == parse("7*B")
    assert evaluate(parse("ceil(H/32)*B"), {"H": 224, "B": 2}) == 14
    assert evaluate(3, {"H": 224}) == 3


def test_a_size_survives_a_process_with_other_hashes() -> None:
    size = read_size("min(B, floor(H/W)) + dim // heads")
    program = (
        "import pickle, sys\n"
        "from cutaway.core.size.parser import read_size\n"
        "size = pickle.loads(sys.stdin.buffer.read())\n"
        "assert {size: 1}[read_size(str(size))] and str(size) == sys.argv[1]\n"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run(
            [sys.executable, "-c", program, str(size)], input=pickle.dumps(size), env=environment, check=True
        )
