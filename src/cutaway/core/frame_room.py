"""Room for the frames of calls: one block of memory that deep and shallow calls share.

Python 3.11 and later keep frames in blocks of 16 kB. A call that does not fit into the last one maps a new one, and its
return unmaps it. A loop that calls functions at such a depth does so in every iteration, which takes ten times as long
as the calls. A block is made as large as its first frame needs, rounded up to a power of two; so a frame that is said to
need a little more than half of one leaves the rest to the calls inside it. None of that memory is used until then.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from cutaway.core.speed import is_on

T = TypeVar("T")

_SLOTS = 1 << 18
"""How many values the first frame is said to hold, of 8 bytes: it takes 2 MB, and leaves as much."""


def with_room(function: Callable[[], T]) -> T:
    """Call a function so that the calls inside it share one block of memory."""
    return function()


if sys.version_info >= (3, 11) and sys.implementation.name == "cpython" and is_on("frame-room"):
    with_room.__code__ = with_room.__code__.replace(co_stacksize=_SLOTS)
