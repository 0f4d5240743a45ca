"""What a result leaves open excuses what depends on it, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from benchmarks.zoo import compare as zoo
from cutaway.core.architecture import Alias, Architecture, Diagnostic, Module, ModuleCall, Note, Op, Value, Weight
from cutaway.core.size.dim import symbol
from cutaway.passes.compare import EQUAL, UNKNOWN, WRONG, compare

SHAPE = (1, 4)
PATHS = ("", "a", "a.x", "b", "b.x")


def network() -> Architecture:
    """Return a network of two blocks `a` and `b` with a layer `x` in each."""
    call = ModuleCall((SHAPE,), (SHAPE,))
    return Architecture(
        "Net",
        inputs=(Value("x", SHAPE, "float32"),),
        outputs=(Value("", SHAPE, "float32"),),
        modules=tuple(Module(path, "Layer" if path.endswith("x") else "Block", "", calls=(call,)) for path in PATHS),
        weights=tuple(Weight(f"{path}.weight", SHAPE, "float32", "parameter") for path in ("a.x", "b.x")),
        ops=tuple(
            Op("linear", {}, (Value("x", SHAPE, "float32"),), (Value("y", SHAPE, "float32"),), path)
            for path in ("a.x", "b.x", "")
        ),
    )


def module(architecture: Architecture, path: str, /, **changes: Any) -> Architecture:
    """Return an architecture with one module changed."""
    modules = (replace(each, **changes) if each.path == path else each for each in architecture.modules)
    return replace(architecture, modules=tuple(modules))


def without(architecture: Architecture, path: str) -> Architecture:
    """Return an architecture without a module and everything in it."""
    return replace(
        architecture,
        modules=tuple(each for each in architecture.modules if each.path != path),
        weights=tuple(each for each in architecture.weights if each.module != path),
    )


def verdict(static: Architecture, kind: str) -> str:
    """Return the worst verdict on facts of a kind."""
    facts = {fact.verdict for fact in compare(static, network()) if fact.kind == kind}
    return next(each for each in (WRONG, UNKNOWN, EQUAL) if each in facts)


def zoo_verdict(static: Architecture, kind: str) -> str:
    """Return the verdict of the benchmarks on facts of a kind."""
    true = network()
    row = {
        "modules": [(each.path, each.class_name) for each in true.modules],
        "params": {each.name: each.shape for each in true.weights},
        "buffers": {},
        "output": [SHAPE],
        "io": {each.path: ([SHAPE], [SHAPE]) for each in true.modules},
    }
    return zoo.compare(row, static)[kind][0].lower()


BOTH = pytest.mark.parametrize("judge", [verdict, zoo_verdict])


@BOTH
def test_the_network_itself_is_equal(judge: Any) -> None:
    assert [judge(network(), kind) for kind in ("tree", "weights", "outputs", "calls")] == [EQUAL] * 4


@BOTH
@pytest.mark.parametrize("kind", ["tree", "weights"])
def test_an_incomplete_module_excuses_what_is_missing_below_it(judge: Any, kind: str) -> None:
    assert judge(module(without(network(), "a.x"), "a", complete=False), kind) == UNKNOWN
    assert judge(module(without(network(), "b.x"), "a", complete=False), kind) == WRONG
    assert judge(module(without(network(), "b.x"), "", complete=False), kind) == UNKNOWN


@BOTH
def test_an_incomplete_module_excuses_no_module_of_another_class(judge: Any) -> None:
    assert judge(module(module(network(), "a.x", class_name="Other"), "a", complete=False), "tree") == WRONG


@BOTH
def test_an_incomplete_module_excuses_no_module_that_is_not_there(judge: Any) -> None:
    more = network()
    more = replace(more, modules=(*more.modules, Module("b.y", "Layer", "")))
    assert judge(module(more, "b", complete=False), "tree") == WRONG


@BOTH
def test_an_incomplete_module_excuses_no_weight_of_another_shape(judge: Any) -> None:
    static = network()
    wider = replace(static.weights[0], shape=(1, 5))
    static = module(replace(static, weights=(wider, *static.weights[1:])), "a", complete=False)
    assert judge(static, "weights") == WRONG


@BOTH
def test_an_incomplete_module_excuses_the_order_below_it(judge: Any) -> None:
    static = network()
    root, a, ax, b, bx = static.modules
    static = replace(static, modules=(root, b, bx, a, ax))
    assert judge(static, "tree") == WRONG
    assert judge(module(static, "a", complete=False), "tree") == WRONG
    assert judge(module(static, "", complete=False), "tree") != WRONG


@BOTH
def test_a_condition_excuses_the_module_that_it_is_of(judge: Any) -> None:
    more = network()
    more = replace(
        more, modules=(*more.modules, Module("c", "Block", "", condition="flag"), Module("c.x", "Layer", ""))
    )
    assert judge(more, "tree") == UNKNOWN
    assert judge(module(more, "c", condition=None), "tree") == WRONG
    assert judge(module(without(network(), "a.x"), "b", condition="flag"), "tree") == WRONG


@BOTH
def test_another_name_under_a_condition_excuses_what_has_that_name(judge: Any) -> None:
    renamed = module(network(), "b.x", path="b.y", otherwise=(Alias("flag", "b.x"),))
    assert judge(renamed, "tree") == UNKNOWN
    assert judge(module(network(), "b.x", path="b.y"), "tree") == WRONG


@BOTH
def test_a_repeat_excuses_what_it_repeats(judge: Any) -> None:
    repeated = module(network(), "b.x", path="b.{i}", repeat=symbol("n"))
    assert judge(repeated, "tree") == UNKNOWN
    assert judge(module(without(network(), "a.x"), "b.x", path="b.{i}", repeat=symbol("n")), "tree") == WRONG


@BOTH
def test_a_forward_with_something_unknown_excuses_calls_that_are_missing_in_it(judge: Any) -> None:
    def uncalled(path: str, doubtful: str | None) -> Architecture:
        return replace(module(network(), path, calls=()), unknowns=(Note("a condition", module=doubtful),))

    assert judge(uncalled("a.x", "a"), "calls") == UNKNOWN
    assert judge(uncalled("a.x", ""), "calls") == UNKNOWN
    assert judge(uncalled("b.x", "a"), "calls") == WRONG
    assert judge(uncalled("a", "a"), "calls") == WRONG
    assert judge(uncalled("a.x", None), "calls") == WRONG


@BOTH
def test_a_call_that_gives_something_unknown_excuses_calls_in_it(judge: Any) -> None:
    vague = module(module(network(), "a", calls=(ModuleCall((SHAPE,), (None,)),)), "a.x", calls=())
    assert judge(vague, "calls") == UNKNOWN
    assert judge(module(vague, "b.x", calls=()), "calls") == WRONG


@BOTH
def test_something_unknown_excuses_no_call_with_other_shapes(judge: Any) -> None:
    other = module(network(), "a.x", calls=(ModuleCall((SHAPE,), ((1, 5),)),))
    assert judge(replace(other, unknowns=(Note("a condition", module="a"),)), "calls") == WRONG


@BOTH
def test_something_unknown_excuses_no_call_that_is_not_made(judge: Any) -> None:
    extra = network()
    extra = replace(extra, unknowns=(Note("a condition", module=""),))
    call = ModuleCall((SHAPE,), (SHAPE,))
    if judge is verdict:
        assert judge(module(extra, "a.x", calls=(call, call)), "calls") == WRONG
        assert judge(module(extra, "a.x", calls=(call, replace(call, condition="flag"))), "calls") == UNKNOWN
    else:
        more = replace(extra, modules=(*extra.modules, Module("c", "Block", "", calls=(call,))))
        assert judge(more, "calls") == WRONG


@BOTH
def test_an_output_without_a_shape_excuses_the_number_of_outputs(judge: Any) -> None:
    value = Value("", SHAPE, "float32")
    two = replace(network(), outputs=(value, value), unknowns=(Note("something", module="a"),))
    assert judge(two, "outputs") == WRONG
    assert judge(replace(two, outputs=(value, replace(value, shape=None))), "outputs") == UNKNOWN
    assert judge(replace(two, outputs=(value, replace(value, condition="flag"))), "outputs") == UNKNOWN


@BOTH
def test_a_forward_that_is_not_followed_excuses_what_comes_after(judge: Any) -> None:
    stopped = module(network(), "", calls=(ModuleCall((SHAPE,), None),))
    stopped = replace(module(stopped, "b", calls=()), outputs=())
    assert judge(stopped, "calls") == UNKNOWN
    assert judge(stopped, "outputs") == UNKNOWN
    assert judge(module(stopped, "a.x", calls=(ModuleCall(((1, 5),), (SHAPE,)),)), "calls") == WRONG


def test_a_fault_of_a_network_that_returns_is_wrong() -> None:
    stopped = replace(network(), diagnostics=(Diagnostic("shape-mismatch", "sizes differ"),))
    assert verdict(stopped, "faults") == WRONG
    assert zoo_verdict(stopped, "outputs") == WRONG


def test_operations_are_excused_where_they_are_missing() -> None:
    def fewer(at: int, doubtful: str) -> Architecture:
        static = network()
        ops = static.ops[:at] + static.ops[at + 1 :]
        return replace(static, ops=ops, unknowns=(Note("a condition", module=doubtful),))

    assert verdict(fewer(0, "a"), "operations") == UNKNOWN
    assert verdict(fewer(0, "a.x"), "operations") == UNKNOWN
    assert verdict(fewer(1, "a"), "operations") == WRONG
    assert verdict(fewer(2, "a"), "operations") == WRONG


def test_a_loop_excuses_the_operations_in_it() -> None:
    static = network()
    ops = (static.ops[0], static.ops[2])
    assert verdict(replace(static, ops=(replace(ops[0], repeat=None), ops[1])), "operations") == WRONG
    many = replace(static, ops=(static.ops[0], replace(ops[0], repeat=None), *static.ops[1:]))
    assert verdict(many, "operations") == UNKNOWN
    assert verdict(replace(static, ops=(static.ops[0], *static.ops)), "operations") == WRONG


def test_a_weight_may_be_tied_to_one_that_is_missing() -> None:
    tied = network()
    tied = replace(tied, weights=(tied.weights[0], replace(tied.weights[1], tied_to="a.x.weight")))
    static = module(without(network(), "a.x"), "a", complete=False)
    facts = {fact.subject: fact.verdict for fact in compare(static, tied) if fact.kind == "weights"}
    assert facts == {"a.x.weight": UNKNOWN, "b.x.weight": UNKNOWN}
    facts = {fact.subject: fact.verdict for fact in compare(network(), tied) if fact.kind == "weights"}
    assert facts == {"a.x.weight": EQUAL, "b.x.weight": WRONG}
