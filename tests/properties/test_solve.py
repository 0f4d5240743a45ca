"""The solver against trying sizes one by one: what it admits holds, what it excludes does not."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from cutaway.core.size.dim import Size, floordiv, maximum, minimum, mod, substitute, symbol
from cutaway.solve.constraint import Literals
from cutaway.solve.effort import Unsolved
from cutaway.solve.region import EVERYWHERE
from cutaway.solve.sequence import NUMBERS, Sequence, fixed
from cutaway.solve.subset import Subset, finite

H, W, B = symbol("H"), symbol("W"), symbol("B")
Function = Callable[[int], int]


def expression(rng: random.Random, depth: int) -> tuple[Sequence, Function]:
    """Return a random expression of one unknown, exactly and as Python computes it."""
    if not depth or rng.random() < 0.15:
        number = rng.randint(-5, 60)
        return (NUMBERS, lambda n: n) if rng.random() < 0.5 else (fixed(number), lambda n: number)
    left, f = expression(rng, depth - 1)
    kind = rng.choice(["add", "sub", "mul", "div", "mod", "min", "max"])
    if kind in ("div", "mod"):
        by = rng.choice([1, 2, 3, 4, 7, -2, 16])
        return (left // fixed(by), lambda n: f(n) // by) if kind == "div" else (left % fixed(by), lambda n: f(n) % by)
    right, g = expression(rng, depth - 1)
    return {
        "add": (lambda: (left + right, lambda n: f(n) + g(n))),
        "sub": (lambda: (left - right, lambda n: f(n) - g(n))),
        "mul": (lambda: (left * right, lambda n: f(n) * g(n))),
        "min": (lambda: (left.smaller(right), lambda n: min(f(n), g(n)))),
        "max": (lambda: (left.larger(right), lambda n: max(f(n), g(n)))),
    }[kind]()


@pytest.mark.parametrize("seed", range(8))
def test_expressions_of_one_unknown(seed: int) -> None:
    rng = random.Random(seed)
    numbers = [*range(1, 120), *(rng.randint(1, 10**6) for _ in range(10))]
    for _ in range(40):
        try:
            exact, plain = expression(rng, rng.randint(1, 3))
            below, zero = exact.where(lambda v: v < 0), exact.where(lambda v: v == 0)
        except Unsolved:
            continue
        for number in numbers:
            value = plain(number)
            assert exact.at(number) == exact.normal().at(number) == value
            assert (number in below, number in zero) == (value < 0, value == 0)
            assert (number in below | zero, number in ~below) == (value <= 0, value >= 0)


def window(rng: random.Random, size: Size) -> Size:
    kernel, stride = rng.choice([1, 2, 3, 5, 7]), rng.choice([1, 2, 2, 3])
    return (size + 2 * rng.choice([0, 0, 1, kernel // 2]) - kernel) // stride + 1


def chain(rng: random.Random, size: Size) -> Size:
    """Return what some layers with windows make of a size."""
    for _ in range(rng.randint(0, 3)):
        size = window(rng, size)
    if rng.random() < 0.2:
        size = maximum(size, rng.randint(1, 5))
    return minimum(size, rng.randint(1, 20)) if rng.random() < 0.1 else size


def question(rng: random.Random) -> tuple[Size, int]:
    """Return two sides of a requirement, as reshapes and layers make them."""
    h, w, number = chain(rng, H), chain(rng, W), rng.choice([0, 1, 2, 3, 5, 16, 24, 25, 36, 49, 100, -3])
    factor = rng.choice([1, 2, 16, -1])
    return rng.choice(
        [
            (factor * h * w, number),
            (factor * h, number),
            (mod(factor * h * w, rng.choice([2, 3, 4, 6, 25])), number % 3),
            (floordiv(factor * h * w, rng.choice([2, 3, 4])), number),
            (mod(B * h * w, 6), 0),
            (B * h * w + 3, number),
            (h * w - 4 * floordiv(h, 2) * floordiv(w, 2), 0),
        ]
    )


@pytest.mark.parametrize("seed", range(8))
def test_requirements_of_several_unknowns(seed: int) -> None:
    rng = random.Random(seed)
    solved = 0
    for _ in range(30):
        left, right = question(rng)
        relation = rng.choice(["equal", "less"])
        try:
            found = Literals().solve(relation, left, right)
        except Unsolved:
            continue
        solved += 1
        outside = EVERYWHERE - found
        for _ in range(150):
            sizes = {"H": rng.randint(1, 60), "W": rng.randint(1, 60), "B": rng.randint(1, 8)}
            value = substitute(left, sizes)
            holds = value == right if relation == "equal" else value < right  # type: ignore[operator]
            assert (sizes in found, sizes in outside) == (holds, not holds), (relation, str(left), right, sizes)
    assert solved > 15


def test_sets_are_in_normal_form() -> None:
    even = (NUMBERS % fixed(2)).where(lambda v: v == 0)
    assert even == Subset(0, 0, 2, 0b10)
    assert even | ~even == Subset(0, 0, 1, 1)
    assert (even & finite(range(1, 7))).intervals() == [(2, 2), (4, 4), (6, 6)]
    assert (even | finite([1])) - finite([1]) == even
