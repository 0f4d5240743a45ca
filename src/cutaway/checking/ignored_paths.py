"""`.gitignore`: which files of a folder are left out."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from cutaway.core.record import dataclass

NAME = ".gitignore"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file, for paths relative to the folder of that file, with `/` between their parts."""

    expression: re.Pattern[str]
    excludes: bool
    only_folders: bool


@dataclass(frozen=True, slots=True)
class Ignored:
    """The ignore files that apply in a folder, the outermost first; of the patterns that match a path, the last decides."""

    files: tuple[tuple[str, tuple[Pattern, ...]], ...] = ()

    def below(self, folder: str) -> Ignored:
        """Return what applies in a folder: its own ignore file as well."""
        try:
            with open(os.path.join(folder, NAME), encoding="utf-8", errors="replace") as file:
                patterns = parse(file)
        except OSError:
            return self
        return Ignored((*self.files, (os.path.abspath(folder), patterns)))

    def leaves_out(self, path: str, is_folder: bool) -> bool:
        """Tell whether a path is left out; that of a folder which is not was asked before."""
        answer = False
        for folder, patterns in self.files:
            relative = os.path.relpath(os.path.abspath(path), folder).replace(os.sep, "/")
            for pattern in patterns:
                if (is_folder or not pattern.only_folders) and pattern.expression.fullmatch(relative):
                    answer = pattern.excludes
        return answer


def parse(lines: Iterable[str]) -> tuple[Pattern, ...]:
    """Return the patterns of an ignore file."""
    return tuple(pattern for line in lines if (pattern := _pattern(line.rstrip("\n"))) is not None)


def _pattern(line: str) -> Pattern | None:
    line = re.sub(r"(?<!\\) +$", "", line)
    if not line or line.startswith("#"):
        return None
    excludes = not line.startswith("!")
    line = line.removeprefix("!").removeprefix("\\")
    only_folders = line.endswith("/")
    line = line.rstrip("/")
    is_anchored = "/" in line
    try:
        expression = re.compile(("" if is_anchored else "(?:.*/)?") + _expression(line.removeprefix("/")))
    except re.error:
        return None
    return Pattern(expression, excludes, only_folders)


_PARTS = re.compile(
    r"(?P<any>\*\*/)|(?P<rest>/\*\*$)|(?P<star>\*+)|(?P<one>\?)|\[(?P<not>[!^]?)(?P<set>[^]]+)\]|\\(?P<plain>.)"
)


def _expression(glob: str) -> str:
    """Return the regular expression of a pattern of paths."""
    parts: list[str] = []
    at = 0
    for match in _PARTS.finditer(glob):
        parts.append(re.escape(glob[at : match.start()]))
        at = match.end()
        if match["any"]:
            parts.append("(?:.*/)?")
        elif match["rest"]:
            parts.append("/.*")
        elif match["star"]:
            parts.append("[^/]*")
        elif match["one"]:
            parts.append("[^/]")
        elif match["set"]:
            parts.append(f"[{'^' if match['not'] else ''}{match['set']}]")
        else:
            parts.append(re.escape(match["plain"]))
    return "".join([*parts, re.escape(glob[at:])])
