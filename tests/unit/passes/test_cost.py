"""Figures add up, count what is shared once, and are unknown where a part of them is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cutaway.core.architecture import Architecture, Module, ModuleCall, Note, Op, Shape, Totals, Value, Weight
from cutaway.core.size.parser import read_size as size
from cutaway.passes.cost import as_quantity, byte_size, elements, measure, totals, undecided


def network(*weights: Weight, ops: tuple[Op, ...] = (), paths: tuple[str, ...] = ("", "a", "b", "a.c")) -> Architecture:
    call = (ModuleCall(((1,),), ((1,),)),)
    modules = tuple(Module(path, "M", "net.M", calls=call) for path in paths)
    return Architecture("Net", modules=modules, weights=weights, ops=ops)


def parameter(name: str, *shape: Any, **fields: Any) -> Weight:
    return Weight(name, shape, "float32", "parameter", **fields)


def op(module: str, macs: Any = 0, shape: Shape = (), allocates: bool = True, dtype: str | None = "float32") -> Op:
    return Op("op", {}, (), (Value("v", shape, dtype),), module, None, macs, allocates)


@pytest.mark.parametrize(
    ("shape", "count"),
    [((), 1), ((2, 3), 6), ((2, 0), 0), (None, None), ((2, None), None), ((size("B"), 3, size("B")), size("3*B**2"))],
)
def test_elements(shape: Shape, count: Any) -> None:
    found = elements(shape)
    assert (None if found is None else as_quantity(found)) == count


@pytest.mark.parametrize(
    ("dtype", "size"), [("float32", 24), ("bool", 6), ("complex128", 96), (None, None), ("foo", None)]
)
def test_bytes_need_a_known_element_type(dtype: str | None, size: int | None) -> None:
    assert byte_size((2, 3), dtype) == size


def test_a_module_has_its_own_parameters_and_those_below() -> None:
    costs = measure(network(parameter("w", 1), parameter("a.w", 10), parameter("a.c.w", 100)))
    assert costs["a"].own_parameters.quantity == 10
    assert costs["a"].parameters.quantity == 110
    assert costs["b"].parameters.quantity == 0
    assert costs[""].parameters.quantity == 111


def test_a_tied_parameter_counts_once_in_every_module_that_has_it_below() -> None:
    weights = parameter("a.w", 10), parameter("a.c.w", 10, tied_to="a.w"), parameter("b.w", 10, tied_to="a.w")
    costs = measure(network(*weights))
    assert [costs[path].parameters.quantity for path in ("", "a", "a.c", "b")] == [10, 10, 10, 10]
    assert [costs[path].own_parameters.quantity for path in ("", "a", "a.c", "b")] == [0, 10, 10, 10]
    assert {path for path in costs if costs[path].tied} == {"a.c", "b"}


def test_a_weight_under_another_name_of_a_shared_module_counts_once() -> None:
    costs = measure(network(parameter("a.w", 10), parameter("alias.w", 10, tied_to="a.w")))
    assert costs[""].parameters.quantity == 10
    assert costs[""].own_parameters.quantity == 0


def test_totals() -> None:
    architecture = network(
        parameter("a.w", 3, 4),
        parameter("b.w", 5, trainable=False),
        Weight("b.mean", (7,), "float64", "buffer", False),
        Weight("b.count", (), "int64", "buffer", False),
        ops=(op("a", 100, (2, 3)), op("a", 0, (2, 3), allocates=False), op("b", 11, (2,), dtype="bfloat16")),
    )
    assert totals(architecture) == Totals(
        parameters=17,
        trainable_parameters=12,
        buffers=8,
        macs=111,
        flops=222,
        weight_bytes=17 * 4 + 7 * 8 + 8,
        activation_bytes=6 * 4 + 2 * 2,
    )


def test_operations_count_in_their_module_and_above() -> None:
    costs = measure(network(ops=(op("a.c", 5), op("a", 7), op("elsewhere", 1))))
    assert [costs[path].macs.quantity for path in ("", "a", "b", "a.c")] == [13, 12, 0, 5]


def test_symbolic_figures_are_summed() -> None:
    architecture = network(ops=(op("a", size("3*B"), (size("B"), 2)), op("b", 4), op("b", size("B*floor(H/2)"))))
    found = totals(architecture)
    assert str(found.macs) == "B*floor(H/2) + 3*B + 4"
    assert str(found.flops) == "2*B*floor(H/2) + 6*B + 8"


@pytest.mark.parametrize("unknown", [op("a.c", None), op("a.c", 1, None)], ids=["macs", "shape"])
def test_what_is_unknown_below_is_unknown_above(unknown: Op) -> None:
    costs = measure(network(ops=(op("b", 4, (1,)), unknown)))
    figures = [costs[path].macs if unknown.macs is None else costs[path].activation_bytes for path in ("", "a", "b")]
    assert [figure.exact for figure in figures] == [False, False, True]
    assert figures[0].least == 4


def test_a_weight_of_unknown_size_makes_its_totals_unknown() -> None:
    found = totals(network(parameter("a.w", 3), Weight("b.w", None, "float32", "parameter")))
    assert (found.parameters, found.weight_bytes, found.buffers) == (None, None, 0)


def test_an_incomplete_module_may_lack_weights(residual: Architecture) -> None:
    modules = tuple(replace(m, complete=False) if m.path == "layer1.1" else m for m in residual.modules)
    costs = measure(replace(residual, modules=modules))
    assert [costs[path].parameters.exact for path in ("", "layer1", "layer1.0", "layer1.1")] == [
        False,
        False,
        True,
        False,
    ]


def test_without_a_forward_pass_its_figures_are_unknown() -> None:
    architecture = Architecture("Net", modules=(Module("", "M", "net.M"),), weights=(parameter("w", 3),))
    assert totals(architecture) == Totals(3, 3, 0, None, None, 12, None)


def test_a_forward_pass_that_stops_leaves_its_totals_unknown(broken: Architecture) -> None:
    costs = measure(broken)
    assert broken.totals.macs is broken.totals.flops is broken.totals.activation_bytes is None
    assert costs[""].macs.least == costs["conv1"].macs.quantity == 27 * 16 * 32 * 32
    assert not costs["fc2"].macs.exact


def test_an_unknown_input_may_hide_operations() -> None:
    modules = (
        Module("", "M", "net.M", calls=(ModuleCall(((1,),), ((1,),)),)),
        Module("a", "M", "net.M", calls=(ModuleCall((None,), ((1,),)),)),
    )
    assert totals(Architecture("Net", modules=modules)).macs is None


def test_a_number_too_large_to_write_is_unknown() -> None:
    assert totals(network(parameter("w", 10**400))).parameters is None


def doubted(*unknowns: Note, root: tuple[Shape, ...] = ((1,),)) -> Architecture:
    """A network whose module `a` is called and whose modules `a.c` and `b` are not."""
    modules = (
        Module("", "M", "net.M", calls=(ModuleCall(((1,),), root),)),
        Module("a", "M", "net.M", calls=(ModuleCall(((1,),), ((1,),)),)),
        Module("a.c", "M", "net.M"),
        Module("b", "M", "net.M"),
    )
    return Architecture("Net", modules=modules, unknowns=unknowns, ops=(op("a", 7),))


def test_what_is_not_called_costs_nothing() -> None:
    costs = measure(doubted())
    assert (costs["b"].macs.quantity, costs[""].macs.quantity) == (0, 7)


def test_what_might_be_called_is_undecided() -> None:
    assert undecided(doubted(Note("a decision", module="a"))) == {"a.c"}
    assert undecided(doubted(Note("a decision", module=""))) == {"a.c", "b"}
    assert undecided(doubted(root=(None,))) == {"a.c", "b"}


def test_what_is_unknown_before_forward_leaves_no_call_undecided() -> None:
    assert undecided(doubted(Note("an argument is not given"))) == frozenset()


def test_a_decision_that_can_not_be_taken_leaves_a_lower_bound() -> None:
    macs = measure(doubted(Note("a decision", module="a")))[""].macs
    assert (macs.least, macs.exact) == (7, False)
