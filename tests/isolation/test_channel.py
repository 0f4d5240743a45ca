"""The parent believes a child only until its wall is up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cutaway.isolation import channel
from cutaway.isolation.channel import (
    DEADLINE,
    ENDED,
    ENTRY,
    ENTRY_PATH,
    ENTRY_USED,
    OUTPUT,
    RESULT,
    SEALED,
    Channel,
    Reception,
)


def messages(*pairs: tuple[bytes, bytes]) -> bytes:
    """Return the bytes that a child sends."""
    read_end, write_end = os.pipe()
    sender = Channel()
    sender.open(write_end)
    for kind, content in pairs:
        sender.send(kind, content)
    os.close(write_end)
    with open(read_end, "rb") as file:
        return file.read()


def test_messages_arrive_in_any_pieces() -> None:
    sent = messages((DEADLINE, b"3.5"), (OUTPUT, b"out.txt"), (SEALED, b""), (RESULT, b"text"), (ENDED, b"0"))
    for size in (1, 7, len(sent)):
        reception = Reception()
        assert all(reception.feed(sent[at : at + size]) for at in range(0, len(sent), size))
        assert (reception.seconds, reception.output, reception.sealed) == (3.5, "out.txt", True)
        assert (reception.contents[RESULT], reception.text(ENDED)) == (b"text", "0")


@pytest.mark.parametrize("kind", [DEADLINE, OUTPUT, ENTRY_PATH, SEALED])
def test_nothing_is_announced_behind_the_wall(kind: bytes) -> None:
    assert not Reception().feed(messages((SEALED, b""), (kind, b"9")))


@pytest.mark.parametrize("kind", [ENTRY, ENTRY_USED])
def test_only_files_that_were_named_are_written(kind: bytes, tmp_path: Path) -> None:
    named, other = os.fsencode(tmp_path / "named"), os.fsencode(tmp_path / "other")
    before = [(ENTRY_PATH, named), (SEALED, b"")]
    assert Reception().feed(messages(*before, (kind, named + b"\0content")))
    assert not Reception().feed(messages(*before, (kind, other + b"\0content")))


def test_more_than_a_result_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "LARGEST", 100)
    assert not Reception().feed(messages((RESULT, bytes(200))))
    reception = Reception()
    assert not all(reception.feed(messages((RESULT, bytes(40)))) for _ in range(4))


def test_what_a_child_says_is_printable() -> None:
    reception = Reception()
    reception.feed(messages((ENDED, b"a\x1b[2Jb\n\xff")))
    assert reception.text(ENDED) == "a [2Jb �"
