"""Equal siblings are one box of a graph only if nothing flows out of the box and back into it."""

from __future__ import annotations

import pytest

from cutaway.core.architecture import Architecture, Module, Op, Value
from cutaway.passes.fold import Node, fold
from cutaway.passes.graph_fold import MOST_APART, fold_for_graph

SHAPE = (1, 8)


def chain(*steps: str, blocks: int = 1) -> Architecture:
    """Return a network of equal blocks that call the parts `steps`, one after the other; `+` is an addition of their own."""
    modules = [Module("", "Net", "Net"), Module("blocks", "ModuleList", "ModuleList")]
    ops: list[Op] = []
    last = Value("x", SHAPE, "float32")
    for block in range(blocks):
        path = f"blocks.{block}"
        modules.append(Module(path, "Block", "Block"))
        modules += [Module(f"{path}.{name}", name.rstrip("0123456789"), "Part") for name in steps if name != "+"]
        for at, name in enumerate(steps):
            result = Value(f"v{block}.{at}", SHAPE, "float32")
            ops.append(
                Op(
                    "add" if name == "+" else "linear",
                    {},
                    (last,),
                    (result,),
                    path if name == "+" else f"{path}.{name}",
                )
            )
            last = result
    return Architecture("Net", inputs=(Value("x", SHAPE, "float32"),), modules=tuple(modules), ops=tuple(ops))


def names(node: Node | None) -> list[str]:
    """Return the names of the parts of the first block, equal ones joined."""
    assert node is not None
    return ["+".join(part.names) for part in node.children[0].children[0].children]


def test_siblings_with_something_between_them_are_separate() -> None:
    network = chain("norm1", "norm2", "+")
    assert names(fold_for_graph(network)) == ["norm1+norm2"]
    network = chain("norm1", "+", "norm2")
    assert names(fold(network)) == ["norm1+norm2"]
    assert names(fold_for_graph(network)) == ["norm1", "norm2"]


def test_blocks_of_separate_siblings_are_still_one_box() -> None:
    root = fold_for_graph(chain("norm1", "+", "norm2", blocks=3))
    assert root is not None
    assert [node.count for node in root.children[0].children] == [3]
    assert names(root) == ["norm1", "norm2"]


def test_siblings_side_by_side_are_one_box() -> None:
    """Two projections of one value, whose results meet later."""
    modules = [Module("", "Net", "Net"), Module("key", "Linear", "Linear"), Module("value", "Linear", "Linear")]
    x, key, viewed, value, joined = (
        Value(name, SHAPE, "float32") for name in ("x", "key", "viewed", "value", "joined")
    )
    ops = (
        Op("linear", {}, (x,), (key,), "key"),
        Op("view", {}, (key,), (viewed,), ""),
        Op("linear", {}, (x,), (value,), "value"),
        Op("matmul", {}, (viewed, value), (joined,), ""),
    )
    root = fold_for_graph(Architecture("Net", inputs=(x,), modules=tuple(modules), ops=ops))
    assert root is not None
    assert [node.names for node in root.children] == [("key", "value")]


@pytest.mark.parametrize("count", [MOST_APART, MOST_APART + 1])
def test_a_long_loop_is_one_box(count: int) -> None:
    steps = [step for at in range(count) for step in (f"norm{at}", "+")]
    assert len(names(fold_for_graph(chain(*steps)))) == (count if count <= MOST_APART else 1)
