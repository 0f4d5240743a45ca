"""Recording the calls of a module, with what goes in and what comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.session import Call
from cutaway.knowledge.base.flatten import flatten, flatten_arguments


def recorded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a module's method that records its calls; `_function` is the method itself."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        here = session.current()
        here.tick()
        record = Call(self, flatten_arguments(args, kwargs), len(here.operations), depth=len(here.modules))
        here.calls.append(record)
        here.modules.append(self)
        outside, here.recording = here.recording, True
        try:
            result = function(self, *args, **kwargs)
        finally:
            here.modules.pop()
            here.recording = outside
            record.last_operation = len(here.operations)
        record.outputs, record.presumed = flatten(result), here.presumed
        return result

    call._records = True  # type: ignore[attr-defined]
    call._function = function  # type: ignore[attr-defined]
    return call
