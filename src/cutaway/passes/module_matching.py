"""Which module of one network is which of another: by path, and by structure where it has been renamed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cutaway.core.architecture import Architecture, Module, Weight
from cutaway.passes.hierarchy import ancestors, children, name_below, owner, upwards, weight_below
from cutaway.passes.unique_modules import canonical


class Tree:
    """The modules of a network with what is below each, and signatures of what they are.

    `by_weights` leaves out what a file of weights does not have: classes, configurations, modules without weights,
    and weights that are not saved.
    """

    def __init__(self, architecture: Architecture, by_weights: bool = False) -> None:
        self.modules = {module.path: module for module in architecture.modules}
        self.modules.setdefault("", Module("", architecture.name, architecture.name))
        held = architecture.weights
        if by_weights:
            held = tuple(weight for weight in held if weight.persistent)
            self.modules = _holding(self.modules, held, architecture.separator)
        self.below = children(self.modules, architecture.separator)
        self.separator = architecture.separator
        self.weights: dict[str, list[Any]] = {path: [] for path in self.modules}
        for weight in held:
            path = owner(weight.module or "", self.modules, self.separator)
            self.weights[path].append(weight)
        self.exact: dict[str, Any] = {}
        self.loose: dict[str, Any] = {}
        for path in upwards(self.below):
            module = self.modules[path]
            own = tuple((weight_below(path, w.name), w.shape) for w in self.weights[path])
            kids = tuple(self.exact[kid] for kid in self.below[path])
            alike = tuple(self.loose[kid] for kid in self.below[path])
            if by_weights:  # such files have an order of their own
                own, kids, alike = tuple(sorted(own, key=str)), tuple(sorted(kids)), tuple(sorted(alike))
            kind, config = ("", "") if by_weights else (module.class_name, canonical(module.config))
            self.exact[path] = hash((kind, config, own, kids))
            shapes = tuple(sorted(map(str, (w.shape for w in self.weights[path]))))
            self.loose[path] = hash((kind, shapes, alike))

    def within(self, path: str) -> list[str]:
        """Return a path and all that are below it, parents first."""
        paths = [path]
        for each in paths:
            paths.extend(self.below[each])
        return paths


def has_classes(architecture: Architecture) -> bool:
    """Tell whether the classes of a network's modules are known: a file of weights has none."""
    return any(module.class_name for module in architecture.modules)


def _holding(modules: Mapping[str, Module], weights: Sequence[Weight], separator: str) -> dict[str, Module]:
    """Return the modules that hold weights, themselves or below them."""
    kept = {""}
    for weight in weights:
        kept.update(ancestors(weight.module or "", separator))
    return {path: module for path, module in modules.items() if path in kept}


def match(left: Tree, right: Tree) -> dict[str, str]:
    """Return the pairs of modules, by the path in the one and the path in the other."""
    here, there = _roots(left, right)
    pairs = {here: there}
    _match_below(here, there, left, right, pairs)
    _match_moved(left, right, pairs)
    return pairs


def _roots(left: Tree, right: Tree) -> tuple[str, str]:
    """Return where the comparison begins: at both roots, or inside of what was put around one of the networks."""
    for key, side in ((left.exact, right.exact), (left.loose, right.loose)):
        if key[""] == side[""] or not (left.below[""] and right.below[""]):
            return "", ""
        for path in right.modules:
            if path and side[path] == key[""]:
                return "", path
        for path in left.modules:
            if path and key[path] == side[""]:
                return path, ""
    return _unwrapped(left, right), _unwrapped(right, left)


def _unwrapped(tree: Tree, other: Tree) -> str:
    """Return the path of what a root does nothing but contain, if the other network has nothing of that name."""
    names = {name_below("", path) for path in other.below[""]}
    below = tree.below[""]
    alone = len(below) == 1 and not tree.weights[""] and len(names) > 1
    return below[0] if alone and below[0] not in names else ""


def _match_below(here: str, there: str, left: Tree, right: Tree, pairs: dict[str, str]) -> None:
    """Pair the children of two modules that are one: by name, then by structure, then by what they resemble."""
    ours, theirs = list(left.below[here]), list(right.below[there])
    names = {name_below(there, path): path for path in theirs}
    matched: list[tuple[str, str]] = []
    for path in list(ours):
        other = names.get(name_below(here, path))
        # A name that now belongs to something else is not a match if what it was is still there under another.
        if other is not None and (_alike(path, other, left, right) or not _elsewhere(path, theirs, left, right)):
            matched.append((path, other))
    ours = [path for path in ours if path not in dict(matched)]
    theirs = [path for path in theirs if path not in {b for _, b in matched}]
    for key in (left.exact, left.loose):
        side = right.exact if key is left.exact else right.loose
        for path in list(ours):
            other = next((candidate for candidate in theirs if side[candidate] == key[path]), None)
            if other is not None:
                matched.append((path, other))
                ours.remove(path)
                theirs.remove(other)
    for path in list(ours):
        other = _most_similar(path, theirs, left, right)
        if other is not None:
            matched.append((path, other))
            ours.remove(path)
            theirs.remove(other)
    for path, other in matched:
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
            candidates = free.get(key[path])
            if candidates:
                other = candidates.pop(0)
                for ours, theirs in zip(left.within(path), right.within(other)):
                    if ours not in pairs and theirs not in taken:
                        pairs[ours] = theirs
                        taken.add(theirs)


def _alike(path: str, other: str, left: Tree, right: Tree) -> bool:
    kinds = left.modules[path].class_name, right.modules[other].class_name
    return kinds[0] == kinds[1] or not all(kinds)


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
