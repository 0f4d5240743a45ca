"""Damaged GGUF, numpy and msgpack files, and hostile ones: they are read or refused, and scanned, without a crash."""

from __future__ import annotations

import struct
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

import cutaway
from cutaway.formats import dispatch
from cutaway.scan.files import scan_file
from tests.properties.test_saved import CHANGES, changed
from tests.scan.hostile_files import hostile_files
from tests.unit.formats.test_other_weights import array, gguf, packed

READABLE = [
    gguf({"a": ((256, 64), 12)}, [("k", 4, struct.pack("<I", 1))], 3, "<"),
    array("<f4", (3, 4)),
    packed({"params": {"kernel": ((3, 4), "float32", 48)}}),
]
HOSTILE = [content for _, content in hostile_files()]


@given(st.sampled_from([*READABLE, *HOSTILE]), CHANGES)
@settings(max_examples=300, deadline=None)
def test_a_changed_file_is_read_or_refused_and_scanned(content: bytes, changes: list[tuple[int, int]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.bin"
        path.write_bytes(changed(content, changes) if content else b"")
        try:
            dispatch.read(str(path))
        except cutaway.CutawayError as error:
            assert "\n" not in str(error)
        assert scan_file(str(path)).verdict
