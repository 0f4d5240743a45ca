"""Our dataclasses behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from cutaway.core import record
from cutaway.core.record import field


def _classes(dataclass: Any) -> tuple[Any, Any, Any]:
    """Return a frozen, an open and an inheriting class, made by one of the two decorators."""

    @dataclass(frozen=True, slots=True)
    class Size:
        """A size."""

        width: int
        height: int = 2
        note: str = field(default="", compare=False, repr=False)

    @dataclass(slots=True)
    class Tally:
        counts: dict[str, int] = field(default_factory=dict)
        total: int = field(init=False, default=0)

        def __post_init__(self) -> None:
            self.total = sum(self.counts.values())

    @dataclass(frozen=True)
    class Named(Size):
        name: str = "box"

    return Size, Tally, Named


OURS, THEIRS = _classes(record.dataclass), _classes(dataclasses.dataclass)
MADE = [
    lambda Size, Tally, Named: Size(3),
    lambda Size, Tally, Named: Size(3, height=4, note="n"),
    lambda Size, Tally, Named: Tally({"a": 2}),
    lambda Size, Tally, Named: Tally(),
    lambda Size, Tally, Named: Named(1, 2, "n", "crate"),
    lambda Size, Tally, Named: dataclasses.replace(Size(3), height=9),
]


@pytest.mark.parametrize("make", MADE)
@pytest.mark.parametrize("ask", [repr, dataclasses.asdict, dataclasses.astuple, lambda v: type(v).__match_args__])
def test_a_record_tells_of_itself_what_a_dataclass_does(make: Any, ask: Any) -> None:
    assert ask(make(*OURS)) == ask(make(*THEIRS))


@pytest.mark.parametrize("classes", [OURS, THEIRS], ids=["ours", "theirs"])
def test_values_are_compared_by_their_fields(classes: Any) -> None:
    Size, _, Named = classes
    assert Size(1, note="a") == Size(1, note="b") and hash(Size(1, note="a")) == hash(Size(1, note="b"))
    assert Size(1) != Size(2) and Size(1) != Named(1) and Size(1) != (1, 2, "")


@pytest.mark.parametrize("classes", [OURS, THEIRS], ids=["ours", "theirs"])
def test_what_is_frozen_refuses_to_change(classes: Any) -> None:
    Size, Tally, Named = classes
    for value in (Size(1), Named(1)):
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'width'"):
            value.width = 3
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'width'"):
            del value.width
    with pytest.raises(TypeError):
        hash(Tally())


@pytest.mark.parametrize("classes", [OURS, THEIRS], ids=["ours", "theirs"])
def test_each_value_has_a_default_of_its_own(classes: Any) -> None:
    _, Tally, _ = classes
    first, second = Tally(), Tally()
    first.counts["a"] = 1
    assert second.counts == {}


@pytest.mark.parametrize("classes", [OURS, THEIRS], ids=["ours", "theirs"])
def test_a_slotted_record_takes_no_other_attribute(classes: Any) -> None:
    _, Tally, _ = classes
    with pytest.raises(AttributeError):
        Tally().other = 1


@record.dataclass(frozen=True, slots=True)
class Kept:
    """A record that can be found by its name."""

    name: str
    parts: tuple[int, ...] = ()


def test_a_record_is_copied_and_kept() -> None:
    kept = Kept("k", (1, 2))
    assert copy.deepcopy(kept) == kept
    assert pickle.loads(pickle.dumps(kept)) == kept
