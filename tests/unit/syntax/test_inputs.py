"""The grammar of `--input`, and values that a Python program gives."""

from __future__ import annotations

from typing import Any

import pytest

from cutaway import CutawayError
from cutaway.core.size.dim import symbol
from cutaway.syntax.inputs import Input, Reading, TensorInput, given_inputs, merged, parse_input

TENSOR = TensorInput((1, 3), "float32")

VALUES: dict[str, Any] = {
    "1x3": TENSOR,
    "(1, 3)": TENSOR,
    "()": TensorInput((), "float32"),
    "3": Reading(TensorInput((3,), "float32"), 3),
    "3:int64": TensorInput((3,), "int64"),
    "B": Reading(TensorInput((symbol("B"),), "float32"), "B"),
    "+3": 3,
    "-3": -3,
    "0.5": 0.5,
    "1e-3": 1e-3,
    "true": True,
    "False": False,
    "none": None,
    "'3'": "3",
    '"a=b"': "a=b",
    "[]": [],
    "[1, 2]": [1, 2],
    "[1x3, 1x3]": [TENSOR, TENSOR],
    "[[1, 2], [(1, 3)]]": [[1, 2], [TENSOR]],
    "[wide, true]": ["wide", True],
}


@pytest.mark.parametrize(("text", "value"), VALUES.items(), ids=list(VALUES))
def test_a_value(text: str, value: Any) -> None:
    assert parse_input(f"x={text}") == Input("x", value)


def test_a_part_of_a_dict() -> None:
    assert parse_input("batch.extra.mask=1x3") == Input("batch", TENSOR, ("extra", "mask"))


@pytest.mark.parametrize(
    ("text", "message"),
    {
        "batch.=1x3": "--input batch.=1x3: a key is missing; write NAME.KEY=SHAPE, as in batch.image=1x3x224x224",
        "x=[1, 2": "--input x=[1, 2: the list is not closed; write [1, 2] or [1x3x8x8, 1x3x4x4]",
        "x=[1,,2]": "--input x=[1,,2]: an item of the list is missing",
        "x='a": "--input x='a: 'a is not a string; close its quotes",
    }.items(),
)
def test_what_is_not_a_value(text: str, message: str) -> None:
    with pytest.raises(CutawayError) as error:
        parse_input(text)
    assert str(error.value) == message


def test_values_of_a_program() -> None:
    given = {"batch": {"image": "1x3", "sizes": [1, 2]}, "x": (1, 3), "n": 3, "flag": True, "mask": None}
    assert given_inputs(given) == (
        Input("batch", {"image": TENSOR, "sizes": [1, 2]}),
        Input("x", TENSOR),
        Input("n", 3),
        Input("flag", True),
        Input("mask", None),
    )


def test_a_value_that_is_not_an_input() -> None:
    with pytest.raises(CutawayError) as error:
        given_inputs({"x": {"y": object()}})
    assert str(error.value) == (
        "input x.y: object is not an input; give a shape as a string, a number, a list or a dict"
    )


def test_parts_are_put_together() -> None:
    inputs = [parse_input(text) for text in ("1x3", "batch.a=1x3", "batch.b.c=true", "xs.1=2.5", "xs.0=1x3")]
    positional, named = merged(inputs)
    assert positional == [Input(None, TENSOR)]
    assert named == {"batch": {"a": TENSOR, "b": {"c": True}}, "xs": [TENSOR, 2.5]}


def test_a_part_beside_the_whole() -> None:
    with pytest.raises(CutawayError, match="given as a whole, and also its part a"):
        merged([parse_input("batch=1x3"), parse_input("batch.a=1x3")])
