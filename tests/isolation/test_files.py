"""Files that a command writes, though the process that analyses can't: whole or not at all, and only where it was asked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.isolation.planted import NET, run_planted

SLOW = """
import sys
from cutaway import __main__, cache

cache.MIN_SECONDS = -1.0
sys.argv[0] = "cutaway"
__main__.entry()
"""


def command(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command whose results are always worth caching."""
    (folder / "net.py").write_text(NET)
    return subprocess.run(
        [sys.executable, "-c", SLOW, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_output_is_written(tmp_path: Path) -> None:
    done = command(tmp_path, "show", "net.py", "--output", "report.txt")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "Linear" in (tmp_path / "report.txt").read_text()
    assert {path.name for path in tmp_path.iterdir()} == {"net.py", "report.txt"}


def test_output_that_can_not_be_written_is_an_error(tmp_path: Path) -> None:
    done = command(tmp_path, "show", "net.py", "--output", "net.py/report.txt")
    assert (done.returncode, done.stderr) == (2, "cutaway: net.py/report.txt: can't be written (File exists)\n")


def test_an_event_file_is_named_for_its_folder(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    done = command(tmp_path, "show", "net.py", "--input", "1x2", "--format", "tensorboard", "--output", "runs")
    assert (done.returncode, done.stderr) == (0, "")
    (event,) = (tmp_path / "runs").iterdir()
    assert event.name.startswith("events.out.tfevents.")


def test_an_analysis_that_fails_leaves_the_old_output(tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text("old")
    done = run_planted(tmp_path, "import os; os._exit(0)", "--output", "report.txt")
    assert done.returncode == 2 and (tmp_path / "report.txt").read_text() == "old"


@pytest.mark.parametrize("options", [(), ("--format", "json")])
def test_the_cache_is_used_by_the_next_command(tmp_path: Path, options: tuple[str, ...]) -> None:
    cache, project = tmp_path / "cache", tmp_path / "project"
    project.mkdir()
    first = command(project, "show", "net.py", *options, CUTAWAY_CACHE=str(cache))
    (entry,) = cache.iterdir()
    os.utime(entry, (1, 1))
    second = command(project, "show", "net.py", *options, CUTAWAY_CACHE=str(cache))
    assert (second.returncode, second.stdout) == (first.returncode, first.stdout) and first.stdout
    assert entry.stat().st_mtime > 1  # it was used, and not written again
    assert list(cache.iterdir()) == [entry]


def test_own_modules_are_compiled_for_the_next_command(tmp_path: Path) -> None:
    places = {"PYTHONPYCACHEPREFIX": str(tmp_path / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    done = command(tmp_path, "show", "net.py", **places)
    assert (done.returncode, done.stderr) == (0, "")
    compiled = {path.name.partition(".")[0] for path in (tmp_path / "compiled").rglob("*.pyc")}
    assert {"pipeline", "table"} <= compiled  # imported before the wall is up, and behind it
    assert "net" not in compiled
    written = {path: path.stat().st_mtime_ns for path in (tmp_path / "compiled").rglob("*.pyc")}
    command(tmp_path, "show", "net.py", **places)
    assert written == {path: path.stat().st_mtime_ns for path in (tmp_path / "compiled").rglob("*.pyc")}
