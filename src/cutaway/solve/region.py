"""Sets of sizes of several unknowns: unions of boxes, each of which has a set of numbers for every unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cutaway.core.record import dataclass
from cutaway.solve.effort import Unsolved, spend
from cutaway.solve.subset import ALL, Subset

Box = Mapping[str, Subset]
"""The numbers that each unknown may have, by its name; one that is not named may have any."""

_MOST_BOXES = 128


@dataclass(frozen=True, slots=True)
class Region:
    """What unknown sizes may be: one of these boxes. None of them is empty."""

    boxes: tuple[Box, ...]

    def __bool__(self) -> bool:
        return bool(self.boxes)

    def __and__(self, other: Region) -> Region:
        return region(met for left in self.boxes for right in other.boxes if (met := _met(left, right)) is not None)

    def __or__(self, other: Region) -> Region:
        return region((*self.boxes, *other.boxes))

    def __sub__(self, other: Region) -> Region:
        left = list(self.boxes)
        for box in other.boxes:
            left = [part for each in left for part in _without(each, box)]
            _bounded(left)
        return region(left)

    def __contains__(self, sizes: Mapping[str, int]) -> bool:
        return any(all(sizes[name] in held for name, held in box.items()) for box in self.boxes)

    def of(self, name: str) -> Subset:
        """Return every number that an unknown may have."""
        subset = Subset(0, 0, 1, 0)
        for box in self.boxes:
            subset |= box.get(name, ALL)
        return subset


EVERYWHERE = Region(({},))
NOWHERE = Region(())


def where(name: str, held: Subset) -> Region:
    """Return where one unknown is one of these numbers."""
    return NOWHERE if not held else (EVERYWHERE if held.is_all else Region(({name: held},)))


def region(boxes: Iterable[Box]) -> Region:
    """Return the union of boxes that are not empty, put together where that makes fewer of them."""
    kept: list[Box] = []
    for box in boxes:
        new: Box | None = box
        while new is not None:
            joined = next(((i, both) for i, held in enumerate(kept) if (both := _joined(held, new)) is not None), None)
            if joined is None:
                kept.append(new)
                new = None
            elif joined[1] is kept[joined[0]]:
                new = None
            else:
                kept.pop(joined[0])
                new = joined[1]
    _bounded(kept)
    return Region(tuple(kept))


def _bounded(boxes: list[Box]) -> None:
    if len(boxes) > _MOST_BOXES:
        raise Unsolved("too many combinations of sizes are possible")


def _met(left: Box, right: Box) -> Box | None:
    """Return what is in both boxes, None for nothing."""
    box = dict(left)
    for name, held in right.items():
        both = box[name] & held if name in box else held
        if not both:
            return None
        box[name] = both
    return box


def _joined(left: Box, right: Box) -> Box | None:
    """Return two boxes as one, None where they are none together; `left` itself where it contains the other."""
    spend(1)
    apart = [name for name in {**left, **right} if left.get(name, ALL) != right.get(name, ALL)]
    if not apart:
        return left
    if len(apart) == 1:
        name = apart[0]
        both = left.get(name, ALL) | right.get(name, ALL)
        if both == left.get(name, ALL):
            return left
        return {key: held for key, held in {**left, name: both}.items() if not held.is_all}
    if all(name not in left or (name in right and not right[name] - left[name]) for name in apart):
        return left
    if all(name not in right or (name in left and not left[name] - right[name]) for name in apart):
        return right
    return None


def _without(box: Box, taken: Box) -> list[Box]:
    """Return what is left of a box, in boxes that do not overlap."""
    if _met(box, taken) is None:
        return [box]
    parts: list[Box] = []
    inside = dict(box)
    for name, held in taken.items():
        own = inside.get(name, ALL)
        outside = own - held
        if outside:
            parts.append({**inside, name: outside})
        inside[name] = own & held
    return parts
