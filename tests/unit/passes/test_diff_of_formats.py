"""Networks compared across formats, each of which has names of its own."""

from __future__ import annotations

from cutaway.core.architecture import Architecture, Module, ModuleCall, Op, Value, Weight
from cutaway.core.record import replace
from cutaway.core.size.dim import symbol
from cutaway.passes.diff import diff
from cutaway.passes.hierarchy import weight_below

ROWS = symbol("rows")


def source(**settings: str) -> Architecture:
    weights = (
        Weight("net/dense/kernel", (4, 3), "float32", "parameter", True, module="dense"),
        Weight("net/dense/bias", (3,), "float32", "parameter", True, module="dense"),
    )
    modules = (
        Module("", "Net", "Net", calls=(ModuleCall(((ROWS, 4),), ((ROWS, 3),)),)),
        Module("dense", "Dense", "Dense", settings, calls=(ModuleCall(((ROWS, 4),), ((ROWS, 3),)),)),
    )
    return Architecture(
        "net",
        "net.py",
        "keras",
        (Value("x", (ROWS, 4), "float32"),),
        (Value("y", (ROWS, 3), "float32"),),
        modules,
        weights,
        (
            Op(
                "keras.ops.matmul",
                {},
                tuple(Value(w.name, w.shape, w.dtype) for w in weights[:1]),
                (),
                "dense",
                macs=ROWS,
            ),
        ),
        separator="/",
    )


def graph(*shapes: tuple[int, ...]) -> Architecture:
    batch = symbol("batch", 0)
    weights = tuple(Weight(f"c{at}", shape, "float32", "tensor", None) for at, shape in enumerate(shapes))
    made = Value("t", (batch, 3), "float32")
    return Architecture(
        "net",
        "net.onnx",
        "onnx",
        (Value("input", (batch, 4), "float32"),),
        (made,),
        (Module("", "", ""),),
        weights,
        tuple(
            Op("onnx.MatMul", {}, (Value(each.name, each.shape, each.dtype),), (made,), macs=symbol("batch", 0))
            for each in weights
            if len([size for size in each.shape or () if size != 1]) > 1
        )
        or (Op("onnx.Identity", {}, (), (made,)),),
    )


def test_a_graph_without_names_is_compared_by_the_sizes_of_its_weights() -> None:
    assert not diff(source(), graph((3, 4), (3,)))
    assert not diff(graph((3, 4), (1, 3)), source())


def test_a_graph_that_lacks_a_matrix_is_another_network() -> None:
    _, change = diff(source(), graph((3,))).changes
    assert (change.kind, change.path, change.details) == ("removed", "dense", ("kernel 4x3 float32",))
    assert diff(source(), graph((3, 5), (3,))).changes
    assert diff(source(), graph((3, 4), (3,), (3, 4))).changes


def test_a_graph_may_have_merged_a_bias() -> None:
    found = diff(source(), graph((3, 4)))
    assert not found
    (loss,) = found.losses
    assert "net/dense/bias" in loss and "the second" in loss
    (loss,) = diff(graph((3, 4)), source()).losses
    assert "the first" in loss


def test_a_bidirectional_layer_may_be_stored_as_one_tensor() -> None:
    """Regrouping dimensions must not take one of the tensors for another of as many elements."""
    halves, whole = graph((32, 64), (32, 64), (16, 64), (16, 64)), graph((2, 64, 32), (2, 64, 16))
    renamed = tuple(replace(weight, name=f"half {weight.name}") for weight in halves.weights)
    found = diff(replace(halves, weights=renamed, ops=()), whole)
    assert not found.changes


def test_a_file_of_weights_can_not_have_merged_anything() -> None:
    bare = graph((3, 4))
    weights = Architecture("net", "net.npz", "", (), (), bare.modules, bare.weights)
    (change,) = diff(source(), weights).changes
    assert change.details == ("bias 3 float32",)


def test_numbers_that_a_graph_computes_with_are_no_weights() -> None:
    assert not diff(source(), graph((3, 4), (3,), ()))


def test_free_sizes_may_have_other_names() -> None:
    other = symbol("n", 0)
    renamed = Architecture(
        "net",
        "other.py",
        "keras",
        (Value("x", (other, 4), "float32"),),
        (Value("y", (other, 3), "float32"),),
        (
            Module("", "Net", "Net", calls=(ModuleCall(((other, 4),), ((other, 3),)),)),
            Module("dense", "Dense", "Dense", calls=(ModuleCall(((other, 4),), ((other, 3),)),)),
        ),
        source().weights,
        separator="/",
    )
    assert not diff(source(), renamed)


def test_a_setting_may_be_written_in_another_way() -> None:
    assert not diff(source(padding="SAME", activation="swish"), source(padding="same", activation="silu"))
    assert diff(source(padding="same"), source(padding="valid"))


def test_a_weight_is_known_by_the_part_of_its_name_below_its_module() -> None:
    assert weight_below("dense", "net/dense/kernel") == "kernel"
    assert weight_below("dense", "dense/kernel") == "kernel"
    assert weight_below("layer1.0", "layer1.0.weight") == "weight"
    assert weight_below("dense", "c0") == "c0"
