"""Room for the frames of calls."""

from __future__ import annotations

import sys

import pytest

from cutaway.core.frame_room import with_room
from cutaway.core.speed import is_on


def test_the_function_is_called_once_and_its_result_returned() -> None:
    calls = iter(["result"])
    assert with_room(lambda: next(calls)) == "result"
    assert not list(calls)


def test_exceptions_pass_through() -> None:
    with pytest.raises(ZeroDivisionError):
        with_room(lambda: 1 // 0)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="frames are not in blocks")
def test_its_frame_needs_a_block_that_has_room_for_others() -> None:
    block = 16 << 10
    while block < 8 * with_room.__code__.co_stacksize:
        block *= 2
    assert not is_on("frame-room") or block >= 2 << 20
