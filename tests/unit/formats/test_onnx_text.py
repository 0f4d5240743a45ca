"""Graphs of ONNX in text form: what a runtime makes of them is in the comments of each test."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway

FLOAT, INT, BOOL = 1, 7, 9


def value(name: str, kind: int, *sizes: int | str) -> str:
    dims = " ".join(f'dim {{ dim_param: "{s}" }}' if isinstance(s, str) else f"dim {{ dim_value: {s} }}" for s in sizes)
    return f'{{ name: "{name}" type {{ tensor_type {{ elem_type: {kind} shape {{ {dims} }} }} }} }}'


def node(op: str, inputs: str, outputs: str, attributes: str = "", domain: str = "") -> str:
    read = " ".join(f'input: "{each}"' for each in inputs.split(","))
    made = " ".join(f'output: "{each}"' for each in outputs.split(","))
    return f'node {{ {read} {made} op_type: "{op}" domain: "{domain}" {attributes} }}\n'


def outputs(graph: str, folder: Path) -> dict[str, list[str]]:
    path = folder / "net.pbtxt"
    path.write_text(f"ir_version: 8\nopset_import {{ version: 17 }}\ngraph {{ {graph} }}\n")
    (network,) = cutaway.show(str(path), isolated=False)
    return {each.name: [str(size) for size in each.shape or ("unknown",)] for each in network.outputs}


def test_a_loop_counts_with_a_row_of_one_if_its_body_declares_that(tmp_path: Path) -> None:
    # onnxruntime passes the number of the iteration in the rank that the body declares
    body = (
        node("Identity", "go", "go_on")
        + node("Mul", "i,i", "square")
        + f"input {value('i', INT, 1)} input {value('go', BOOL, 1)} output {value('go_on', BOOL)} output {value('square', INT)}"
    )
    graph = node("Loop", "count,", "squares", f'attribute {{ name: "body" type: GRAPH g {{ {body} }} }}')
    made = outputs(f"{graph} input {value('count', INT)} output {{ name: 'squares' }}", tmp_path)
    assert made["squares"][1:] == ["1"]


def test_a_sequence_that_begins_empty_holds_what_a_loop_puts_into_it(tmp_path: Path) -> None:
    body = (
        node("Identity", "go", "go_on")
        + node("SequenceInsert", "held,x", "more")
        + f"input {value('i', INT)} input {value('go', BOOL)} input {{ name: 'held' }}"
        + f"output {value('go_on', BOOL)} output {{ name: 'more' }}"
    )
    graph = (
        "node { output: 'none' op_type: 'SequenceEmpty' }\n"
        + node("Loop", "count,,none", "all", f'attribute {{ name: "body" type: GRAPH g {{ {body} }} }}')
        + node("ConcatFromSequence", "all", "y", 'attribute { name: "axis" type: INT i: 0 }')
    )
    inputs = f"input {value('count', INT)} input {value('x', FLOAT, 2, 'width')}"
    made = outputs(f"{graph} {inputs} output {value('y', FLOAT)}", tmp_path)
    assert made["y"][1:] == ["width"]


def test_amounts_of_padding_that_are_not_known_leave_the_sizes_open(tmp_path: Path) -> None:
    # the file says 3x4, which is what it was recorded with; the amounts are an input
    graph = node("Pad", "x,amounts", "y", domain="com.microsoft")
    inputs = f"input {value('x', FLOAT, 3, 2)} input {value('amounts', INT, 4)}"
    made = outputs(f"{graph} {inputs} output {value('y', FLOAT, 3, 4)}", tmp_path)
    assert not any(size.isdigit() for size in made["y"])


def test_a_shared_buffer_of_keys_keeps_its_length(tmp_path: Path) -> None:
    graph = node(
        "MultiHeadAttention",
        "q,k,v,,,,past_k,past_v,used",
        "y,present_k,present_v",
        'attribute { name: "num_heads" type: INT i: 2 }',
        "com.microsoft",
    )
    inputs = " ".join(f"input {value(name, FLOAT, 1, 1, 6)}" for name in "qkv")
    inputs += " ".join(f" input {value(name, FLOAT, 1, 2, 8, 3)}" for name in ("past_k", "past_v"))
    made = outputs(f"{graph} {inputs} input {value('used', 6, 1)} output {{ name: 'present_k' }}", tmp_path)
    assert made["present_k"] == ["1", "2", "8", "3"]


MODEL = """<ir_version: 8, opset_import: ["" : 18, "local" : 1]>
net (float[N, 4] x) => (float[] y) <float[4, 3] w = {1,2,3,4,5,6,7,8,9,10,11,12}, int64[2] sizes = {0, 3}> {
  [first] h = MatMul (x, w)
  s = local.Scaled <alpha: float = 0.5> (h)
  y = Reshape (s, sizes)
}
<domain: "local", opset_import: ["" : 18]>
Scaled <alpha: float = 1.0> (a) => (b) {
  c = Constant <value_float: float = @alpha> ()
  b = Mul (a, c)
}
"""


def test_the_syntax_of_onnx_is_read(tmp_path: Path) -> None:
    path = tmp_path / "net.onnxtxt"
    path.write_text(MODEL)
    (network,) = cutaway.show(str(path), isolated=False)
    assert [op.op for op in network.ops] == ["onnx.MatMul", "onnx.Constant", "onnx.Mul", "local.Scaled", "onnx.Reshape"]
    assert [str(size) for size in network.outputs[0].shape or ()] == ["N", "3"]
    assert [(weight.name, weight.shape) for weight in network.weights] == [("w", (4, 3)), ("sizes", (2,))]


@pytest.mark.parametrize("at", range(40, len(MODEL) - 2, 7))
def test_a_text_that_is_cut_off_is_refused(at: int, tmp_path: Path) -> None:
    path = tmp_path / "net.onnxtxt"
    path.write_text(MODEL[:at])
    try:
        cutaway.show(str(path), isolated=False)
    except cutaway.CutawayError as error:
        assert "net.onnxtxt" in str(error) and "\n" not in str(error)
    else:
        assert MODEL[:at].rstrip().endswith("}")


def test_why_a_value_has_no_shape_is_said(tmp_path: Path) -> None:
    path = tmp_path / "branches.onnxtxt"
    path.write_text(
        """<ir_version: 8, opset_import: ["" : 18]>
        agraph (float[N,M] x, bool c, float[] z) => (y, w) {
          y = If (c) <then_branch = t () => (a) { a = ReduceSum <keepdims = 0> (x) }, else_branch = e () => (b) { b = Relu (x) }>
          w = Abs (z)
        }"""
    )
    (network,) = cutaway.show(str(path), isolated=False)
    assert [value.shape for value in network.outputs] == [None, None]
    assert [note.text for note in network.unknowns] == [
        "the file does not say how many dimensions the input z has",
        "If: how many dimensions its output y has is not known",
    ]
