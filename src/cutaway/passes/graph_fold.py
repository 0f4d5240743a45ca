"""The tree folded for a graph: equal siblings are one box only if no path leaves the box and comes back to it.

Two equal norms before and after an attention are one row of a table. As one box of a graph, what comes out of it would
flow back into it, and the order in which they are called could not be seen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from cutaway.core.architecture import Architecture
from cutaway.passes.cost import Cost
from cutaway.passes.fold import Node, fold
from cutaway.passes.hierarchy import owner

MOST_APART = 8
"""More equal siblings than these are one box all the same: a loop that is long reads better as one."""


def fold_for_graph(
    architecture: Architecture, costs: Mapping[str, Cost] | None = None, *, apart: Collection[str] = ()
) -> Node | None:
    """Return the root of the tree, in which siblings that can't be drawn as one box are separate."""
    root = fold(architecture, costs, apart=apart)
    if root is None or not architecture.ops:
        return root
    owners = _owners(architecture)
    separate = {module.path for node in _circular(root, architecture, owners) for module in node.modules}
    return fold(architecture, costs, apart=apart, by_name=separate) if separate else root


def _owners(architecture: Architecture) -> list[str]:
    """Return the path of the module that each operation runs in."""
    paths = {module.path for module in architecture.modules}
    return [owner(op.module, paths, architecture.separator) for op in architecture.ops]


def _circular(root: Node, architecture: Architecture, owners: list[str]) -> Iterator[Node]:
    for node in _nodes(root):
        if 1 < node.count <= MOST_APART and node.modules:
            members = [module.path for module in node.modules[: node.count]]
            if _comes_back(members, architecture, owners):
                yield node


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _nodes(child)


def _comes_back(members: list[str], architecture: Architecture, owners: list[str]) -> bool:
    """Tell whether what siblings compute reaches one of them through something else in the network."""
    separator = architecture.separator
    inside = {
        at
        for at, path in enumerate(owners)
        if any(path == member or path.startswith(member + separator) for member in members)
    }
    if not inside:
        return False
    own: set[str] = set()  # what the siblings compute
    beyond: set[str] = set()  # what others compute from it
    for at in range(min(inside), max(inside) + 1):
        op = architecture.ops[at]
        names = [value.name for value in op.inputs]
        if at in inside:
            if not beyond.isdisjoint(names):
                return True
            own.update(value.name for value in op.outputs)
        elif not (own.isdisjoint(names) and beyond.isdisjoint(names)):
            beyond.update(value.name for value in op.outputs)
    return False
