"""Files in the text form of Protocol Buffers against the same ones in binary form."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway

onnx = pytest.importorskip("onnx")

FILES = sorted((Path(__file__).parent.parent / "saved_graphs").glob("*.onnx"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_text_form_reads_as_the_binary_form(file: Path, tmp_path: Path) -> None:
    from google.protobuf import text_format  # late: onnx brings it along

    binary, text = tmp_path / "net.onnx", tmp_path / "net.prototxt"
    binary.write_bytes(file.read_bytes())
    text.write_text(text_format.MessageToString(onnx.load(str(file), load_external_data=False)))
    (expected,) = cutaway.show(str(binary), isolated=False)
    (network,) = cutaway.show(str(text), isolated=False)
    assert [op.outputs for op in network.ops] == [op.outputs for op in expected.ops]
    assert network.weights == expected.weights
    assert [op.attributes for op in network.ops] == [op.attributes for op in expected.ops]
