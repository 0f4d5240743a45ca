"""Event files of TensorBoard."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path

import pytest

import cutaway
from cutaway.cli import main
from cutaway.formats import event_records, protobuf, tensorboard

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
    def forward(self, x):
        return self.body(torch.relu(self.conv(x)).mean((2, 3)))
"""

# What `add_graph` writes for `relu(conv1(x))`, in part: name, operation, inputs, attributes, shape.
WRITTEN = [
    ("input/x.1", "IO Node", [], "", (1, 3, 28, 28)),
    ("output/output.1", "IO Node", ["Net/input.1"], "", (1, 16, 28, 28)),
    ("Net/Conv2d[conv1]/145", "prim::Constant", [], "{ value : 1}", None),
    (
        "Net/Conv2d[conv1]/weight/weight.5",
        "prim::GetAttr",
        ["Net/Conv2d[conv1]/weight/conv1"],
        "{ name :  weight }",
        None,
    ),
    ("Net/Conv2d[conv1]/151", "prim::ListConstruct", ["Net/Conv2d[conv1]/145", "Net/Conv2d[conv1]/145"], "{}", None),
    (
        "Net/Conv2d[conv1]/155",
        "aten::_convolution",
        ["input/x.1", "Net/Conv2d[conv1]/weight/weight.5", "Net/Conv2d[conv1]/151"],
        "{}",
        (1, 16, 28, 28),
    ),
    ("Net/input.1", "aten::relu", ["Net/Conv2d[conv1]/155"], "{}", (1, 16, 28, 28)),
]


def event_file() -> bytes:
    nodes = b"".join(
        protobuf.text(
            1, tensorboard._written(tensorboard._Node(name, op, tuple(read), settings, (shape,) if shape else ()))
        )
        for name, op, read, settings, shape in WRITTEN
    )
    return event_records.written(protobuf.text(3, tensorboard.VERSION)) + event_records.written(protobuf.text(4, nodes))


def test_a_graph_that_add_graph_wrote() -> None:
    (seen,) = tensorboard.read(io.BytesIO(event_file()), "events")
    assert [(m.path, m.class_name) for m in seen.modules] == [("", "Net"), ("conv1", "Conv2d")]
    assert [(v.name, v.shape) for v in (*seen.inputs, *seen.outputs)] == [
        ("x.1", (1, 3, 28, 28)),
        ("", (1, 16, 28, 28)),
    ]
    convolution, relu = seen.ops
    assert (convolution.op, convolution.module) == ("aten::_convolution", "conv1")
    assert [v.name for v in convolution.inputs] == ["x.1", "conv1.weight"]
    assert dict(convolution.attributes) == {"2": [1, 1]}
    assert relu.inputs[0].name == convolution.outputs[0].name and relu.module == ""
    assert seen.unknowns and all(not m.complete for m in seen.modules)


def test_checksums_are_those_of_crc32c() -> None:
    assert event_records.checksum(b"123456789") == ((0xE3069283 >> 15 | 0xE3069283 << 17) + 0xA282EAD8) & 0xFFFFFFFF


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text(NET)
    assert (
        main(
            [
                "show",
                f"{tmp_path}/net.py::Net",
                "--input",
                "1x3x8x8",
                "--format",
                "tensorboard",
                "--output",
                str(tmp_path),
            ]
        )
        == 0
    )
    return tmp_path


def test_what_is_written_reads_back(folder: Path) -> None:
    (written,) = folder.glob("events.out.tfevents.*.cutaway")
    (source,) = cutaway.show(f"{folder}/net.py::Net", input="1x3x8x8")
    (seen,) = cutaway.show(str(written))
    assert [(op.op, op.module, [v.shape for v in op.outputs]) for op in seen.ops] == [
        (op.op, op.module, [v.shape for v in op.outputs]) for op in source.ops
    ]
    assert [(w.name, w.shape, w.dtype) for w in seen.weights] == [(w.name, w.shape, w.dtype) for w in source.weights]
    assert {m.path: m.class_name for m in seen.modules} == {m.path: m.class_name for m in source.modules}


def test_tensorboard_reads_what_is_written(folder: Path) -> None:
    if importlib.util.find_spec("tensorboard") is None:
        pytest.skip("tensorboard is not installed: pip install tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    seen = EventAccumulator(str(folder))
    seen.Reload()
    nodes = {node.name: node for node in seen.Graph().node}
    assert len(nodes) == len(seen.Graph().node)
    assert all(name.partition(":")[0] in nodes for node in nodes.values() for name in node.input)
    linear = nodes["Net/Sequential[body]/Linear[0]/linear"]
    assert list(linear.input)[1:] == ["Net/Sequential[body]/Linear[0]/weight", "Net/Sequential[body]/Linear[0]/bias"]
    assert [d.size for d in linear.attr["_output_shapes"].list.shape[0].dim] == [1, 8]


def test_add_graph_is_read(tmp_path: Path) -> None:
    if importlib.util.find_spec("tensorboard") is None:
        pytest.skip("tensorboard is not installed: pip install tensorboard")
    torch = pytest.importorskip("torch")
    from torch.utils.tensorboard import SummaryWriter

    network = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU())
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_graph(network, torch.zeros(1, 4))
    (seen,) = cutaway.show(str(next(tmp_path.glob("events*"))))
    assert [(op.op, op.module) for op in seen.ops] == [("aten::linear", "0"), ("aten::relu", "1")]
    assert seen.outputs[0].shape == (1, 8)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:-9], "a record is cut off"),
        (lambda data: data[:40] + b"\0" + data[41:], "damaged|no record begins"),
        (
            lambda data: data[: len(event_records.written(protobuf.text(3, tensorboard.VERSION)))],
            "there is no graph in it",
        ),
    ],
)
def test_a_damaged_file(tmp_path: Path, damage: object, message: str) -> None:
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(damage(event_file()))  # type: ignore[operator]
    with pytest.raises(cutaway.CutawayError, match=message):
        cutaway.show(str(path))


def test_standard_output_gets_no_event_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "net.py").write_text(NET)
    assert main(["show", f"{tmp_path}/net.py::Net", "--format", "tensorboard"]) == 2
    assert "needs --output" in capsys.readouterr().err
