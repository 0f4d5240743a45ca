"""A function that runs for many arguments, each time in a process of its own, several at once."""

from __future__ import annotations

import os
import select
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cutaway.core.error import CutawayError
from cutaway.isolation.call import answer, call, import_needed, result_of
from cutaway.isolation.channel import Reception
from cutaway.isolation.child_process import FAILED, GRACE_SECONDS, LATE, Ending, end, ending_of, start

Outcome = bytes | CutawayError
"""What a call returns, or raises."""


def call_each(
    function: Callable[..., bytes], arguments: Sequence[tuple[Any, ...]], seconds: float, processes: int
) -> Iterator[tuple[int, Outcome]]:
    """Yield what a function returns for each of some arguments, with their index, as it is known.

    As in `call.py`, the function enters the wall itself.
    """
    if sys.platform != "linux":
        for at, each in enumerate(arguments):
            yield at, _outcome(lambda each=each: call(function, *each, seconds=seconds))  # type: ignore[misc]
        return
    children: dict[int, _Child] = {}
    try:
        waiting = list(enumerate(arguments))[::-1]
        while waiting or children:
            while waiting and len(children) < processes:
                at, each = waiting.pop()
                child = _Child(at, function, each, seconds)
                children[child.read_end] = child
            for child in _ready(children):
                del children[child.read_end]
                yield child.at, _outcome(child.result)
    finally:
        for child in children.values():
            child.kill()


def _outcome(result: Callable[[], bytes]) -> Outcome:
    try:
        return result()
    except CutawayError as error:
        return error


class _Child:
    """A process that answers one call."""

    def __init__(self, at: int, function: Callable[..., bytes], arguments: tuple[Any, ...], seconds: float) -> None:
        self.at = at
        self.reception = Reception(seconds)
        self.deadline = time.monotonic() + seconds + GRACE_SECONDS
        self.cause = ""
        import_needed()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, whose locks the child does not take
            self.process, self.read_end = start(lambda: answer(function, arguments))

    def receive(self) -> bool:
        """Take in what there is; tell whether the process is done."""
        data = os.read(self.read_end, 1 << 20)
        if data and not self.reception.feed(data):
            self.cause = "the analysis sent something unexpected"
        return not data or bool(self.cause)

    def result(self) -> bytes:
        """Return what the call returns; the process has ended, or is ended."""
        status = end(self.process, kill=bool(self.cause))
        os.close(self.read_end)
        ending = Ending(FAILED, self.cause) if self.cause else ending_of(status, self.reception)
        return result_of(ending, self.reception)

    def kill(self) -> None:
        """End the process."""
        end(self.process, kill=True)
        os.close(self.read_end)


def _ready(children: dict[int, _Child]) -> list[_Child]:
    """Wait until something happens; return the children that are done, or late."""
    poll = select.poll()
    for descriptor in children:
        poll.register(descriptor, select.POLLIN)
    first = min(child.deadline for child in children.values())
    ready = poll.poll(max(0.0, first - time.monotonic()) * 1000)
    done = [children[descriptor] for descriptor, _ in ready if children[descriptor].receive()]
    for child in children.values():
        if child not in done and time.monotonic() >= child.deadline:
            child.cause = LATE
            done.append(child)
    return done
