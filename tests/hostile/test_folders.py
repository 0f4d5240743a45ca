"""Repositories whose layout is hostile: no file around them is read or written, and nothing in them is waited for."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import cutaway
from cutaway import cli
from cutaway.checking.files import checked_files
from cutaway.checking.fixes import apply_fixes
from cutaway.checking.settings import read_settings
from cutaway.core.problem import CheckedFile, Edit, Fix, Problem, Severity
from cutaway.knowledge.base.framework_names import CHECKED
from cutaway.report.json import dumps
from tests.hostile.apart import apart, seconds_of_children

_SECRET = "x" * 4321
_MODEL = """
{before}
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        try:
            text = open({path!r}).read()
        except OSError:
            text = ""
        self.fc = nn.Linear(2, len(text))

net = Net()
"""


def _model(repository: Path, path: object, before: str = "", folder: str = ".") -> Path:
    model = repository / folder / "model.py"
    model.parent.mkdir(parents=True, exist_ok=True)
    model.write_text(_MODEL.format(path=str(path), before=before))
    return model


def _environment(repository: Path, packages: Callable[[Path], None]) -> None:
    (repository / "pyproject.toml").touch()
    (repository / "venv" / "lib" / "python3.11").mkdir(parents=True)
    (repository / "venv" / "pyvenv.cfg").touch()
    packages(repository / "venv" / "lib" / "python3.11" / "site-packages")


def _path_file(repository: Path, secret: Path) -> Path:
    def packages(folder: Path) -> None:
        folder.mkdir()
        (folder / "x.pth").write_text(f"{secret.parent}\n/\n..\n")

    _environment(repository, packages)
    return _model(repository, secret)


def _linked_packages(repository: Path, secret: Path) -> Path:
    _environment(repository, lambda folder: folder.symlink_to(secret.parent))
    return _model(repository, "venv/lib/python3.11/site-packages/secret.txt")


def _link_in_packages(repository: Path, secret: Path) -> Path:
    def packages(folder: Path) -> None:
        folder.mkdir()
        (folder / "secret.txt").symlink_to(secret)

    _environment(repository, packages)
    return _model(repository, repository / "venv/lib/python3.11/site-packages/secret.txt")


def _linked_environment(repository: Path, secret: Path) -> Path:
    (repository / "pyproject.toml").touch()
    (secret.parent / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    (secret.parent / "pyvenv.cfg").touch()
    (secret.parent / "lib" / "python3.11" / "site-packages" / "secret.txt").symlink_to(secret)
    (repository / ".venv").symlink_to(secret.parent)
    return _model(repository, repository / ".venv/lib/python3.11/site-packages/secret.txt")


def _folder_named_packages(repository: Path, secret: Path) -> Path:
    (repository / "setup.py").touch()
    (repository / "site-packages").mkdir()
    (repository / "site-packages" / "outside").symlink_to(secret.parent)
    (secret.parent / "secret.py").write_text(f"text = {_SECRET!r}\n")
    before = "import sys\nsys.path.insert(0, 'site-packages')\nfrom outside.secret import text as secret"
    model = _model(repository, "none", before)
    model.write_text(model.read_text().replace('text = ""', "text = secret"))
    return model


def _packages_up(repository: Path, secret: Path) -> Path:
    (repository / "__init__.py").touch()
    return _model(repository, "../private/secret.txt")


def _relative_imports_up(repository: Path, secret: Path) -> Path:
    before = "try:\n    from ................ import nothing\nexcept ImportError:\n    pass"
    return _model(repository, secret, before, folder="a/b")


def _search_path(repository: Path, secret: Path) -> Path:
    return _model(repository, secret, f"import sys\nsys.path[:0] = [{str(secret.parent)!r}, '/']")


def _linked_folder(repository: Path, secret: Path) -> Path:
    (repository / "data").symlink_to(secret.parent)
    return _model(repository, "data/secret.txt")


def _linked_module(repository: Path, secret: Path) -> Path:
    (repository.parent / ".git").mkdir()  # as some keep their home folder
    (secret.parent / "secret.py").write_text(f"text = {_SECRET!r}\n")
    (repository / "linked.py").symlink_to(secret.parent / "secret.py")
    model = _model(repository, "none", "from linked import text as secret")
    model.write_text(model.read_text().replace('text = ""', "text = secret"))
    return model


OUTSIDE = [
    _path_file, _linked_packages, _link_in_packages, _linked_environment, _folder_named_packages, _packages_up,
    _relative_imports_up, _search_path, _linked_folder, _linked_module,
]  # fmt: skip


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize("layout", OUTSIDE)
def test_no_file_around_a_repository_is_read(
    tmp_path: Path, layout: Callable[[Path, Path], Path], isolated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    secret = tmp_path / "private" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text(_SECRET)
    (tmp_path / "repository").mkdir()
    monkeypatch.chdir(tmp_path / "repository")
    model = layout(tmp_path / "repository", secret)
    shown = cutaway.show(f"{model}::net", isolated=isolated, timeout=20)
    assert "4321" not in dumps(shown) and "xxxx" not in dumps(shown)


def _ignore_pipe(folder: Path) -> None:
    os.mkfifo(folder / ".gitignore")


def _ignore_device(folder: Path) -> None:
    (folder / ".gitignore").symlink_to("/dev/zero")


def _ignore_large(folder: Path) -> None:
    with open(folder / ".gitignore", "wb") as file:
        file.truncate(1 << 36)


def _ignore_slow(folder: Path) -> None:
    slow = ["*a" * 60 + "b", "**/a" * 60 + "/b", "[a-z]*" * 40 + "0", "**" * 500, "?*" * 100 + "0", "[z-a]", "[[a]"]
    (folder / ".gitignore").write_text("\n".join(slow))
    (folder / ("a" * 200)).mkdir()
    (folder / ("a" * 200) / ("a" * 200 + ".py")).write_text("import torch\n")
    (folder / "/".join(["a"] * 200)).mkdir(parents=True)


def _settings_pipe(folder: Path) -> None:
    os.mkfifo(folder / "pyproject.toml")


def _settings_large(folder: Path) -> None:
    with open(folder / "pyproject.toml", "wb") as file:
        file.truncate(1 << 36)


def _settings_deep(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.cutaway]\nselect = " + "[" * 100_000)


def _settings_long_number(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.cutaway]\nselect = " + "9" * 100_000)


def _settings_of_another_kind(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("tool = 3  # tool.cutaway\n")


def _deep_folders(folder: Path) -> None:
    here = os.getcwd()
    os.chdir(folder)
    for _ in range(1800):
        os.mkdir("a")
        os.chdir("a")
    os.chdir(here)


def _pipes(folder: Path) -> None:
    for name in ("model.py", "data.ipynb", "README.md", "x.onnx", "latest", "config.json", "setup.py"):
        os.mkfifo(folder / name)


HOSTILE = [
    _ignore_pipe, _ignore_device, _ignore_large, _ignore_slow, _settings_pipe, _settings_large, _settings_deep,
    _settings_long_number, _settings_of_another_kind, _deep_folders, _pipes,
]  # fmt: skip
_NET = "import torch\nnet = torch.nn.Linear(2, 3)\nnet(torch.zeros(1, 2))\n"


@pytest.mark.parametrize("command", ["check", "show"])
@pytest.mark.parametrize("make", HOSTILE)
def test_no_folder_keeps_a_command_waiting(
    tmp_path: Path, make: Callable[[Path], None], command: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.py").write_text(_NET)
    make(tmp_path)
    before = seconds_of_children()
    try:
        code = apart(cli.main, [command, str(tmp_path), "--no-cache", "--timeout", "20"], seconds=60)
    finally:
        subprocess.run(["rm", "-rf", tmp_path / "a"], check=True)  # too deep for pytest
    out, err = capfd.readouterr()
    assert seconds_of_children() - before < 15
    assert "Traceback" not in out + err and "bug in Cutaway" not in err
    assert code == 2 and err.count("\n") == 1 if err else code in (0, 1)


def _fixable(path: str) -> CheckedFile:
    edit = Fix("adds a comment", (Edit(1, 0, "# fixed\n"),))
    return CheckedFile(path, (Problem("dropout-always-on", Severity.WARNING, "m", path, None, (), edit),))


def test_a_fix_is_not_written_through_a_link(tmp_path: Path) -> None:
    outside, net = tmp_path / "outside.txt", tmp_path / "net.py"
    outside.write_text("mine")
    net.write_text("x = 1\n")
    for name in ("net.py.cutaway", "net.py.tmp", ".net.py.tmp", "net.py~"):
        (tmp_path / name).symlink_to(outside)
    assert apply_fixes([_fixable(str(net))])[1] == 1
    assert (outside.read_text(), net.read_text()) == ("mine", "# fixed\nx = 1\n")


def test_only_files_that_are_checked_are_fixed(tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("x = 1\n")
    checked = CheckedFile(str(tmp_path / "net.py"), _fixable(str(other)).problems)
    assert apply_fixes([checked])[1] == 0
    assert other.read_text() == "x = 1\n"


def test_settings_and_ignore_files_are_still_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.cutaway]\nignore = ['dropout-always-on']\n")
    (tmp_path / ".gitignore").write_text("*.tmp.py\n")
    for name in ("net.py", "net.tmp.py"):
        (tmp_path / name).write_text(_NET)
    assert read_settings([str(tmp_path)], ["dropout-always-on"]).ignore == ("dropout-always-on",)
    assert checked_files([str(tmp_path)], [], CHECKED) == [str(tmp_path / "net.py")]


def test_a_pipeline_names_folders_below_it(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "config.json").write_text(json.dumps({"_class_name": "UNet2DModel", "secret": _SECRET}))
    pipeline = tmp_path / "pipeline"
    pipeline.mkdir()
    named = {str(tmp_path / "private"): ["diffusers", "UNet2DModel"], "../private": ["diffusers", "UNet2DModel"]}
    (pipeline / "model_index.json").write_text(json.dumps({"_class_name": "Pipeline", **named}))
    shown = cutaway.show(str(pipeline), isolated=False, timeout=20)
    assert "xxxx" not in dumps(shown)
    assert all("does not exist" in note.text for note in shown[0].assumptions if "omitted" in note.text)
    assert sum("omitted" in note.text for note in shown[0].assumptions) == 2
