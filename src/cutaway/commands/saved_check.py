"""`cutaway check` of saved files: what a file declares and its operations contradict, and operations that fail."""

from __future__ import annotations

import os
from collections.abc import Sequence

from cutaway.core.architecture import Architecture
from cutaway.core.problem import CheckedFile, Problem, Severity
from cutaway.formats.dispatch import is_saved
from cutaway.rules.catalogue import CONTRADICTED

_PROGRAMS = (".py", ".ipynb", ".md")


def split(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return which of some paths are saved files, and which are programs or folders of them."""
    saved = [path for path in paths if not path.endswith(_PROGRAMS) and os.path.exists(path) and is_saved(path)]
    return saved, [path for path in paths if path not in saved]


def checked(paths: Sequence[str]) -> list[CheckedFile]:
    """Return the problems of saved files."""
    from cutaway._api import show  # late: --help needs none of it

    return [CheckedFile(path, tuple(_problems(path, show(path)))) for path in paths]


def _problems(path: str, networks: Sequence[Architecture]) -> list[Problem]:
    problems: dict[Problem, None] = {}
    for network in networks:
        for each in network.diagnostics:
            severity = Severity.WARNING if each.code == CONTRADICTED else Severity.ERROR
            problems.setdefault(Problem(each.code, severity, each.message, path))
    return list(problems)
