"""Files in the text form of Protocol Buffers, and in ONNX's own syntax, against the same ones in binary form."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway

onnx = pytest.importorskip("onnx")

FILES = sorted((Path(__file__).parent.parent / "saved_graphs").glob("*.onnx"))


NOT_WRITTEN = {("sparse", "onnxtxt")}


def written(model: object, syntax: str) -> str:
    from google.protobuf import text_format  # late: onnx brings it along

    return str(onnx.printer.to_text(model) if syntax == "onnxtxt" else text_format.MessageToString(model))


@pytest.mark.parametrize("syntax", ["prototxt", "onnxtxt"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_text_reads_as_the_binary_form(file: Path, syntax: str, tmp_path: Path) -> None:
    if (file.stem, syntax) in NOT_WRITTEN:
        pytest.skip("onnx does not write sparse tensors in this syntax")
    binary, text = tmp_path / "net.onnx", tmp_path / f"net.{syntax}"
    binary.write_bytes(file.read_bytes())
    text.write_text(written(onnx.load(str(file), load_external_data=False), syntax))
    (expected,) = cutaway.show(str(binary), isolated=False)
    (network,) = cutaway.show(str(text), isolated=False)
    assert [op.outputs for op in network.ops] == [op.outputs for op in expected.ops]
    assert {weight.name: weight.shape for weight in network.weights} == {w.name: w.shape for w in expected.weights}
    assert [op.op for op in network.ops] == [op.op for op in expected.ops]
