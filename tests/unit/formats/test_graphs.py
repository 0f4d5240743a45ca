"""Graphs in files that the real frameworks wrote, against what their runtimes computed; `tests/saved_graphs/write.py`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import cutaway
from benchmarks.formats.contract import violations
from benchmarks.formats.fuzz import attempt, fuzz, mutated, seeds_of
from cutaway.core.architecture import Architecture
from cutaway.core.size.dim import Dim, symbols
from cutaway.core.size.parser import evaluate
from cutaway.formats import dispatch, onnx, protobuf

FOLDER = Path(__file__).parents[2] / "saved_graphs"
RUNS = json.loads((FOLDER / "runs.json").read_text())
FILES = sorted(path.name for path in FOLDER.iterdir() if path.suffix in (".onnx", ".ort", ".tflite"))


def network(name: str) -> Architecture:
    return dispatch.read(str(FOLDER / name))[0]  # type: ignore[index]


def shapes(architecture: Architecture) -> dict[str, str]:
    return {value.name: str(list(value.shape or ["?"])) for op in architecture.ops for value in op.outputs}


@pytest.mark.parametrize("name", sorted(RUNS))
def test_no_run_contradicts_what_is_inferred(name: str) -> None:
    architecture = network(name)
    free = {one.name for v in architecture.inputs for s in v.shape or () if isinstance(s, Dim) for one in symbols(s)}
    compared = 0
    for run in RUNS[name]:
        sizes = {one: run["sizes"].get(one, run["sizes"]["batch"]) for one in free}
        for op in architecture.ops:
            for value in op.outputs:
                real = run["shapes"].get(value.name)
                if real is None or value.shape is None:
                    continue
                bound = [evaluate(size, sizes) if isinstance(size, Dim) else size for size in value.shape]
                fits = [isinstance(size, Dim) or size == number for size, number in zip(bound, real)]
                assert len(bound) == len(real) and all(fits), f"{op.op} {value.name}: {bound} is {real}"
                compared += 1
    assert compared


@pytest.mark.parametrize("name", sorted(set(FILES) - {"custom.onnx"}))
def test_every_value_has_a_shape(name: str) -> None:
    for architecture in dispatch.read(str(FOLDER / name)) or ():
        unknown = [v.name for op in architecture.ops for v in op.outputs if v.shape is None or None in v.shape]
        assert not unknown


def test_sizes_pass_through_the_operators_that_compute_them() -> None:
    found = shapes(network("heads.onnx"))
    assert found["heads"] == "[batch, length, 4, 6]"
    assert found["y"] == "[batch, length, 24]"
    assert found["positions"] == "[length]"
    assert found["tail"] == "[batch, length - 1, 24]"


def test_what_depends_on_numbers_gets_a_name() -> None:
    assert shapes(network("control.onnx"))["rows"] == "[places_count, 2]"


def test_a_loop_and_a_condition_are_followed() -> None:
    architecture = network("control.onnx")
    found = shapes(architecture)
    assert found["sums"] == "[3]"
    assert found["last"] == "[last_final0, 4]"
    assert found["chosen"] == "[chosen_dim0, 4]"
    conditions = {op.op: op.condition for op in architecture.ops if op.condition}
    assert conditions == {"onnx.Mul": "large", "onnx.Slice": "not large"}
    assert {op.repeat for op in architecture.ops if op.op == "onnx.Concat"} == {3}


def test_a_function_is_followed_at_each_call() -> None:
    architecture = network("functions.onnx")
    names = [(op.op, op.module, op.outputs[0].name) for op in architecture.ops]
    assert names == [
        ("onnx.MatMul", "first", "first/t"),
        ("onnx.LeakyRelu", "first", "first/c"),
        ("local.Scaled", "", "h"),
        ("onnx.MatMul", "second", "second/t"),
        ("onnx.LeakyRelu", "second", "second/c"),
        ("local.Scaled", "", "y"),
    ]
    assert [op.attributes["alpha"] for op in architecture.ops if op.op == "onnx.LeakyRelu"] == pytest.approx([0.1, 0.2])


def test_modules_are_those_of_names() -> None:
    paths = [module.path for module in network("residual.onnx").modules]
    assert paths == ["", "stem", "relu", "layer1", "layer1.0", "layer1.0.conv1", "pool", "average", "fc"]


def test_modules_are_those_of_notes() -> None:
    classes = {module.path: module.class_name for module in network("dynamo.onnx").modules}
    assert classes["blocks.1"] == "TransformerEncoderLayer"
    assert classes["head.0"] == "Linear"


def test_weights_have_the_names_shapes_and_types_of_the_file() -> None:
    found = {w.name: (w.shape, w.dtype, w.module) for w in network("residual.onnx").weights}
    assert found["layer1.0.conv1.weight"] == ((8, 8, 3, 3), "float32", "layer1.0.conv1")
    assert found["fc.bias"] == ((10,), "float32", "fc")


def test_a_sparse_tensor_has_its_whole_shape() -> None:
    assert [(w.name, w.shape) for w in network("sparse.onnx").weights] == [("w", (3, 2))]


def test_an_old_file_lists_weights_among_its_inputs() -> None:
    assert [value.name for value in network("old.onnx").inputs] == ["image"]


def test_multiply_accumulates_are_counted() -> None:
    (total,) = cutaway.show(str(FOLDER / "residual.onnx"), set={"batch": 1, "height": 16, "width": 16}, isolated=False)
    assert total.totals.macs == 8 * 8 * 8 * 27 + 8 * 8 * 8 * 72 + 80


def test_a_claim_of_the_file_is_reported_where_it_is_wrong() -> None:
    architecture = network("wrong.onnx")
    assert shapes(architecture) == {"t": "[4, batch]", "y": "[4, batch]"}
    (diagnostic,) = architecture.diagnostics
    assert diagnostic.code == "contradicted-declaration"
    assert diagnostic.message == "y: the file declares [batch, 9], but it is [4, batch]"


def test_a_claim_of_the_file_is_used_where_nothing_else_is_known() -> None:
    architecture = network("custom.onnx")
    assert shapes(architecture) == {"t": "[batch, 7]", "y": "[batch, 7]"}
    assert [note.text for note in architecture.unknowns] == [
        "the operator Unheard of the domain example.org is not known"
    ]


def test_nothing_outside_of_the_folder_is_opened() -> None:
    architecture = network("outside.onnx")
    assert (
        "'../../../etc/hostname', which is not in the folder of the file: it is not opened"
        in architecture.unknowns[0].text
    )


def test_nodes_are_put_in_order() -> None:
    assert [op.op for op in network("unordered.onnx").ops] == ["onnx.MatMul", "onnx.Relu"]


def test_both_formats_of_a_graph_are_the_same_network() -> None:
    one, other = network("residual.onnx"), network("residual.ort")
    assert one.inputs == other.inputs and one.outputs == other.outputs
    assert {w.name: w.shape for w in one.weights} == {w.name: w.shape for w in other.weights}
    assert [(op.op, op.outputs, op.macs) for op in one.ops] == [(op.op, op.outputs, op.macs) for op in other.ops]


def test_quantization_is_shown_for_each_channel() -> None:
    (convolution,) = (op for op in network("quantized.tflite").ops if op.op == "tflite.CONV_2D")
    stated = convolution.attributes["input1_quantization"]
    assert isinstance(stated, dict) and stated["channels"] == 4 and stated["dimension"] == 0


def test_the_free_size_of_a_tflite_file_is_a_symbol() -> None:
    architecture = network("image.tflite")
    assert [str(list(v.shape or ())) for v in architecture.inputs] == ["[serving_default_image_0_dim0, 12, 12, 3]"]
    assert [str(list(v.shape or ())) for v in architecture.outputs] == ["[serving_default_image_0_dim0, 5]"]


@pytest.mark.parametrize("name", FILES)
def test_a_result_is_written_and_read_again(name: str) -> None:
    architectures = cutaway.show(str(FOLDER / name))
    assert cutaway.loads(cutaway.dumps(architectures)) == architectures


@pytest.mark.parametrize("name", FILES)
def test_the_contract_of_the_json_is_kept(name: str) -> None:
    assert not list(violations(str(FOLDER / name)))


def test_a_file_is_recognised_by_what_is_in_it(tmp_path: Path) -> None:
    renamed = tmp_path / "anything.bin"
    for name in FILES:
        renamed.write_bytes((FOLDER / name).read_bytes())
        assert dispatch.is_saved(str(renamed)), name


def test_a_cut_file_is_refused_in_one_line(tmp_path: Path) -> None:
    cut = tmp_path / "cut.onnx"
    cut.write_bytes((FOLDER / "residual.onnx").read_bytes()[:1000])
    with pytest.raises(cutaway.CutawayError, match=r"^.*cut\.onnx: it is not a complete ONNX file: byte .*$"):
        cutaway.show(str(cut))


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer in place of the file"),
        (b'<?xml version="1.0"?>\n<net name="x">', "a network of OpenVINO"),
        (b"7767517\n75 83\n", "a network of ncnn"),
        (b'name: "add"\nplatform: "tensorrt_plan"\ninput [ ]', "a configuration of the Triton server"),
        (b'name: "LeNet"\nlayer {', "a network of Caffe"),
        (b'# a comment\nname: "LeNet"\ninput: "data"', "a network of Caffe"),
        (b'{"nodes": [], "arg_nodes": [0], "heads": []}', "a network of MXNet"),
        (b"version 1.0;\ngraph net(x) -> (y) {}", "a network of NNEF"),
        (b"[net]\nbatch=1\n", "a network of Darknet"),
        (b"tree\nversion=v3\n", "a model of LightGBM"),
        (b"module @main {\n}", "a program of MLIR"),
        (b"<html><body>404</body></html>", "XML that is not a network|a web page"),
        (bytes(range(256)), "data of no known format"),
    ],
)
def test_a_format_that_is_not_supported_is_named(head: bytes, text: str, tmp_path: Path) -> None:
    file = tmp_path / "model.bin"
    file.write_bytes(head)
    with pytest.raises(cutaway.CutawayError, match=text):
        cutaway.show(str(file))


def test_json_without_a_network_is_not_taken_for_a_program(tmp_path: Path) -> None:
    file = tmp_path / "package.json"
    file.write_text('{"name": "page", "private": true}', encoding="utf-8")
    with pytest.raises(cutaway.CutawayError, match="it is JSON that does not describe a network"):
        cutaway.show(str(file))


def test_weights_stay_on_disk(tmp_path: Path) -> None:
    class Counting(io.BytesIO):
        count = 0

        def read(self, size: int | None = -1) -> bytes:
            content = super().read(size)
            self.count += len(content)
            return content

    tensor = (
        protobuf.number(1, 1 << 25) + protobuf.number(2, 2) + protobuf.text(8, "w") + protobuf.text(9, bytes(1 << 25))
    )
    graph = protobuf.text(2, "network") + protobuf.text(5, tensor)
    file = Counting(protobuf.number(1, 8) + protobuf.text(7, graph))
    (architecture,) = onnx.read(file, "large.onnx")
    assert [weight.shape for weight in architecture.weights] == [(1 << 25,)]
    assert file.count < 1 << 17


def test_damaged_files_are_read_or_refused() -> None:
    count, failures = fuzz(seeds_of([FOLDER]), inputs=300, seconds=30.0)
    assert count and not failures


def test_the_fuzzer_changes_what_it_gets_and_notices_a_crash() -> None:
    import random

    assert mutated(b"abcdefgh" * 8, [b"x" * 80], random.Random(3)) != b"abcdefgh" * 8
    with pytest.raises(ModuleNotFoundError):
        attempt("no_such_reader", b"")


def test_a_negative_size_of_an_input_is_taken_to_be_free() -> None:
    dimension = protobuf.text(1, protobuf.number(1, -1)) + protobuf.text(1, protobuf.number(1, 4))
    kind = protobuf.text(1, protobuf.number(1, 1) + protobuf.text(2, dimension))
    declared = protobuf.text(1, "x") + protobuf.text(2, kind)
    graph = protobuf.text(2, "network") + protobuf.text(11, declared)
    (architecture,) = onnx.read(io.BytesIO(protobuf.number(1, 8) + protobuf.text(7, graph)), "negative.onnx")
    assert [str(list(value.shape or ())) for value in architecture.inputs] == ["[x_dim0, 4]"]
    assert architecture.assumptions[0].text == (
        "x: the file declares the size -1 in dimension 0: it is taken to be free"
    )


def test_a_reshape_to_many_unknown_sizes_takes_no_time() -> None:
    def value(name: str, kind: int, *sizes: bytes) -> bytes:
        shape = b"".join(protobuf.text(1, size) for size in sizes)
        return protobuf.text(1, name) + protobuf.text(
            2, protobuf.text(1, protobuf.number(1, kind) + protobuf.text(2, shape))
        )

    free = [protobuf.text(2, name) for name in ("batch", "height", "width")]
    node = (
        b"".join(protobuf.text(1, name) for name in ("x", "target"))
        + protobuf.text(2, "y")
        + protobuf.text(4, "Reshape")
    )
    inputs = value("x", 1, *free), value("target", 7, protobuf.number(1, 40))
    graph = protobuf.text(1, node) + b"".join(protobuf.text(11, each) for each in inputs)
    (architecture,) = onnx.read(io.BytesIO(protobuf.number(1, 8) + protobuf.text(7, graph)), "many.onnx")
    assert len(architecture.ops[0].outputs[0].shape or ()) == 40


def test_names_of_a_file_do_not_reach_the_terminal_as_they_are(tmp_path: Path) -> None:
    node = protobuf.text(1, "x") + protobuf.text(2, "y") + protobuf.text(4, "Relu\x1b[31m")
    file = tmp_path / "hostile.onnx"
    file.write_bytes(protobuf.number(1, 8) + protobuf.text(7, protobuf.text(1, node) + protobuf.text(2, "network")))
    (architecture,) = dispatch.read(str(file)) or ()
    assert architecture.ops[0].op == r"onnx.Relu\x1b[31m"
    assert architecture.unknowns[0].text == r"the operator Relu\x1b[31m is not known"


def test_a_name_that_the_file_gives_a_size_late_is_not_that_of_another_size() -> None:
    def value(name: str, *sizes: bytes) -> bytes:
        shape = b"".join(protobuf.text(1, size) for size in sizes)
        return protobuf.text(1, name) + protobuf.text(
            2, protobuf.text(1, protobuf.number(1, 1) + protobuf.text(2, shape))
        )

    nodes = [
        protobuf.text(1, "x") + protobuf.text(2, "y") + protobuf.text(4, "NonZero"),
        protobuf.text(1, "x") + protobuf.text(2, "z") + protobuf.text(4, "Unheard"),
    ]
    graph = b"".join(protobuf.text(1, node) for node in nodes) + protobuf.text(11, value("x", protobuf.number(1, 4)))
    graph += protobuf.text(13, value("z", protobuf.text(2, "y_count")))
    (architecture,) = onnx.read(io.BytesIO(protobuf.number(1, 8) + protobuf.text(7, graph)), "late.onnx")
    found = shapes(architecture)
    assert found["y"] == "[1, y_count]" and found["z"] == "[y_count_1]"
