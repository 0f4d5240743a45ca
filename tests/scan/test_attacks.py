"""Attacks of every kind: each is named, those that need no code from elsewhere as code that would run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cutaway.scan.files import scan_file
from cutaway.scan.finding import IMPORTS, RUNS
from tests.scan.attacks.collection import NEED_CODE, RUNNING, attacks
from tests.scan.hostile_files import CANARY

_LOAD_EACH = """
import copyreg, os, pickle, sys
sys.setrecursionlimit(20_000)
for path in sys.argv[2:]:
    try:
        with open(path, "rb") as file:
            pickle.load(file)
    except BaseException as error:
        print(type(error).__name__, error, file=sys.stderr)
    for registry in (copyreg._extension_registry, copyreg._inverted_registry, copyreg._extension_cache):
        registry.clear()
    if os.path.exists(sys.argv[1]):
        os.remove(sys.argv[1])
        print(os.path.basename(path))
"""


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_every_attack_is_named(tmp_path: Path) -> None:
    missed = {}
    for name, content in attacks().items():
        path = tmp_path / name
        path.write_bytes(content)
        verdict = scan_file(str(path)).verdict
        path.unlink()
        if verdict != RUNS and (verdict != IMPORTS or name not in NEED_CODE):
            missed[name] = verdict
    assert missed == {}


def test_the_pickles_do_run_something(tmp_path: Path) -> None:
    """The attacks are real: Python runs the command of each, but of those that need a library that is not there."""
    pytest.importorskip("torch")
    slow = {"asyncio_subprocess.pkl", "spawn.pkl", "obj.pkl"}  # the command may run a moment after the loading
    for name, content in RUNNING.items():
        (tmp_path / name).write_bytes(content)
    result = subprocess.run(
        [sys.executable, "-c", _LOAD_EACH, CANARY, *(str(tmp_path / name) for name in RUNNING)],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert set(RUNNING) - set(result.stdout.split()) - slow == set(), result.stderr
    assert not os.path.exists(CANARY)
