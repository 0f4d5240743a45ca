"""Modules that are evaluated later than Python would evaluate them, while some code is being tried out.

What such a module does was done before that code in Python, so it is not part of what the code has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from cutaway.interp.boundary.losing import present_heap
from cutaway.interp.run.frame import Pending
from cutaway.interp.run.heap import Heap
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.memory.contents import ITEMS, MISSING, NAMES, Contents, Part, same


@contextmanager
def as_if_before() -> Iterator[None]:
    """Enter all that changes in a block into the states that are remembered, as if it had been so before them."""
    running = interpreter()
    if not running.remembered or running.is_catching_up:
        yield
        return
    now = present_heap()
    running.is_catching_up = True
    try:
        yield
    finally:
        running.is_catching_up = False
        changes = now.changes()
        for heap in list(running.remembered):
            _enter(changes, heap)


def enter_definition(namespace: dict[str, Any], names: Iterable[str], unevaluated: dict[int, Any], index: int) -> None:
    """Enter a definition that was put off into the states that are remembered, so that it is evaluated in none again."""
    for heap in interpreter().remembered:
        saved = heap.saved.get(id(namespace))
        if saved is None or id(unevaluated) not in heap.saved:
            continue
        values = dict(zip(saved[1][0].keys, saved[1][0].values))
        values.update({name: namespace[name] for name in names if type(values.get(name)) is Pending})
        heap.remember(namespace, (Part(ITEMS, list(values), list(values.values())),))
        (left,) = heap.saved[id(unevaluated)][1]
        kept = [(key, value) for key, value in zip(left.keys, left.values) if key != index]
        heap.remember(unevaluated, (Part(ITEMS, [k for k, _ in kept], [v for _, v in kept]),))
        heap.add(values[name] for name in names if name in values)


def _enter(changes: list[tuple[Any, Contents, Contents]], heap: Heap) -> None:
    for value, before, after in changes:
        saved = heap.saved.get(id(value))
        if saved is not None and len(saved[1]) == len(before) == len(after):
            contents = tuple(_changed(*parts) for parts in zip(saved[1], before, after))
            heap.remember(value, contents)
            heap.add(item for part in contents for item in (*part.keys, *part.values))


def _changed(saved: Part, before: Part, after: Part) -> Part:
    """Return a part with what has changed in it since, where it has not been changed in another way."""
    if saved.kind in (ITEMS, NAMES):
        former, values = dict(zip(before.keys, before.values)), dict(zip(saved.keys, saved.values))
        for key, value in zip(after.keys, after.values):
            if same(values.get(key, MISSING), former.get(key, MISSING)):
                values[key] = value
        return Part(saved.kind, list(values), list(values.values()))
    if all(map(same, saved.values, before.values)) and len(saved.values) == len(before.values):
        return after
    return saved
