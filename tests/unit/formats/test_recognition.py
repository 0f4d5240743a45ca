"""Which format a file is of, by its content, and what is said of one that is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cutaway
from cutaway.cli import main
from cutaway.formats import beginnings, protobuf


def refusal(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(cutaway.CutawayError) as caught:
        cutaway.show(str(path), isolated=False)
    return str(caught.value)


def test_a_file_with_the_name_of_a_model_is_not_taken_for_a_program(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    assert refusal(path, b"print(1)\n") == f"{path}: its content is not that of a saved model"
    assert refusal(path, b"") == f"{path}: it is empty"


def test_settings_in_yaml_are_not_taken_for_a_program(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    assert (
        refusal(path, b"model:\n  depth: 3\n") == f"{path}: it is YAML that does not describe a network of a known kind"
    )


def test_a_tensor_of_onnx_is_called_that(tmp_path: Path) -> None:
    dims = protobuf.number(1, 3) + protobuf.number(1, 500)
    content = dims + protobuf.number(2, 1) + protobuf.text(9, bytes(6000))
    assert "it is a tensor of ONNX" in refusal(tmp_path / "input_0.pb", content)


def test_an_index_with_compressed_blocks_is_a_checkpoint() -> None:
    assert beginnings.tf_checkpoint(b"dl\0\0\6\x08\x01\x1a\x02\x08\x01\0\x01\x0ba\x08\x01")
    assert beginnings.tf_checkpoint(b"\0\0\6\x08\x01\x1a\x02\x08\x01\0\x01\x0ba\x08\x01")
    assert not beginnings.tf_checkpoint(b"dl\0\0\0\0\0\0\0\0\0\0")


def test_a_layers_model_of_tensorflow_js_is_a_configuration(tmp_path: Path) -> None:
    layers = [
        {"class_name": "Dense", "config": {"name": "first", "units": 3, "batch_input_shape": [None, 4]}},
        {"class_name": "Dense", "config": {"name": "second", "units": 2}},
    ]
    topology = {"class_name": "Sequential", "config": {"name": "net", "layers": layers}}
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"modelTopology": topology, "weightsManifest": []}))
    (network,) = cutaway.show(str(path), isolated=False)
    assert [weight.shape for weight in network.weights] == [(4, 3), (3,), (3, 2), (2,)]
    path.write_text(json.dumps({"format": "graph-model", "modelTopology": {"node": []}}))
    with pytest.raises(cutaway.CutawayError, match="its graph has no operations"):
        cutaway.show(str(path), isolated=False)


def test_a_field_in_another_form_is_passed_over() -> None:
    message = protobuf.Message(protobuf.number(2, 7) + protobuf.text(3, "name") + protobuf.text(2, "b"))
    assert message.texts(2) == ["b"]
    assert message.number(2) == 7
    assert message.text(3) == "name"


def test_a_large_graph_is_read_behind_the_wall(tmp_path: Path) -> None:
    def attribute(name: str, value: bytes) -> bytes:
        return protobuf.text(5, protobuf.text(1, name) + protobuf.text(2, value))

    def node(name: str, op: str, *attributes: bytes, inputs: tuple[str, ...] = ()) -> bytes:
        named = protobuf.text(1, name) + protobuf.text(2, op) + b"".join(protobuf.text(3, each) for each in inputs)
        return protobuf.text(1, named + b"".join(attributes))

    def shape(*sizes: int) -> bytes:
        return b"".join(protobuf.text(2, protobuf.number(1, size)) for size in sizes)

    kind = attribute("dtype", protobuf.number(6, 1))
    tensor = protobuf.number(1, 1) + protobuf.text(2, shape(1200, 1100)) + protobuf.text(4, bytes(1200 * 1100 * 4))
    path = tmp_path / "frozen.pb"
    path.write_bytes(
        node("x", "Placeholder", kind, attribute("shape", protobuf.text(7, shape(-1, 1200))))
        + node("w", "Const", kind, attribute("value", protobuf.text(8, tensor)))
        + node("y", "MatMul", attribute("T", protobuf.number(6, 1)), inputs=("x", "w"))
    )
    (network,) = cutaway.show(str(path))
    assert [str(size) for size in network.outputs[0].shape or ()] == ["B", "1100"]
    assert [weight.shape for weight in network.weights] == [(1200, 1100)]


def test_check_lists_what_a_file_declares_wrongly(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).parents[2] / "saved_graphs"
    assert main(["check", str(folder / "wrong.onnx"), "--format", "concise"]) == 1
    assert "contradicted-declaration" in capsys.readouterr().out
    assert main(["check", str(folder / "residual.onnx")]) == 0


def test_the_main_signature_of_a_file_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    saved = Path(__file__).parent / "files" / "keras3" / "saved"
    assert main(["fingerprint", str(saved)]) == 0
    assert capsys.readouterr().out


def test_a_text_of_no_known_format_is_not_called_a_program_with_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "training.cfg"
    content = b"[cfg]\ncmd = -lr 0.1\n"
    expected = f"{path}:2: neither a saved model of a known format nor Python source (invalid syntax)"
    assert refusal(path, content) == expected


def test_an_lz4_archive_is_called_that(tmp_path: Path) -> None:
    path = tmp_path / "weights.lz4"
    assert refusal(path, b"\x04\x22\x4d\x18\x40\x40\xc0\0") == f"{path}: it is an lz4 archive: unpack it first"
