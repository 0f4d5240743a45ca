"""Sizes: what is simplified, and what comparisons say, proved by z3 for all integers, not for some."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cutaway.core.size.atom import FLOORDIV, MAX, MIN, MOD, Func, Symbol
from cutaway.core.size.dim import ceildiv, equal, floordiv, is_known, less, maximum, minimum, mod, symbol

z3 = pytest.importorskip("z3")

NAMES = ("a", "b")
SECONDS = 3
Tree = Any
"""An int, a name, or an operator with two trees; what divides is a number above 0, so that z3 can decide it."""

leaves = st.one_of(st.integers(-9, 20), st.sampled_from(NAMES), st.sampled_from(NAMES))
divisors = st.sampled_from([2, 3, 4, 5, 7, 8, 16])


def _deeper(below: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.one_of(
        st.tuples(st.sampled_from(["+", "-", "min", "max"]), below, below),
        st.tuples(st.just("*"), st.integers(-3, 5), below),
        st.tuples(st.sampled_from(["//", "%", "ceil"]), below, divisors),
    )


trees = st.recursive(leaves, _deeper, max_leaves=5)


def sized(tree: Tree) -> Any:
    """Compute a tree with sizes."""
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return symbol(tree)
    name, left, right = tree
    first, second = sized(left), sized(right)
    known = {"//": floordiv, "%": mod, "ceil": ceildiv, "min": minimum, "max": maximum}
    if name in known:
        return known[name](first, second)
    return first + second if name == "+" else first - second if name == "-" else first * second


def meant(tree: Tree) -> Any:
    """Return what a tree means to z3."""
    if isinstance(tree, int):
        return z3.IntVal(tree)
    if isinstance(tree, str):
        return z3.Int(tree)
    name, left, right = tree
    first, second = meant(left), meant(right)
    if name == "ceil":
        return -((-first) / second)
    return _applied(name, first, second)


def _applied(name: str, first: Any, second: Any) -> Any:
    match name:
        case "+":
            return first + second
        case "-":
            return first - second
        case "*":
            return first * second
        case "//" | "floordiv":
            return first / second
        case "%" | "mod":
            return first % second
        case "min":
            return z3.If(first < second, first, second)
    return z3.If(first < second, second, first)


def read(size: Any) -> Any:
    """Return what a size means to z3."""
    if isinstance(size, int):
        return z3.IntVal(size)
    total: Any = z3.IntVal(0)
    for monomial, coefficient in size.terms.items():
        product: Any = z3.IntVal(coefficient)
        for atom, power in monomial:
            if isinstance(atom, Symbol):
                value = z3.Int(atom.name)
            else:
                assert isinstance(atom, Func) and atom.kind in (FLOORDIV, MOD, MIN, MAX)
                value = _applied(atom.kind, read(atom.left), read(atom.right))
            for _ in range(power):
                product = product * value
        total = total + product
    return total


def is_possible(claim: Any) -> bool:
    """Tell whether something holds for some sizes; what z3 does not decide in time is left out."""
    solver = z3.Solver()
    solver.set("timeout", SECONDS * 1000)
    solver.add(*(z3.Int(name) >= 1 for name in NAMES), claim)
    answer = solver.check()
    assume(answer != z3.unknown)
    return bool(answer == z3.sat)


@given(trees)
@settings(max_examples=150, deadline=None)
def test_a_size_means_what_was_computed(tree: Tree) -> None:
    size = sized(tree)
    assume(is_known(size))
    assert not is_possible(read(size) != meant(tree))


@given(trees, trees)
@settings(max_examples=150, deadline=None)
def test_comparisons_say_what_can_be_proved(left: Tree, right: Tree) -> None:
    first, second = sized(left), sized(right)
    assume(is_known(first) and is_known(second))
    for answer, claim in (
        (equal(first, second), meant(left) == meant(right)),
        (less(first, second), meant(left) < meant(right)),
    ):
        if answer is True:
            assert not is_possible(z3.Not(claim))
        elif answer is False:
            assert not is_possible(claim)


@given(st.sampled_from(["a", ("//", "a", 2), ("//", ("+", "a", 3), 4)]), divisors, st.integers(-9, 20))
@settings(max_examples=60, deadline=None)
def test_sums_of_functions_of_one_symbol_are_always_told(tree: Tree, divisor: int, shift: int) -> None:
    """For these the comparison is exact: can't tell means that integers differ about it."""
    left = ("//", ("+", ("*", 3, tree), shift), divisor)
    right = ("-", tree, ("//", tree, divisor))
    claim = meant(left) < meant(right)
    answer = less(sized(left), sized(right))
    assert answer is not None or (is_possible(claim) and is_possible(z3.Not(claim)))
