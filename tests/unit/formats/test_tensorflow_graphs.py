"""Graphs of TensorFlow in their text form: shapes of inputs that are left open, sizes that the data decide, lists."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway
from cutaway.core.architecture import Architecture


def shown(text: str, folder: Path) -> Architecture:
    path = folder / "graph.pbtxt"
    path.write_text(text)
    (network,) = cutaway.show(str(path), isolated=False)
    return network


def node(name: str, op: str, *inputs: str, **attributes: str) -> str:
    lines = [f'  input: "{each}"' for each in inputs]
    lines += [f'  attr {{ key: "{key}" value {{ {value} }} }}' for key, value in attributes.items()]
    return "\n".join([f'node {{ name: "{name}" op: "{op}"', *lines, "}\n"])


def placeholder(name: str, *sizes: int) -> str:
    dims = " ".join(f"dim {{ size: {size} }}" for size in sizes)
    return node(name, "Placeholder", dtype="type: DT_FLOAT", **({"shape": f"shape {{ {dims} }}"} if sizes else {}))


def constant(name: str, *numbers: int) -> str:
    values = " ".join(f"int_val: {number}" for number in numbers)
    shape = f"tensor_shape {{ dim {{ size: {len(numbers)} }} }}"
    return node(name, "Const", value=f"tensor {{ dtype: DT_INT32 {shape} {values} }}", dtype="type: DT_INT32")


def filters(name: str, *sizes: int) -> str:
    dims = " ".join(f"dim {{ size: {size} }}" for size in sizes)
    return node(name, "Const", value=f"tensor {{ dtype: DT_FLOAT tensor_shape {{ {dims} }} }}", dtype="type: DT_FLOAT")


def shapes(network: Architecture) -> dict[str, list[str]]:
    return {value.name: [str(size) for size in value.shape or ()] for op in network.ops for value in op.outputs}


def test_an_open_input_has_the_rank_that_its_readers_demand(tmp_path: Path) -> None:
    convolution = node(
        "y", "Conv2D", "scaled", "w", strides="list { i: 1 i: 2 i: 2 i: 1 }", padding='s: "SAME"', T="type: DT_FLOAT"
    )
    network = shown(
        placeholder("x") + node("scaled", "Relu", "x", T="type: DT_FLOAT") + filters("w", 3, 3, 3, 8) + convolution,
        tmp_path,
    )
    assert [str(size) for size in network.inputs[0].shape or ()] == ["B", "x_d1", "x_d2", "3"]
    assert shapes(network)["y"] == ["B", "ceil(x_d1/2)", "ceil(x_d2/2)", "8"]


def test_an_open_input_stays_open_where_nothing_demands_a_rank(tmp_path: Path) -> None:
    network = shown(placeholder("x") + node("y", "Relu", "x", T="type: DT_FLOAT"), tmp_path)
    assert network.inputs[0].shape is None
    assert network.ops[0].outputs[0].shape is None
    (note,) = network.unknowns
    assert note.text == ("the file does not say how many dimensions the input x has, and no operation demands a number")


def test_sizes_that_the_data_decide_have_names_of_their_own(tmp_path: Path) -> None:
    positions = node("a/b", "Where", "x", T="type: DT_FLOAT") + node("a_b", "Where", "x", T="type: DT_FLOAT")
    found = shapes(shown(placeholder("x", -1, 6) + positions, tmp_path))
    assert found["a/b"][1] == found["a_b"][1] == "2"
    assert found["a/b"][0] != found["a_b"][0]


def test_a_list_that_grows_has_no_fixed_length(tmp_path: Path) -> None:
    def stacked(resizes: str) -> list[str]:
        kind = {"element_dtype": "type: DT_FLOAT"}
        text = (
            placeholder("x", -1, 6)
            + constant("sizes", -1, 6)
            + node(
                "none", "Const", value="tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 }", dtype="type: DT_INT32"
            )
            + node("empty", "TensorListReserve", "sizes", "none", **kind)
            + node("one", "TensorListSetItem", "empty", "none", "x", resize_if_index_out_of_bounds=resizes, **kind)
            + node("y", "TensorListStack", "one", "sizes", num_elements="i: -1", **kind)
        )
        return shapes(shown(text, tmp_path))["y"]

    assert stacked("b: false")[0] == "0"
    assert not stacked("b: true")[0].isdigit()


def test_every_output_of_an_unmodelled_operation_has_its_type(tmp_path: Path) -> None:
    network = shown(
        placeholder("x", -1, 6) + node("y", "SdcaShrinkL1", "x") + node("z", "DebugNumericSummary", "x"), tmp_path
    )
    assert [(op.op, [value.dtype for value in op.outputs]) for op in network.ops] == [
        ("tensorflow.raw_ops.DebugNumericSummary", ["float64"])
    ]


def test_messages_without_operations_are_not_a_graph(tmp_path: Path) -> None:
    with pytest.raises(cutaway.CutawayError, match=r"graph\.pbtxt: it is not a graph of TensorFlow"):
        shown('node { name: "a" }\nnode { name: "b" }\n', tmp_path)
