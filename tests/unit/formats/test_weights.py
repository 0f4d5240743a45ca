"""Files of weights: safetensors, what torch.save writes, indices; damaged and hostile ones."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

import cutaway
from cutaway.cli import main
from cutaway.formats import pickle_machine, torch_beginning

MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.act = nn.ReLU()
        self.head = nn.Linear(8, 2, bias=False)
        self.register_buffer("scale", torch.zeros(3), persistent=False)
    def forward(self, x):
        return self.head(self.act(self.body(x)))
"""
SHAPES = {"body.weight": (8, 4), "body.bias": (8,), "head.weight": (2, 8)}


def safetensors(entries: dict[str, Any], data: int | None = None) -> bytes:
    header = json.dumps(entries).encode()
    ends = [entry["data_offsets"][1] for entry in entries.values() if "data_offsets" in entry]
    return struct.pack("<Q", len(header)) + header + bytes(max(ends, default=0) if data is None else data)


def entries(shapes: dict[str, tuple[int, ...]] = SHAPES) -> dict[str, Any]:
    found: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, shape in shapes.items():
        size = 4
        for each in shape:
            size *= each
        found[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    return found


def number(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


def row(values: Any) -> bytes:
    return b"(" + b"".join(map(number, values)) + b"t"


def stored(key: str, shape: tuple[int, ...], count: int | None = None, offset: int = 0) -> bytes:
    """The instructions of a tensor, as torch writes them."""
    strides, size = [], 1
    for each in reversed(shape):
        strides.insert(0, size)
        size *= each
    kept = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text(key) + text("cpu")
    kept += number(size if count is None else count) + b"tQ"
    given = kept + number(offset) + row(shape) + row(strides) + b"\x89" + b"}"
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + given + b"tR"


def state_dict(shapes: dict[str, tuple[int, ...]] = SHAPES) -> bytes:
    pairs = b"".join(text(name) + stored(str(at), shape) for at, (name, shape) in enumerate(shapes.items()))
    return b"\x80\x02}(" + pairs + b"u."


def archive(pickle: bytes, shapes: dict[str, tuple[int, ...]] = SHAPES) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("archive/data.pkl", pickle)
        for at, shape in enumerate(shapes.values()):
            size = 4
            for each in shape:
                size *= each
            file.writestr(f"archive/data/{at}", bytes(size))
    return made.getvalue()


def written(folder: Path, name: str, content: bytes) -> str:
    (folder / name).write_bytes(content)
    return str(folder / name)


def shapes_of(target: str) -> dict[str, Any]:
    (found,) = cutaway.show(target)
    return {weight.name: weight.shape for weight in found.weights}


@pytest.fixture
def model(tmp_path: Path) -> str:
    return written(tmp_path, "model.py", MODEL.encode()) + "::Net"


def test_a_file_of_safetensors_gives_its_tensors_and_the_tree_of_their_names(tmp_path: Path) -> None:
    (found,) = cutaway.show(written(tmp_path, "model.safetensors", safetensors(entries())))
    assert [module.path for module in found.modules] == ["", "body", "head"]
    assert {weight.name: weight.shape for weight in found.weights} == SHAPES
    assert {(weight.kind, weight.dtype) for weight in found.weights} == {("tensor", "float32")}
    assert found.framework == "pytorch"
    assert found.totals.parameters == 56 and found.totals.weight_bytes == 224
    assert found.totals.trainable_parameters is None and found.totals.macs is None


def test_the_name_of_a_file_does_not_matter(tmp_path: Path) -> None:
    assert shapes_of(written(tmp_path, "weights.bin", safetensors(entries()))) == SHAPES
    assert shapes_of(written(tmp_path, "weights", archive(state_dict()))) == SHAPES


def test_what_torch_saves_is_read_without_unpickling(tmp_path: Path) -> None:
    assert shapes_of(written(tmp_path, "model.pt", archive(state_dict()))) == SHAPES


def test_each_dict_of_tensors_in_a_checkpoint_is_a_network(tmp_path: Path) -> None:
    body = state_dict()[2:-1]
    pickle = b"\x80\x02}(" + text("epoch") + number(3) + text("model") + body + text("ema") + body + b"u."
    path = written(tmp_path, "checkpoint.pt", archive(pickle))
    assert [found.name for found in cutaway.show(path)] == ["model", "ema"]
    assert shapes_of(f"{path}::ema") == SHAPES
    with pytest.raises(cutaway.CutawayError, match="there is no best in it; there are model, ema"):
        cutaway.show(f"{path}::best")


def test_two_names_of_one_tensor_are_tied(tmp_path: Path) -> None:
    pickle = b"\x80\x02}(" + text("a.weight") + stored("0", (3, 2)) + text("b.weight") + stored("0", (3, 2)) + b"u."
    (found,) = cutaway.show(written(tmp_path, "model.pt", archive(pickle, {"": (3, 2)})))
    assert [weight.tied_to for weight in found.weights] == [None, "a.weight"]
    assert found.totals.parameters == 6


def test_an_index_names_the_files_of_a_network(tmp_path: Path) -> None:
    parts = {"one.safetensors": ["body.weight", "body.bias"], "two.safetensors": ["head.weight"]}
    for file, names in parts.items():
        written(tmp_path, file, safetensors(entries({name: SHAPES[name] for name in names})))
    index = {"metadata": {}, "weight_map": {name: file for file, names in parts.items() for name in names}}
    path = written(tmp_path, "model.safetensors.index.json", json.dumps(index).encode())
    assert shapes_of(path) == SHAPES
    (tmp_path / "two.safetensors").unlink()
    assert shapes_of(path) == {**SHAPES, "head.weight": None}
    assert "two.safetensors is not there" in cutaway.show(path)[0].unknowns[1].text


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "", ".."])
def test_an_index_names_only_files_beside_it(tmp_path: Path, name: str) -> None:
    index = json.dumps({"weight_map": {"a": name}}).encode()
    with pytest.raises(cutaway.CutawayError, match="is not the name of a file beside it"):
        cutaway.show(written(tmp_path, "model.safetensors.index.json", index))


def test_a_source_and_its_weights_do_not_differ(tmp_path: Path, model: str, capsys: pytest.CaptureFixture[str]) -> None:
    shuffled = dict(reversed(SHAPES.items()))
    for name, content in (("a.safetensors", safetensors(entries(shuffled))), ("a.pt", archive(state_dict()))):
        assert main(["diff", model, written(tmp_path, name, content), "--input", "1x4"]) == 0
        assert "no difference" in capsys.readouterr().out


def test_weights_that_do_not_fit_their_source_are_listed(
    tmp_path: Path, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    other = {"body.weight": (8, 5), "body.bias": (8,), "head.weight": (2, 8), "extra.weight": (7,)}
    assert main(["diff", model, written(tmp_path, "b.safetensors", safetensors(entries(other)))]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "    parameter weight 8x4 float32 -> 8x5 float32" in lines
    assert "+ extra" in lines
    assert "stored elements       56 -> 71  (+15, +26.8%)" in lines


def test_weights_of_a_network_that_something_was_put_around_are_found(
    tmp_path: Path, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrapped = {f"module.{name}": shape for name, shape in SHAPES.items()}
    assert main(["diff", model, written(tmp_path, "b.safetensors", safetensors(entries(wrapped)))]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "> (root) -> module (Net)"
    assert lines[-2:] == ["3 weights fit", "renaming: without 'module.'"]


DAMAGED_HEADERS = [
    (struct.pack("<Q", 99999) + b"{}", "byte 0: the header is said to have 99,999 bytes"),
    (struct.pack("<Q", 4) + b"{]}}", "byte 9: the header is not JSON"),
    (struct.pack("<Q", 3) + b'{"\xff', "byte 10: the header is not text in UTF-8"),
    (struct.pack("<Q", 6000) + b'{"a":' * 1200, "the header"),
    (safetensors(entries(), data=100), "it has 100 bytes of numbers, its header says 224: it is cut off or damaged"),
    (
        safetensors({"a": {"dtype": "F33", "shape": [], "data_offsets": [0, 4]}}),
        "a.dtype: there is no element type F33",
    ),
    (safetensors({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}), "a.shape: expected a list of whole"),
    (safetensors({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}), "a.data_offsets: F32 2 takes 8 bytes"),
    (
        safetensors({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}),
        "a.data_offsets: begins at 4, where 0",
    ),
    (safetensors({"a": {"dtype": "F32", "shape": [1 << 62] * 9, "data_offsets": [0, 4]}}), "is larger than any file"),
    (struct.pack("<Q", 14) + b'{"a":1,"a":2}\n', "a: is there twice"),
    (struct.pack("<Q", 8) + b'{"a": 1}', "a: expected an object with dtype, shape and data_offsets"),
]


@pytest.mark.parametrize(("content", "message"), DAMAGED_HEADERS)
def test_a_damaged_header_is_told_with_the_field(
    tmp_path: Path, content: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "model.safetensors", content)
    assert main(["show", path]) == 2
    error = capsys.readouterr().err
    assert path in error and message in error and error.count("\n") == 1


SYSTEM = b"cos\nsystem\n(" + text("touch /tmp/should-not-be-there") + b"tR"
DAMAGED_PICKLES = [
    (b"\x80\x02}(" + text("a") + b"u.", "a key has no value"),
    (b"\x80\x02R.", "an instruction takes more than there is"),
    (b"\x80\x02u.", "a group ends that has not begun"),
    (b"\x80\x02h\x07.", "what it remembers as 7 was never put there"),
    (b"\x80\x02}", "its pickle"),
    (b"\x80\x02\xff.", "its pickle can't be read behind byte 0"),
    (b"\x80\x02I" + b"9" * 9000 + b"\n.", "its pickle can't be read"),
    (b"\x80\x02X\xff\xff\xff\x7fabc.", "its pickle can't be read"),
    (b"\x80\x02" + SYSTEM + b".", "there are no weights in it, only a os.system"),
    (b"\x80\x02}" + text("a") + SYSTEM + b"s.", "there are no weights in it, only a dict with a"),
    (state_dict().replace(b"tQ", b"t", 1), "a tensor's numbers are not where torch.save puts them"),
    (b"\x80\x02}" + text("a") + stored("0", (8, 4), count=5) + b"s.", "reaches to element 31 of the 5 that are stored"),
    (b"\x80\x02}" + text("a") + stored("9", (2,)) + b"s.", "data/9 is missing"),
    (b"\x80\x02}" + text("a") + stored("1", (99,)) + b"s.", "data/1 has 32 bytes, where 396 were expected"),
]


@pytest.mark.parametrize(("pickle", "message"), DAMAGED_PICKLES)
def test_a_damaged_or_hostile_pickle_is_told_in_one_line(
    tmp_path: Path, pickle: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "model.pt", archive(pickle))
    code = main(["show", path])
    error = capsys.readouterr().err
    assert code == 2 and path in error and message in error and error.count("\n") == 1, error
    assert not Path("/tmp/should-not-be-there").exists()


def test_what_a_pickle_would_call_is_described(tmp_path: Path) -> None:
    found = pickle_machine.load(io.BytesIO(b"\x80\x02" + SYSTEM + b"."))
    assert isinstance(found, pickle_machine.Made) and str(found.maker) == "os.system"
    assert found.arguments == ("touch /tmp/should-not-be-there",)


def test_a_pickle_that_holds_itself_a_thousand_times_over_ends(tmp_path: Path) -> None:
    doubled = b"\x80\x02]" + b"".join(b"q\x00(h\x00h\x00l" for _ in range(20_000)) + b"."
    loop = b"\x80\x02}q\x00" + text("a") + b"h\x00s."
    for pickle in (doubled, loop):
        with pytest.raises(cutaway.CutawayError, match="there are no weights in it"):
            cutaway.show(written(tmp_path, "model.pt", archive(pickle)))


def test_a_pickled_module_that_contains_itself_is_listed_once(tmp_path: Path) -> None:
    held = text("_parameters") + b"}" + text("weight") + stored("0", (8, 4)) + b"s" + text("_buffers") + b"}"
    state = b"}(" + held + text("_modules") + b"}" + text("self") + b"h\x00s" + text("width") + number(4) + b"u"
    pickle = b"\x80\x02cnets\nNet\n)\x81q\x00" + state + b"b."
    (found,) = cutaway.show(written(tmp_path, "model.pt", archive(pickle)))
    assert [(module.path, module.qualified_name) for module in found.modules] == [("", "nets.Net")]
    assert dict(found.modules[0].config) == {"width": 4}
    assert [(weight.name, weight.kind) for weight in found.weights] == [("weight", "parameter")]


def test_an_archive_of_something_else_is_told(tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("notes.txt", "{}")
    with pytest.raises(cutaway.CutawayError, match=r"a zip archive without data\.pkl: not what torch\.save writes"):
        cutaway.show(written(tmp_path, "model.keras", made.getvalue()))
    with pytest.raises(cutaway.CutawayError, match="not a zip file"):
        cutaway.show(written(tmp_path, "cut.pt", archive(state_dict())[:300]))


def test_every_cut_of_a_file_gives_one_clear_error(tmp_path: Path) -> None:
    legacy = torch_beginning.MAGIC + b"\x80\x02M\xe9\x03." + b"\x80\x02}." + state_dict()
    assert shapes_of(written(tmp_path, "old.pt", legacy)) == SHAPES
    for content in (legacy, safetensors(entries())):
        for end in range(20, len(content) - 1, 7):
            with pytest.raises(cutaway.CutawayError, match=r"cut\.pt: "):
                cutaway.show(written(tmp_path, "cut.pt", content[:end]))
