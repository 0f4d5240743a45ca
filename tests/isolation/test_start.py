"""Cutaway imports nothing from the folder that it is started in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

NAMES = sorted({*sys.stdlib_module_names, "numpy", "yaml", "_yaml", "tomli", "org", "torch"})
TRAP = "open({mark!r}, 'a').write({name!r} + ' ')\nraise SystemError({name!r})\n"
SHOW = 'import cutaway; print(cutaway.show("model.py", input="1x2", isolated={isolated})[0].name)'


@pytest.fixture(scope="module")
def traps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file for every module that anything may import, but for those that Python itself starts with."""
    folder = tmp_path_factory.mktemp("traps")
    (folder / "first.py").write_text("import sys; print(*sys.modules)")
    started = {*_python(folder, "-m", "first").stdout.split(), *_python(folder, "-c", "import first").stdout.split()}
    (folder / "first.py").unlink()
    for name in NAMES:
        if name not in started:
            (folder / f"{name}.py").write_text(TRAP.format(mark=str(folder / "sprung"), name=name))
    (folder / "model.py").write_text("from torch import nn\n\nnet = nn.Sequential(nn.Linear(2, 3), nn.ReLU())\n")
    return folder


def _python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(entry for entry in sys.path if entry and Path(entry) != folder)
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("-m", "cutaway", "show", "model.py", "--input", "1x2"),
        ("-m", "cutaway", "show", "model.py", "--format", "json"),
        ("-m", "cutaway", "ops", "model.py", "--input", "1x2", "--format", "csv"),
        ("-m", "cutaway", "unique", "model.py", "--input", "1x2"),
        ("-m", "cutaway", "diff", "model.py", "model.py"),
        ("-m", "cutaway", "doctor"),
        ("-m", "cutaway", "--help"),
        ("-c", SHOW.format(isolated=True)),
        ("-c", SHOW.format(isolated=False)),
        ("-c", "import cutaway; print(cutaway.dumps(cutaway.show('model.py')))"),
    ],
    ids=lambda arguments: " ".join(arguments)[:50],
)
def test_nothing_is_imported_from_there(traps: Path, arguments: tuple[str, ...]) -> None:
    done = _python(traps, *arguments)
    assert not (traps / "sprung").exists(), (traps / "sprung").read_text()
    assert (done.returncode, done.stderr) == (0, "") and done.stdout


def test_the_path_is_as_it_was(traps: Path) -> None:
    code = "import sys; before = list(sys.path); import cutaway; cutaway.show('model.py'); print(sys.path == before)"
    assert _python(traps, "-c", code).stdout == "True\n"


def test_modules_beside_the_target_are_found_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "model.py").write_text("from torch import nn\nfrom width import W\n\nnet = nn.Linear(2, W)\n")
    (tmp_path / "width.py").write_text("W = 5\n")
    done = _python(tmp_path, "-m", "cutaway", "show", "nets/model.py", "--input", "1x2")
    assert "1x5" in done.stdout
