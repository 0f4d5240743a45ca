"""Layouts of open sizes are those of the numbers that the sizes may be, from 2 on."""

from __future__ import annotations

from math import prod
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import cutaway
from cutaway.core.size.dim import substitute, symbol
from cutaway.ops import layout

NAMES = "abcd"
NUMBERS = st.lists(st.integers(2, 5), min_size=4, max_size=4)
PERMUTATIONS = st.permutations(range(4))
OPEN = st.lists(st.booleans(), min_size=4, max_size=4)


def sizes(numbers: list[int], is_open: list[bool]) -> list[Any]:
    """Return numbers, some of them as symbols."""
    return [symbol(name) if each else number for name, number, each in zip(NAMES, numbers, is_open)]


def at(strides: Any, numbers: list[int]) -> Any:
    """Return strides at the numbers that symbols stand for."""
    values = dict(zip(NAMES, numbers))
    return tuple(substitute(each, values) for each in strides) if isinstance(strides, tuple) else strides


def permuted(shape: list[Any], order: list[int]) -> tuple[list[Any], Any]:
    """Return shape and strides of a contiguous tensor whose dimensions are in another order."""
    strides = layout.standard(shape)
    assert strides is not None
    return [shape[dim] for dim in order], tuple(strides[dim] for dim in order)


@given(NUMBERS, OPEN, PERMUTATIONS)
def test_contiguous(numbers: list[int], is_open: list[bool], order: list[int]) -> None:
    shape, strides = permuted(sizes(numbers, is_open), order)
    assert layout.is_contiguous(shape, strides) == layout.is_contiguous(*permuted(numbers, order))


@given(NUMBERS, OPEN, PERMUTATIONS, st.integers(0, 3), st.integers(1, 4))
def test_reshaped(numbers: list[int], is_open: list[bool], order: list[int], start: int, length: int) -> None:
    """Dimensions next to each other become one."""

    def merged(shape: list[Any]) -> list[Any]:
        return [*shape[:start], prod(shape[start : start + length]), *shape[start + length :]]

    shape, strides = permuted(sizes(numbers, is_open), order)
    numeric, numeric_strides = permuted(numbers, order)
    found = layout.reshaped(shape, strides, merged(shape))
    assert found is None or at(found, numbers) == layout.reshaped(numeric, numeric_strides, merged(numeric))


@given(NUMBERS, OPEN, PERMUTATIONS, PERMUTATIONS)
def test_elementwise(numbers: list[int], is_open: list[bool], first: list[int], second: list[int]) -> None:
    def operands(shape: list[Any]) -> list[tuple[list[Any], Any]]:
        """Return two tensors of one shape whose elements lie in different orders."""
        made = []
        for order in (first, second):
            laid, strides = permuted([shape[dim] for dim in order], [order.index(dim) for dim in range(4)])
            made.append((laid, strides))
        return made

    shape = sizes(numbers, is_open)
    found = layout.elementwise(shape, operands(shape))
    assert found is None or at(found, numbers) == layout.elementwise(numbers, operands(numbers))


@given(NUMBERS, OPEN, PERMUTATIONS)
def test_channels_last(numbers: list[int], is_open: list[bool], order: list[int]) -> None:
    found = layout.has_channels_last(*permuted(sizes(numbers, is_open), order))
    assert found in (None, layout.has_channels_last(*permuted(numbers, order)))


def test_memory_of_attention_as_a_formula() -> None:
    """Its copies and views follow from layouts alone."""
    (symbolic,) = cutaway.show("examples/encoder.py::Encoder", input=("ids=BxT:int64", "mask=BxT:bool"))
    (numeric,) = cutaway.show("examples/encoder.py::Encoder", input=("ids=3x7:int64", "mask=3x7:bool"))
    formula = symbolic.totals.activation_bytes
    assert formula is not None
    assert substitute(formula, {"B": 3, "T": 7}) == numeric.totals.activation_bytes
