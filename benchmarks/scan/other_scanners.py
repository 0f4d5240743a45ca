"""Other scanners, as far as they are installed: whether each warns of a file."""

from __future__ import annotations

import contextlib
import io
import json
import logging
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def picklescan() -> Callable[[Path], bool]:
    """Return what asks picklescan; it is quiet where its command ends with an error."""
    scanner = import_module("picklescan.scanner")
    logging.disable(logging.CRITICAL)
    return lambda path: scanner.scan_file_path(str(path)).infected_files > 0


def modelscan() -> Callable[[Path], bool]:
    """Return what asks modelscan."""
    home = import_module("modelscan.modelscan")

    def flags(path: Path) -> bool:
        scan = home.ModelScan()
        scan.scan(path)
        return bool(scan.issues.all_issues)

    return flags


def fickling() -> Callable[[Path], bool]:
    """Return what asks fickling; an end with an error counts as a warning."""
    command = import_module("fickling.cli")

    def flags(path: Path) -> bool:
        try:
            code: Any = command.main(["fickling", "--check-safety", "--json-output", "/dev/null", str(path)])
        except SystemExit as error:
            code = error.code
        return code != 0

    return flags


SCANNERS = {"picklescan": picklescan, "modelscan": modelscan, "fickling": fickling}


def quiet(flags: Callable[[Path], bool], path: Path, on_error: bool) -> bool:
    """Ask a scanner without letting it write; `on_error` is the answer where it raises."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            return flags(path)
        except (Exception, json.JSONDecodeError):
            return on_error
