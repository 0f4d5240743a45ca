"""`[tool.cutaway]` in `pyproject.toml`: which codes are reported, and where."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from typing import Any

from cutaway.core import disk
from cutaway.core.error import CutawayError, one_line
from cutaway.core.problem import Problem, Severity
from cutaway.core.record import dataclass, field

FILE = "pyproject.toml"
ALL = "all"
_LARGEST = 4 << 20
_KEYS = ("select", "ignore", "per-file-ignores", "exclude")


@dataclass(frozen=True, slots=True)
class Settings:
    """Which problems are reported.

    A code in `ignore` is not. Where `select` is given, only the codes in it are, hints among them; a severity stands for
    all of its codes, and `all` for everything. `per_file_ignores` has codes by patterns of paths, relative to `folder`.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    folder: str = ""

    def reports(self, problem: Problem) -> bool:
        """Tell whether a problem is reported."""
        kinds = (problem.code, problem.severity.value, ALL)
        if any(kind in self.ignore for kind in kinds):
            return False
        path = os.path.relpath(os.path.abspath(problem.file), self.folder or os.getcwd()).replace(os.sep, "/")
        for pattern, codes in self.per_file_ignores.items():
            if (fnmatch(path, pattern) or fnmatch(path, f"*/{pattern}")) and any(kind in codes for kind in kinds):
                return False
        if self.select:
            return any(kind in self.select for kind in kinds)
        return problem.severity is not Severity.HINT


def read_settings(paths: Iterable[str], known: Iterable[str]) -> Settings:
    """Return the settings of the project that the first of some paths is in; `known` are the codes that there are."""
    first = next(iter(paths), ".")
    folder = os.path.abspath(first if os.path.isdir(first) else os.path.dirname(first))
    while True:
        path = os.path.join(folder, FILE)
        table = _table(path) if os.path.isfile(path) else None
        if table is not None:
            return _settings(table, path, folder, set(known))
        above = os.path.dirname(folder)
        if above == folder:
            return Settings()
        folder = above


def _table(path: str) -> Mapping[str, Any] | None:
    """Return the settings in a file, None where it has none."""
    try:
        content = disk.content(path, _LARGEST)
    except OSError as error:
        raise CutawayError(f"{path}: can't be read ({error.strerror})") from None
    if b"tool.cutaway" not in content:
        return None
    try:
        import tomllib
    except ImportError:  # Python 3.10
        raise CutawayError(f"{path}: [tool.cutaway] is read from Python 3.11 on; use the options instead") from None
    try:
        table = tomllib.loads(content.decode("utf-8")).get("tool", {}).get("cutaway")
    except (ValueError, RecursionError, AttributeError) as error:  # tomllib lets some of its own through
        raise CutawayError(f"{path}: {one_line(str(error))}") from None
    return table if isinstance(table, dict) else None


def _settings(table: Mapping[str, Any], path: str, folder: str, known: set[str]) -> Settings:
    for key in table:
        if key not in _KEYS:
            raise CutawayError(f"{path}: [tool.cutaway] has no setting {key!r}; it has {', '.join(_KEYS)}")
    ignores = table.get("per-file-ignores", {})
    if not isinstance(ignores, dict):
        raise CutawayError(f"{path}: per-file-ignores is a table of lists of codes, by patterns of paths")
    settings = Settings(
        _strings(table.get("select", []), "select", path),
        _strings(table.get("ignore", []), "ignore", path),
        {pattern: _strings(codes, "per-file-ignores", path) for pattern, codes in ignores.items()},
        _strings(table.get("exclude", []), "exclude", path),
        folder,
    )
    require_known([*settings.select, *settings.ignore, *(c for v in ignores.values() for c in v)], known, path)
    return settings


def require_known(codes: Iterable[str], known: Iterable[str], where: str) -> None:
    """Raise if there is no such code."""
    from cutaway.core.suggestions import suggestion  # late: only where a code is wrong

    names = {*known, ALL, *(severity.value for severity in Severity)}
    for code in codes:
        if code not in names:
            raise CutawayError(f"{where}: there is no code {code!r}{suggestion(code, names)}")


def _strings(value: Any, name: str, path: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise CutawayError(f"{path}: {name} is a list of strings")
    return tuple(value)
