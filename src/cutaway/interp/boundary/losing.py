"""Making objects unknown, wherever they are referred to: what was changed in an unknown way."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from cutaway.core import session
from cutaway.core.protocols import is_module, is_module_class, is_tensor
from cutaway.core.unknown import Unknown
from cutaway.interp.run.heap import Heap
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.memory.contents import NAMES, Contents, referents
from cutaway.interp.run.memory.contents import set_contents as put
from cutaway.knowledge.base.array_memory import lose as lose_numbers
from cutaway.knowledge.base.framework import holds_parts, is_bookkeeping, is_mode
from cutaway.knowledge.base.registry import ARRAYS


def roots() -> list[Any]:
    here, running = session.current(), interpreter()
    return [running.modules, *running.stack, *here.modules, here.state, here.counters]


def present_heap() -> Heap:
    """Return the present state of the program; what it has in common with the last one is taken from there."""
    running = interpreter()
    heap = Heap(roots(), running.last_heap)
    running.last_heap = None
    if running.tried:
        keep(heap)
    return heap


def keep(heap: Heap) -> None:
    """Let the next state of the program take over from this one, unless it could notice that its objects live longer.

    That is only done inside of blocks that are being tried: it is recorded when the memory of tensors is freed elsewhere.
    """
    running = interpreter()
    is_noticed = heap.opaque or heap.lets_go or "weakref" in running.modules.modules
    running.last_heap = None if is_noticed else heap.kept()


def lose(objects: Iterable[Any], unknown: Unknown) -> None:
    """Make objects unknown, wherever they are referred to."""
    session.current().doubts.setdefault("what is not followed")
    heap = present_heap()
    bookkeeping, tables = bookkeeping_of(heap), part_tables(heap)
    lost: dict[int, Any] = {}
    for value in objects:
        if id(value) in tables:
            value.clear()
            tables[id(value)].mark_incomplete(unknown)
        elif id(value) in bookkeeping:
            bookkeeping[id(value)].mark_incomplete(unknown)
        else:
            lost[id(value)] = value
    doubtful: dict[int, bool] = {}

    def refers(value: Any) -> bool:
        """Tell whether a value is lost, or can't change and refers to something that is."""
        if id(value) in lost:
            return True
        if not issubclass(type(value), tuple):
            return False
        if id(value) not in doubtful:
            doubtful[id(value)] = False
            doubtful[id(value)] = any(map(refers, referents(value)))
        return doubtful[id(value)]

    def replaced(value: Any) -> Any:
        """Return what is left of a value that refers to something lost."""
        if id(value) in lost or type(value) is not tuple:
            return unknown
        return tuple(replaced(item) if refers(item) else item for item in value)

    for holder, contents in heap.saved.values():
        if any(refers(value) for part in contents for value in part.values):
            parts = [part._replace(values=[replaced(v) if refers(v) else v for v in part.values]) for part in contents]
            put(holder, tuple(parts))
    for value in lost.values():
        if is_module(value):
            value.mark_incomplete(unknown)


def lose_contents(container: Any, unknown: Unknown) -> None:
    """Make a container unknown that was changed in an unknown way, wherever it is referred to."""
    if is_module(container):
        return lose_parts(container, unknown)
    if type(container) in ARRAYS:
        return lose_numbers(container)
    if isinstance(container, dict) and any(holds_parts(key) for key in container if type(key) is str):
        return _lose_module_attributes(container, unknown)
    lose([container], unknown)
    _taint(container, unknown)  # what is being evaluated may refer to it, too
    return None


def _lose_module_attributes(attributes: dict[str, Any], unknown: Unknown) -> None:
    """Make the attributes of a module unknown, which the program has changed as a dict."""
    for name, value in attributes.items():
        if holds_parts(name):
            value.clear()
        elif not name.startswith("_") and not is_mode(name):
            attributes[name] = unknown
    attributes["_incomplete"] = unknown


def _taint(container: Any, unknown: Unknown) -> None:
    """Put an unknown value into a container."""
    if isinstance(container, list):
        list.append(container, unknown)
    elif isinstance(container, dict):
        for key in list(dict.keys(container)):
            dict.__setitem__(container, key, unknown)
    elif isinstance(container, set):
        set.add(container, unknown)
    elif isinstance(container, deque):
        deque.append(container, unknown)


def lose_parts(module: Any, unknown: Unknown) -> None:
    """Make the parts of a module unknown: any of them may have been added, replaced or removed."""
    for name, table in list(vars(module).items()):
        if isinstance(table, dict) and holds_parts(name):
            table.clear()
    module.mark_incomplete(unknown)


def lose_part(module: Any, name: str, unknown: Unknown) -> None:
    """Make one part of a module unknown, which may have been added, replaced or removed."""
    tables = [table for key, table in list(vars(module).items()) if isinstance(table, dict) and holds_parts(key)]
    for table in tables:
        table.pop(name, None)
    if not session.current().modules:
        module.mark_incomplete(unknown)


def bookkeeping_of(heap: Heap) -> dict[int, Any]:
    """Return the objects in which frameworks keep what they know of modules, by identity, with the modules."""
    owners: dict[int, Any] = {}
    for value, contents in heap.of_classes(is_module_class):
        waiting = [item for name, item in attributes_in(contents) if is_bookkeeping(name)]
        while waiting:
            item = waiting.pop()
            if id(item) not in owners and id(item) in heap.saved and not is_module(item) and not is_tensor(item):
                owners[id(item)] = value
                waiting += [inner for part in heap.saved[id(item)][1] for inner in part.values]
    return owners


def part_tables(heap: Heap) -> dict[int, Any]:
    """Return the dicts that hold the parts of modules, by identity, with the modules."""
    return {
        id(item): value
        for value, contents in heap.of_classes(is_module_class)
        for name, item in attributes_in(contents)
        if isinstance(item, dict) and holds_parts(name)
    }


def attributes_in(contents: Contents) -> list[tuple[Any, Any]]:
    return [pair for part in contents if part.kind == NAMES for pair in zip(part.keys, part.values)]
