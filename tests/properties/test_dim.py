"""Sizes: symbolic arithmetic means what integer arithmetic means, and comparisons claim nothing that integers contradict."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import Any

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from cutaway.core.size.dim import (
    Dim,
    ceildiv,
    equal,
    floordiv,
    is_known,
    less,
    maximum,
    minimum,
    mod,
    power,
    product,
    substitute,
    symbol,
    symbols,
    unknown_size,
)

NAMES = ("a", "b", "c")
Tree = Any
"""An int, a name, or an operator with two trees."""

OPERATORS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    "+": (operator.add, operator.add),
    "-": (operator.sub, operator.sub),
    "*": (operator.mul, operator.mul),
    "//": (floordiv, operator.floordiv),
    "%": (mod, operator.mod),
    "min": (minimum, min),
    "max": (maximum, max),
    "ceil": (ceildiv, lambda x, y: -(-x // y)),
    "**": (lambda x, y: unknown_size() if (found := power(x, y)) is None else found, operator.pow),
}
"""Operator -> what it means for sizes, and for integers."""

numbers = st.one_of(st.integers(-5, 12), st.sampled_from(NAMES))
powers = st.tuples(st.just("**"), st.one_of(st.integers(1, 9), st.sampled_from(NAMES)), st.sampled_from(NAMES))
leaves = st.one_of(numbers, numbers, numbers, powers)
_NESTING = sorted(OPERATORS.keys() - {"**"})  # a power of a power is too large to be a size
trees = st.recursive(leaves, lambda below: st.tuples(st.sampled_from(_NESTING), below, below), max_leaves=7)
values = st.fixed_dictionaries({name: st.integers(1, 40) for name in NAMES})
several = st.lists(values, min_size=12, max_size=12)


def symbolic(tree: Tree) -> Any:
    """Compute a tree with sizes."""
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return symbol(tree)
    name, left, right = tree
    return OPERATORS[name][0](symbolic(left), symbolic(right))


def integer(tree: Tree, given_values: dict[str, int]) -> int:
    """Compute a tree with integers."""
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return given_values[tree]
    name, left, right = tree
    first, second = integer(left, given_values), integer(right, given_values)
    assume(second != 0 or name not in ("//", "%", "ceil"))
    result: int = OPERATORS[name][1](first, second)
    return result


def computed(tree: Tree) -> Any:
    """Return the size of a tree, where there is one: it divides by nothing that may be 0."""
    try:
        size = symbolic(tree)
    except ZeroDivisionError:
        assume(False)
    assume(is_known(size))
    return size


@given(trees, values)
def test_a_size_evaluates_as_its_integers_do(tree: Tree, given_values: dict[str, int]) -> None:
    size = computed(tree)
    assert substitute(size, given_values) == integer(tree, given_values)


@given(trees, values)
@example(("%", "a", ("*", ("ceil", "a", 2), ("max", 2, ("**", "a", "a")))), {"a": 1, "b": 1, "c": 1})
def test_a_size_is_written_as_what_it_means(tree: Tree, given_values: dict[str, int]) -> None:
    size = computed(tree)
    exact = re.sub(r"\d+", r"Fraction(\g<0>)", str(size))  # Python's division of integers is rounded
    names = {"min": min, "max": max, "floor": floor, "ceil": ceil, "Fraction": Fraction}
    fractions = {name: Fraction(value) for name, value in given_values.items()}
    assert eval(exact, names, fractions) == integer(tree, given_values)


@given(trees, trees, several)
def test_what_is_said_to_be_equal_is(left: Tree, right: Tree, tries: list[dict[str, int]]) -> None:
    answer = equal(computed(left), computed(right))
    seen = {integer(left, t) == integer(right, t) for t in tries}
    assert answer is None or seen == {answer}


@given(trees, trees, several)
def test_what_is_said_to_be_less_is(left: Tree, right: Tree, tries: list[dict[str, int]]) -> None:
    answer = less(computed(left), computed(right))
    seen = {integer(left, t) < integer(right, t) for t in tries}
    assert answer is None or seen == {answer}


@given(trees, values)
def test_a_size_without_symbols_is_an_integer(tree: Tree, given_values: dict[str, int]) -> None:
    size = computed(tree)
    assert isinstance(size, Dim) == bool(symbols(size))
    assert isinstance(substitute(size, given_values), int)


@given(trees, trees)
def test_equal_structure_means_equal_hash(left: Tree, right: Tree) -> None:
    first, second = computed(left), computed(right)
    assert first != second or hash(first) == hash(second)


@given(trees, trees, trees)
def test_sums_and_products_do_not_depend_on_order(one: Tree, two: Tree, three: Tree) -> None:
    a, b, c = computed(one), computed(two), computed(three)
    assert a + b + c == c + b + a
    assert product((a, b)) == product((b, a))
    assert a * (b + c) == a * b + a * c


@given(trees, st.sampled_from(NAMES), trees, values)
@settings(max_examples=50)
def test_replacing_a_symbol_comes_before_evaluating(
    tree: Tree, name: str, new: Tree, given_values: dict[str, int]
) -> None:
    size, other = computed(tree), computed(new)
    inner = integer(new, given_values)
    assume(inner >= 1)  # a symbol stands for a size that is at least 1
    replaced = substitute(size, {name: other})
    assume(is_known(replaced))
    expected = substitute(size, {**given_values, name: inner})
    result = substitute(replaced, given_values)
    assume(is_known(result) and is_known(expected))  # both may have powers that are too large
    assert result == expected
