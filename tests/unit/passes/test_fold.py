"""Equal siblings fold; what differs in structure, cost or shape does not."""

from __future__ import annotations

from typing import Any

import pytest

from cutaway.core.architecture import Architecture, Module, ModuleCall, Op, Value, Weight
from cutaway.passes.fold import DEEPEST, Node, fold


def outline(node: Node | None) -> Any:
    """Return names, counts and children as nested tuples."""
    assert node is not None
    label = ",".join(node.names)
    children = [outline(child) for child in node.children]
    return (label, node.count, *children)


def sequence(*kinds: str, weights: str = "", **changes: dict[str, Any]) -> Architecture:
    """Return a root with a child for each kind; kinds in `weights` have one. `changes` are fields by child."""
    modules = [Module("", "Net", "net.Net")]
    held = []
    for at, kind in enumerate(kinds):
        modules.append(Module(str(at), kind, f"net.{kind}", **changes.get(f"_{at}", {})))
        if kind in weights.split():
            held.append(Weight(f"{at}.weight", (4, 4), "float32", "parameter"))
    return Architecture("Net", modules=tuple(modules), weights=tuple(held))


def test_equal_blocks_fold_and_the_one_with_a_projection_does_not(residual: Architecture) -> None:
    root = fold(residual)
    assert root is not None
    stage = root.children[1]
    assert [(node.names, node.count) for node in stage.children] == [(("0",), 1), (("1", "2"), 2)]
    assert [module.path for module in stage.children[1].modules] == ["layer1.1", "layer1.2"]
    assert [child.names[0] for child in stage.children[1].children] == ["conv1", "conv2", "conv3", "relu"]


def test_a_node_below_a_folded_one_keeps_all_that_it_stands_for(residual: Architecture) -> None:
    root = fold(residual)
    assert root is not None
    conv1 = root.children[1].children[1].children[0]
    assert [module.path for module in conv1.modules] == ["layer1.1.conv1", "layer1.2.conv1"]
    assert conv1.count == 1


def test_every_module_is_shown_exactly_once(residual: Architecture) -> None:
    def paths(node: Node) -> list[str]:
        return [module.path for module in node.modules] + [path for child in node.children for path in paths(child)]

    for repeats in (True, False):
        root = fold(residual, repeats=repeats)
        assert root is not None
        assert sorted(paths(root)) == sorted(module.path for module in residual.modules)


def test_without_repeats_nothing_folds(residual: Architecture) -> None:
    root = fold(residual, repeats=False)
    assert root is not None
    assert [node.names for node in root.children[1].children] == [("0",), ("1",), ("2",)]


@pytest.mark.parametrize(
    "change",
    [
        {"config": {"kernel_size": 3}},
        {"config": {"bias": True}},
        {"config": {"padding": [1, 2]}},
        {"complete": False},
        {"calls": (ModuleCall(((1,),), ((2,),)),)},
    ],
    ids=str,
)
def test_a_difference_that_matters_keeps_modules_apart(change: dict[str, Any]) -> None:
    assert outline(fold(sequence("A", "A", _1=change))) == ("", 1, ("0", 1), ("1", 1))


@pytest.mark.parametrize(
    "config",
    [
        {"drop_path": 0.1},
        {"dropout": 0},
        {"layer_idx": 3},
        {"eps": 1e-5},
        {"name": "block3"},
        {"act": {"name": "relu"}},
    ],
    ids=str,
)
def test_a_rate_a_position_or_a_description_does_not(config: dict[str, Any]) -> None:
    other = {
        key: 0.5 if isinstance(value, float) else 1 if isinstance(value, int) else "x" for key, value in config.items()
    }
    if "act" in config:
        other = {"act": {"name": "gelu"}}
    changed = sequence("A", "A", _0={"config": config}, _1={"config": other})
    assert outline(fold(changed)) == ("", 1, ("0,1", 2))


def test_a_dilation_rate_says_what_is_built() -> None:
    changed = sequence("A", "A", _0={"config": {"dilation_rate": 1}}, _1={"config": {"dilation_rate": 2}})
    assert outline(fold(changed)) == ("", 1, ("0", 1), ("1", 1))


def test_weights_tell_modules_apart() -> None:
    architecture = sequence("A", "A", weights="A")
    smaller = Weight("1.weight", (2, 4), "float32", "parameter")
    changed = Architecture("Net", modules=architecture.modules, weights=(architecture.weights[0], smaller))
    assert outline(fold(architecture)) == ("", 1, ("0,1", 2))
    assert outline(fold(changed)) == ("", 1, ("0", 1), ("1", 1))


def test_costs_tell_modules_apart() -> None:
    op = Op("matmul", {}, (), (Value("v0", (1,), "float32"),), "1", None, 5)
    architecture = Architecture("Net", modules=sequence("A", "A").modules, ops=(op,))
    assert outline(fold(architecture)) == ("", 1, ("0", 1), ("1", 1))


def test_only_neighbours_fold() -> None:
    assert outline(fold(sequence("A", "B", "A"))) == ("", 1, ("0", 1), ("1", 1), ("2", 1))


def test_groups_of_blocks_fold(tied: Architecture) -> None:
    root = fold(tied)
    assert root is not None
    (group,) = root.children[1].children
    assert (group.names, group.count, group.modules) == (("0", "1", "2", "3", "4", "5"), 3, ())
    assert [node.names for node in group.children] == [("0", "2", "4"), ("1", "3", "5")]


def test_a_few_alternating_layers_stay_as_they_are() -> None:
    assert len(outline(fold(sequence(*["Conv", "ReLU"] * 3)))) == 2 + 6


def test_a_group_of_layers_begins_with_the_one_that_has_weights() -> None:
    folded = outline(fold(sequence("Pool", *["ReLU", "Conv"] * 5, "ReLU", weights="Conv")))
    assert folded == ("", 1, ("0", 1), ("1", 1), ("2,3,4,5,6,7,8,9,10,11", 5, ("2,4,6,8,10", 1), ("3,5,7,9,11", 1)))


def test_depth_limits_the_levels_below_the_root(residual: Architecture) -> None:
    flat = fold(residual, depth=1)
    assert flat is not None and all(not node.children for node in flat.children)
    bare = fold(residual, depth=0)
    assert bare is not None and not bare.children


def test_very_deep_nesting_is_cut_off() -> None:
    paths = [".".join(["m"] * level) for level in range(3000)]
    root = fold(Architecture("Net", modules=tuple(Module(path, "M", "net.M") for path in paths)))
    levels = 0
    while root and root.children:
        root, levels = root.children[0], levels + 1
    assert levels == DEEPEST


def test_nothing_is_nothing() -> None:
    assert fold(Architecture("Net")) is None


def test_a_module_whose_parent_is_not_listed_hangs_from_the_next_above() -> None:
    modules = (Module("a", "A", "net.A"), Module("a.b.c", "C", "net.C"))
    assert outline(fold(Architecture("Net", modules=modules))) == ("", 1, ("a", 1, ("b.c", 1)))
