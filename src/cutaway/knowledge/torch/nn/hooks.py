"""Hooks of modules, and the handles that remove them."""

from __future__ import annotations

import itertools
from typing import Any

from cutaway.core import session


class RemovableHandle:
    """What registering a hook returns."""

    _ids = itertools.count()

    def __init__(self, hooks: dict[int, Any]) -> None:
        self.id = next(self._ids)
        session.current().doubts.setdefault("what a hook does")
        self._hooks = hooks

    def remove(self) -> None:
        """Take the hook away."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.remove()


def add_hook(hooks: Any, with_kwargs: Any, hook: Any, prepend: bool, kwargs: bool) -> RemovableHandle:
    """Enter a hook into the table of a module."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if kwargs:
        with_kwargs[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle
