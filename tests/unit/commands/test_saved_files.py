"""Saved files in commands that are mostly used with source."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from cutaway import cli

HEADER = b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }".ljust(127) + b"\n"


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("weight.npy", HEADER + bytes(12))
    path = tmp_path / "weights.npz"
    path.write_bytes(content.getvalue())
    return path


def test_a_folder_of_saved_files_names_one(weights: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", str(weights.parent)]) == 2
    assert f"but it has saved files; name one, such as {weights}" in capsys.readouterr().err


def test_a_module_without_a_class_is_listed_as_unknown(weights: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["unique", str(weights)]) == 0
    assert "mod_000  ?      1" in capsys.readouterr().out


def test_a_folder_none_of_whose_files_can_be_shown_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.py").write_text("import torch\nclass Net(torch.nn.Module:\n    pass\n")
    assert cli.main(["show", str(tmp_path)]) == 2
    assert "0 networks in 0 files\n\nNot shown (1)" in capsys.readouterr().out


def test_inputs_of_a_file_without_a_program_are_said_to_have_no_effect(
    weights: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["show", str(weights), "--input", "2x3"]) == 0
    assert "--input has no effect: the file is shown as it was saved" in capsys.readouterr().out
