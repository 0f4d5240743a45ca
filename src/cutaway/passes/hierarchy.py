"""Which module contains which, from their paths."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence


def owner(path: str, known: Collection[str], separator: str = ".") -> str:
    """Return the nearest of the `known` paths that is `path` or contains it; the root's where none does."""
    while path and path not in known:
        path = path.rpartition(separator)[0]
    return path


def children(paths: Iterable[str], separator: str = ".") -> dict[str, list[str]]:
    """Return the paths directly below each path, in order.

    A path whose parent is not among the paths belongs to the nearest that is, at last to the root,
    which is always there.
    """
    below: dict[str, list[str]] = {"": []}
    ordered = [path for path in paths if path]
    below.update((path, []) for path in ordered)
    for path in ordered:
        below[owner(path.rpartition(separator)[0], below, separator)].append(path)
    return below


def ancestors(path: str, separator: str = ".") -> Iterator[str]:
    """Yield a path, every path that contains it, and the root's."""
    while path:
        yield path
        path = path.rpartition(separator)[0]
    yield ""


def upwards(below: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield every path after all that are below it, the root last."""
    order = [""]
    for path in order:
        order.extend(below[path])
    return reversed(order)


def weight_below(path: str, weight: str) -> str:
    """Return the name by which the module at `path` knows a weight, whose own name may begin above it, or not mention it."""
    if not path or weight.startswith(path):
        return name_below(path, weight)
    for separator in "/.":
        _, found, rest = weight.rpartition(f"{separator}{path}{separator}")
        if found:
            return rest
    return weight


def name_below(path: str, descendant: str) -> str:
    """Return the name by which the module at `path` knows what is below it."""
    return descendant[len(path) + 1 :] if path else descendant
