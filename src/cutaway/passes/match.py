"""Which module of one network is which of another: by path, and by structure where it has been renamed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.core.architecture import Architecture, Module
from cutaway.passes.hierarchy import children, name_below, owner, upwards
from cutaway.passes.unique import canonical


class Tree:
    """The modules of a network with what is below each, and signatures of what they are."""

    def __init__(self, architecture: Architecture) -> None:
        self.modules = {module.path: module for module in architecture.modules}
        self.modules.setdefault("", Module("", architecture.name, architecture.name))
        self.below = children(self.modules, architecture.separator)
        self.separator = architecture.separator
        self.weights: dict[str, list[Any]] = {path: [] for path in self.modules}
        for weight in architecture.weights:
            path = owner(weight.module or "", self.modules, self.separator)
            self.weights[path].append(weight)
        self.exact: dict[str, Any] = {}
        self.loose: dict[str, Any] = {}
        for path in upwards(self.below):
            module = self.modules[path]
            own = tuple((name_below(path, w.name), w.shape) for w in self.weights[path])
            kids = tuple(self.exact[kid] for kid in self.below[path])
            self.exact[path] = hash((module.class_name, canonical(module.config), own, kids))
            shapes = tuple(sorted(map(str, (w.shape for w in self.weights[path]))))
            self.loose[path] = hash((module.class_name, shapes, tuple(self.loose[kid] for kid in self.below[path])))

    def within(self, path: str) -> list[str]:
        """Return a path and all that are below it, parents first."""
        found = [path]
        for each in found:
            found.extend(self.below[each])
        return found


def match(left: Tree, right: Tree) -> dict[str, str]:
    """Return the pairs of modules, by the path in the one and the path in the other."""
    pairs = {"": ""}
    _match_below("", "", left, right, pairs)
    _match_moved(left, right, pairs)
    return pairs


def _match_below(here: str, there: str, left: Tree, right: Tree, pairs: dict[str, str]) -> None:
    """Pair the children of two modules that are one: by name, then by structure, then by what they resemble."""
    ours, theirs = list(left.below[here]), list(right.below[there])
    names = {name_below(there, path): path for path in theirs}
    found: list[tuple[str, str]] = []
    for path in list(ours):
        other = names.get(name_below(here, path))
        # A name that now belongs to something else is no match if what it was is still there under another.
        if other is not None and (_alike(path, other, left, right) or not _elsewhere(path, theirs, left, right)):
            found.append((path, other))
    ours = [path for path in ours if path not in dict(found)]
    theirs = [path for path in theirs if path not in {b for _, b in found}]
    for key in (left.exact, left.loose):
        side = right.exact if key is left.exact else right.loose
        for path in list(ours):
            other = next((candidate for candidate in theirs if side[candidate] == key[path]), None)
            if other is not None:
                found.append((path, other))
                ours.remove(path)
                theirs.remove(other)
    for path in list(ours):
        other = _most_similar(path, theirs, left, right)
        if other is not None:
            found.append((path, other))
            ours.remove(path)
            theirs.remove(other)
    for path, other in found:
        pairs[path] = other
        _match_below(path, other, left, right, pairs)


def _match_moved(left: Tree, right: Tree, pairs: dict[str, str]) -> None:
    """Pair whole modules with weights in them that have moved elsewhere in the tree."""
    taken = set(pairs.values())
    for key, side in ((left.exact, right.exact), (left.loose, right.loose)):
        free: dict[Any, list[str]] = {}
        for path in right.modules:
            if path not in taken:
                free.setdefault(side[path], []).append(path)
        for path in left.modules:
            if path in pairs or not any(left.weights[each] for each in left.within(path)):
                continue
            found = free.get(key[path])
            if found:
                other = found.pop(0)
                for ours, theirs in zip(left.within(path), right.within(other)):
                    if ours not in pairs and theirs not in taken:
                        pairs[ours] = theirs
                        taken.add(theirs)


def _alike(path: str, other: str, left: Tree, right: Tree) -> bool:
    return left.modules[path].class_name == right.modules[other].class_name


def _elsewhere(path: str, candidates: Sequence[str], left: Tree, right: Tree) -> bool:
    return any(right.exact[candidate] == left.exact[path] for candidate in candidates)


def _most_similar(path: str, candidates: Sequence[str], left: Tree, right: Tree) -> str | None:
    """Return the candidate of the same class that shares most of what is in it, if that is at least half."""
    best, most = None, 0.5
    for candidate in candidates:
        if not _alike(path, candidate, left, right):
            continue
        score = _similarity(
            [left.loose[p] for p in left.within(path)], [right.loose[p] for p in right.within(candidate)]
        )
        if score > most:
            best, most = candidate, score
    return best


def _similarity(left: Sequence[Any], right: Sequence[Any]) -> float:
    counts: dict[Any, int] = {}
    for each in left:
        counts[each] = counts.get(each, 0) + 1
    shared = 0
    for each in right:
        if counts.get(each, 0) > 0:
            counts[each] -= 1
            shared += 1
    return 2 * shared / (len(left) + len(right))
