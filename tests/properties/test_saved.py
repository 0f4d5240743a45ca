"""Damaged files of weights: whatever is changed in them, they are read, or there is one clear error."""

from __future__ import annotations

import io

from hypothesis import given, settings
from hypothesis import strategies as st

import cutaway
from cutaway.formats import safetensors, torch_beginning, torch_save
from cutaway.formats.pickle_machine import Damaged, load
from tests.unit.formats.test_weights import archive, entries, state_dict
from tests.unit.formats.test_weights import safetensors as written

CHANGES = st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 255)), max_size=6)


def changed(content: bytes, changes: list[tuple[int, int]]) -> bytes:
    data = bytearray(content)
    for at, value in changes:
        data[at % len(data)] = value
    return bytes(data)


@given(CHANGES)
@settings(max_examples=300, deadline=None)
def test_a_changed_pickle_is_followed_or_refused(changes: list[tuple[int, int]]) -> None:
    pickle = changed(state_dict(), changes)
    for content in (archive(pickle), torch_beginning.MAGIC + b"\x80\x02K\x01." + b"\x80\x02}." + pickle):
        try:
            torch_save.read(io.BytesIO(content), "model.pt")
        except cutaway.CutawayError as error:
            assert str(error).startswith("model.pt: ") and "\n" not in str(error)


@given(st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_followed_or_refused_as_a_pickle(content: bytes) -> None:
    try:
        load(io.BytesIO(content))
    except Damaged as error:
        assert str(error)


@given(CHANGES)
@settings(max_examples=200, deadline=None)
def test_a_changed_archive_or_header_is_read_or_refused(changes: list[tuple[int, int]]) -> None:
    for reader, content in ((torch_save, archive(state_dict())), (safetensors, written(entries()))):
        try:
            reader.read(io.BytesIO(changed(content, changes)), "model.bin")
        except cutaway.CutawayError as error:
            assert str(error).startswith("model.bin: ") and "\n" not in str(error)
