"""The text form of Protocol Buffers."""

from __future__ import annotations

import pytest

from cutaway.formats import protobuf
from cutaway.formats.protobuf_text import Schema, encoded

SCHEMA = Schema(
    {
        "Outer": {"name": (1, "text"), "inner": (2, "Inner"), "numbers": (3, "int"), "real": (4, "float")},
        "Inner": {"kind": (1, "color"), "is_on": (2, "bool")},
    },
    {"color": {"RED": 5}},
)


def read(text: str) -> protobuf.Message:
    return protobuf.Message(encoded(text.encode(), "Outer", SCHEMA))


def test_strings_that_follow_each_other_are_one() -> None:
    assert read("name: 'a\\x41' \"b\"").texts(1) == ["aAb"]


def test_lists_and_repeated_fields_are_the_same() -> None:
    assert read("numbers: [1, -2] numbers: 0x10").numbers(3) == [1, -2, 16]
    assert [inner.number(1) for inner in read("inner: [{ kind: RED }, < kind: 7 >]").messages(2)] == [5, 7]


def test_fields_that_no_one_reads_are_left_out() -> None:
    inner = read("# comment\nother { numbers: 3 deep < kind: RED > } inner { is_on: true unknown: 'x' }").message(2)
    assert inner is not None
    assert inner.fields == {2: [1]}


def test_real_numbers_may_have_a_suffix() -> None:
    assert read("real: 1.5f").fixed(4, "f") == [1.5]
    assert read("real: -inf").fixed(4, "f") == [float("-inf")]


@pytest.mark.parametrize("text", ["inner {", "}", "numbers: x", "name: 5", "inner { " * 70, "name: '\\q"])
def test_a_damaged_text_is_refused(text: str) -> None:
    with pytest.raises(protobuf.Malformed):
        read(text)
