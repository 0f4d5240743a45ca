"""The grammars of targets and inputs accept or refuse any text, and never fail otherwise."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cutaway import CutawayError
from cutaway.core.size.dim import Dim
from cutaway.syntax.inputs import TensorInput, parse_input
from cutaway.syntax.target import parse_target

pieces = st.lists(
    st.sampled_from(
        [
            "1",
            "3",
            "x",
            "=",
            ":",
            ",",
            "(",
            ")",
            " ",
            "B",
            "float32",
            "bool",
            "-",
            ".",
            "²",
            "é",
            "[",
            "]",
            '"',
            "true",
            "a.b",
        ]
    )
)
texts = st.one_of(st.text(max_size=30), pieces.map("".join))


@given(texts)
def test_any_text_is_an_input_or_is_refused(text: str) -> None:
    try:
        given_input = parse_input(text)
    except CutawayError as error:
        assert str(error).startswith("--input ")
    else:
        assert all(isinstance(size, (int, Dim)) for tensor in given_input.tensors() for size in tensor.shape)


@given(texts)
def test_any_text_is_a_target_or_is_refused(text: str) -> None:
    try:
        target = parse_target(text)
    except CutawayError as error:
        assert "\n" not in str(error) or "\n" in text
    else:
        assert (target.file is None) != (target.module is None)


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=6), st.sampled_from(["float32", "int64", "bool"]))
def test_a_shape_is_read_as_it_is_written(sizes: list[int], dtype: str) -> None:
    read = parse_input(f"x={'x'.join(map(str, sizes))}:{dtype}")
    assert (read.name, read.value) == ("x", TensorInput(tuple(sizes), dtype))
