"""The saved state of a program: what has changed since, whatever kind of object it is, and the next state made of it."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

import pytest

from cutaway.interp.run.heap import Heap


class Plain:
    """An object with variables."""

    def __init__(self, value: Any = 1) -> None:
        self.value = value


class Slotted:
    """An object with slots, of which one may not be set."""

    __slots__ = ("one", "two")

    def __init__(self) -> None:
        self.one: Any = 1


class Items(list[Any]):
    """A list with variables."""


class Ending(Plain):
    """An object whose end does something."""

    def __del__(self) -> None:
        pass


def _items() -> Items:
    items = Items([1])
    items.name = "a"  # type: ignore[attr-defined]
    return items


CHANGES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "an item of a dict": (lambda: {"a": 1}, lambda value: value.update(a=2)),
    "a key of a dict": (lambda: {"a": 1}, lambda value: (value.clear(), value.update(b=1))),
    "a dict that was empty": (dict, lambda value: value.update(a=1)),
    "an ordered dict": (lambda: OrderedDict(a=1, b=2), lambda value: value.move_to_end("a")),
    "an item of a list": (lambda: [1, 2], lambda value: value.reverse()),
    "a set": (lambda: {1}, lambda value: value.add(2)),
    "a queue": (lambda: deque([1]), lambda value: value.append(2)),
    "a variable": (Plain, lambda value: setattr(value, "value", 2)),
    "a new variable": (Plain, lambda value: setattr(value, "other", 2)),
    "all variables": (Plain, lambda value: setattr(value, "__dict__", {"value": 2})),
    "a slot": (Slotted, lambda value: setattr(value, "one", 2)),
    "a slot that was not set": (Slotted, lambda value: setattr(value, "two", 2)),
    "an item of an object": (_items, lambda value: value.append(2)),
    "a variable of a list": (_items, lambda value: setattr(value, "name", "b")),
    "a class": (lambda: type("Own", (), {"a": 1}), lambda value: setattr(value, "a", 2)),
    "a new attribute of a class": (lambda: type("Own", (), {"a": 1}), lambda value: setattr(value, "b", 2)),
    "a bytearray": (lambda: bytearray(b"a"), lambda value: value.append(1)),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_found_among_many_objects(what: str) -> None:
    make, change = CHANGES[what]
    values = [make() for _ in range(100)]
    heap = Heap([values])
    assert heap.changes() == []
    change(values[40])
    assert [id(value) for value, _, _ in heap.changes()] == [id(values[40])]


@pytest.mark.parametrize("what", CHANGES)
def test_the_next_state_knows_what_has_changed_and_what_has_not(what: str) -> None:
    make, change = CHANGES[what]
    values = [make() for _ in range(100)]
    first = Heap([values]).kept()
    change(values[40])
    second, anew = Heap([values], first), Heap([values])
    assert {key: contents for key, (_, contents) in second.saved.items()} == {
        key: contents for key, (_, contents) in anew.saved.items()
    }
    assert second.changes() == []
    change(values[41])
    assert [id(value) for value, _, _ in second.changes()] == [id(values[41])]


def test_the_next_state_has_what_is_new() -> None:
    values: list[Any] = [Plain() for _ in range(100)]
    first = Heap([values]).kept()
    values[3].value = new = [Plain()]
    second = Heap([values], first)
    assert id(new) in second.saved and id(new[0]) in second.saved
    new[0].value = 5
    assert [value for value, _, _ in second.changes()] == [new[0]]


def test_the_next_state_is_restored_to_what_it_was_and_not_to_the_one_before() -> None:
    value = Plain(1)
    first = Heap([value]).kept()
    value.value = 2
    second = Heap([value], first)
    value.value = 3
    second.restore()
    assert value.value == 2


def test_an_object_that_had_no_contents_is_looked_at_again() -> None:
    class Empty:
        """Neither variables nor slots that are set."""

    value = Empty()
    first = Heap([[value]]).kept()
    value.name = 1  # type: ignore[attr-defined]
    second = Heap([[value]], first)
    assert second.changes() == []
    value.name = 2  # type: ignore[attr-defined]
    assert len(second.changes()) == 1


def test_a_state_knows_that_the_end_of_an_object_does_something() -> None:
    assert not Heap([[Plain()]]).lets_go
    assert Heap([[Ending()]]).lets_go
