"""Sources that are unusual but fine, and targets of which a part is missing: the rest is shown, the part is named."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

import cutaway
from cutaway import Architecture

NET = "from torch import nn\nnet = nn.Linear(2, 3)\n"
READABLE: dict[str, bytes] = {
    "with a byte order mark": b"\xef\xbb\xbf" + NET.encode(),
    "with carriage returns": NET.replace("\n", "\r\n").encode(),
    "with old carriage returns": NET.replace("\n", "\r").encode(),
    "without a last line break": NET.strip().encode(),
    "in the encoding that it declares": b"# -*- coding: latin-1 -*-\nname = 'caf\xe9'\n" + NET.encode(),
    "with tabs": b"if True:\n\tfrom torch import nn\n\tnet = nn.Linear(2, 3)\n",
    "with form feeds": b"\x0c" + NET.encode(),
    "with names in other scripts": "größe = 3\nfrom torch import nn\nnet = nn.Linear(2, größe)\n".encode(),
    "with an invalid escape": rb"x = '\d'" + b"\n" + NET.encode(),
}


def show(folder: Path, text: bytes | str, **options: str) -> Architecture:
    """Show the one network of a file."""
    path = folder / "model.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    (network,) = cutaway.show(str(path), **options)
    return network


def remarks(network: Architecture) -> list[str]:
    """Return the unknowns with their lines."""
    return [f"{note.place.line if note.place else '-'}: {note.text}" for note in network.unknowns]


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in READABLE.items()])
def test_a_source_is_read(tmp_path: Path, text: bytes) -> None:
    assert show(tmp_path, text).weights[0].shape == (3, 2)


def test_standard_input_is_a_target(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NET.encode())))
    (network,) = cutaway.show("-::net", input="1x2")
    assert network.outputs[0].shape == (1, 3)


def test_an_import_that_is_missing_and_not_used_is_not_mentioned(tmp_path: Path) -> None:
    network = show(tmp_path, f"import nowhere\n{NET}", input="1x2")
    assert network.unknowns == () and network.weights[0].shape == (3, 2)


def test_an_import_that_is_missing_and_used_is_named_where_it_stands(tmp_path: Path) -> None:
    text = f"import nowhere\n{NET}net.extra = nowhere.Layer()\nnet.append = nowhere.x\n"
    network = show(tmp_path, text + "seq = nn.Sequential(net, nowhere.Layer())\ndel net\n", input="1x2")
    assert "1: module nowhere is not found: add its folder with --path, or install it" in remarks(network)


def test_a_relative_import_in_a_folder_without_a_mark_says_what_is_missing(tmp_path: Path) -> None:
    network = show(tmp_path, "from .sizes import width\nfrom torch import nn\nnet = nn.Linear(2, width)\n")
    (remark, *_) = remarks(network)
    assert remark.startswith("1: ") and ".sizes is not found" in remark


def test_a_fault_in_an_imported_file_is_named_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "sizes.py").write_text("width = (\n")
    network = show(tmp_path, "from sizes import width\nfrom torch import nn\nnet = nn.Linear(2, width)\n")
    assert any("sizes.py:1: syntax error: '(' was never closed" in remark for remark in remarks(network))


def test_a_program_that_stops_shows_what_it_had_made(tmp_path: Path) -> None:
    network = show(tmp_path, f"{NET}raise ValueError('not today')\n", input="1x2")
    assert network.outputs[0].shape == (1, 3)
    assert [(fault.place.line, fault.message) for fault in network.diagnostics if fault.place] == [
        (3, "ValueError: not today")
    ]


def test_a_class_that_needs_arguments_is_shown_with_what_is_known(tmp_path: Path) -> None:
    text = """\
from torch import nn
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(4, 5)
        self.second = nn.Linear(5, width)
    def forward(self, x):
        return self.second(self.first(x))
"""
    network = show(tmp_path, text)
    assert network.weights[0].shape == (5, 4)
    assert [str(size) for size in network.weights[2].shape or ()] == ["width", "5"]


def test_inputs_that_fit_some_networks_are_used_for_those(tmp_path: Path) -> None:
    text = """\
from torch import nn
class One(nn.Linear):
    def forward(self, x):
        return super().forward(x)
class Two(nn.Linear):
    def forward(self, x, y):
        return super().forward(x) + y
one, two = One(4, 2), Two(4, 2)
"""
    path = tmp_path / "model.py"
    path.write_text(text)
    one, two = cutaway.show(str(path), input="1x4")
    assert one.outputs[0].shape == (1, 2)
    assert (
        remarks(two)[0]
        == f"-: --input does not match forward(x, y) of two ({path}:6): y is not given; add --input y=SHAPE"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_files_of_an_installation_may_be_links(tmp_path: Path) -> None:
    installed, kept = tmp_path / "site-packages" / "net", tmp_path / "kept"
    installed.mkdir(parents=True)
    kept.mkdir()
    (kept / "width.txt").write_text("7")
    (installed / "width.txt").symlink_to(kept / "width.txt")
    (installed / "__init__.py").write_text(
        "from pathlib import Path\nfrom torch import nn\n"
        "def make():\n    return nn.Linear(2, int((Path(__file__).parent / 'width.txt').read_text()))\n"
    )
    (network,) = cutaway.show("net:make()", input="1x2", path=str(tmp_path / "site-packages"))
    assert network.outputs[0].shape == (1, 7)
