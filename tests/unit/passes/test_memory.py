"""What is alive at once, what training keeps, and the sums of both."""

from __future__ import annotations

from cutaway.core.architecture import Architecture, Module, ModuleCall, Op, Value, Weight
from cutaway.core.size.parser import read_size
from cutaway.passes.cost import with_totals
from cutaway.passes.example_sizes import Limit, example_sizes
from cutaway.passes.liveness import Lifetime, lifetimes, peak
from cutaway.passes.memory import Amount, cached_tokens, estimate, peak_activations
from cutaway.passes.saved_for_backward import saved_tensors

SHAPE = (10,)


def value(name: str) -> Value:
    return Value(name, SHAPE, "float32")


def op(name: str, inputs: str, output: str, module: str = "", allocates: bool = True) -> Op:
    return Op(name, {}, tuple(map(value, inputs.split())), (value(output),), module, allocates=allocates)


def network(*ops: Op) -> Architecture:
    paths = dict.fromkeys(["", *(each.module for each in ops)])
    call = (ModuleCall((SHAPE,), (SHAPE,)),)
    modules = tuple(Module(path, "M", "M", calls=call) for path in paths)
    weight = Weight("w", SHAPE, "float32", "parameter", module="")
    return with_totals(
        Architecture(
            "Net", inputs=(value("x"),), outputs=(ops[-1].outputs[0],), modules=modules, weights=(weight,), ops=ops
        )
    )


def test_results_are_kept_until_their_last_use() -> None:
    chain = network(op("relu", "x", "a"), op("relu", "a", "b"), op("relu", "b", "c"))
    assert lifetimes(chain) == [Lifetime(0, 0, 1), Lifetime(1, 0, 2), Lifetime(2, 0, 2)]
    assert peak_activations(chain, {}) == Amount(80)


def test_views_and_operations_in_place_share_memory() -> None:
    chain = network(op("relu", "x", "a"), op("view", "a", "b", allocates=False), op("relu", "b", "c"))
    assert lifetimes(chain) == [Lifetime(0, 0, 2), Lifetime(2, 0, 2)]


def test_what_a_module_is_called_with_is_kept_until_it_returns() -> None:
    inner = network(op("relu", "x", "a"), op("relu", "a", "b", "m"), op("relu", "b", "c", "m"), op("relu", "c", "d"))
    assert lifetimes(inner)[0] == Lifetime(0, 0, 2)


def test_peak_is_the_largest_sum_at_once() -> None:
    assert peak([(0, 1, 5), (1, 2, 7), (3, 3, 9)], 4) == (12, 1)


def test_training_keeps_what_gradients_need() -> None:
    chain = network(op("linear", "x w", "a"), op("relu", "a", "b"), op("add", "b b", "c"), op("linear", "c w", "d"))
    assert [each.name for each in saved_tensors(chain)] == ["b", "c"]


def test_nothing_is_kept_where_nothing_is_trained() -> None:
    assert saved_tensors(network(op("linear", "x y", "a"), op("relu", "a", "b"))) == []


def test_an_operation_that_is_not_known_makes_it_a_lower_bound() -> None:
    chain = network(op("linear", "x w", "a"), op("mystery", "a", "b"))
    found = estimate(chain, chain, {}, dtype="fp32")
    assert found.kept is not None and not found.kept.exact
    assert found.training is not None and not found.training.exact


def test_types_and_optimizers() -> None:
    chain = network(op("linear", "x w", "a"), op("relu", "a", "b"))
    full = estimate(chain, chain, {}, dtype="fp32", optimizer="adam")
    assert (full.weights, full.gradients, full.states) == (Amount(40), Amount(40), Amount(80))
    half = estimate(chain, chain, {}, dtype="bf16", optimizer="sgd")
    assert (half.weights, half.gradients, half.states) == (Amount(20), Amount(20), Amount(0))
    small = estimate(chain, chain, {}, dtype="int4")
    assert (small.weights, small.training) == (Amount(5), None)


def test_cache_counts_keys_as_the_layer_computes_them() -> None:
    def tensor(name: str, *shape: int) -> Value:
        return Value(name, shape, "float32")

    few = Op("linear", {}, (tensor("x", 1, 7, 64),), (tensor("k", 1, 7, 16),))
    repeated = Op("expand", {}, (tensor("k", 1, 7, 16),), (tensor("kk", 1, 8, 7, 8),))
    attention = Op(
        "scaled_dot_product_attention",
        {},
        (tensor("q", 1, 8, 7, 8), tensor("kk", 1, 8, 7, 8), tensor("kk", 1, 8, 7, 8)),
        (tensor("o", 1, 8, 7, 8),),
    )
    found = cached_tokens(Architecture("Net", modules=(Module("", "Net", "Net"),), ops=(few, repeated, attention)), {})
    assert found == Amount(32)


def test_examples_are_sizes_that_are_allowed() -> None:
    assert Limit(63, 32).nearest(40) == 64
    size = [read_size(name) for name in "BHW"]
    image = Value("x", (size[0], 3, size[1], size[2]), "float32")
    assert example_sizes(Architecture("Net", inputs=(image,))) == {"B": 1, "H": 224, "W": 224}
