"""`cutaway doctor`."""

from __future__ import annotations

import json
import platform
import subprocess
import sys

import pytest

from cutaway.isolation.system_calls import AUDIT_ARCH


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in AUDIT_ARCH, reason="the wall is not complete there"
)
def test_the_wall_is_complete() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cutaway", "doctor", "--format", "json"], capture_output=True, text=True, timeout=60
    )
    document = json.loads(done.stdout)
    assert {each["name"] for each in document["measures"]} == {"Landlock", "seccomp", "audit hook", "limits"}
    missing = [each for each in document["measures"] if not each["in_force"]]
    if not missing:  # an old kernel lacks some
        assert all(each["refused"] for each in document["attempts"])
    assert (done.returncode, document["complete"]) == ((1, False) if missing else (0, True))


def test_the_table_says_what_is_in_force() -> None:
    done = subprocess.run([sys.executable, "-m", "cutaway", "doctor"], capture_output=True, text=True, timeout=60)
    assert "audit hook" in done.stdout and "in force" in done.stdout and done.stderr == ""
