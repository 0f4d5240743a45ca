"""`.gitignore`: which files of a folder are left out.

The files come with the project, which may be hostile: patterns are compared without backtracking, and all of it has a limit.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from cutaway.core import disk
from cutaway.core.error import CutawayError
from cutaway.core.record import dataclass, field

NAME = ".gitignore"
_LARGEST = 1 << 20
_MOST_SECONDS = 10.0  # of processor time, for all ignore files together


class Effort:
    """How long the ignore files of one run have taken."""

    def __init__(self) -> None:
        self._seconds = 0.0

    @contextmanager
    def spent_on(self, folder: str) -> Iterator[None]:
        """Count the time of a block; raise where all of them take too long."""
        before = time.process_time()
        yield
        self._seconds += time.process_time() - before
        if self._seconds > _MOST_SECONDS:
            raise CutawayError(
                f"{os.path.join(folder, NAME)}: comparing paths with its patterns takes too long; name the files to check"
            )


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file: a test for each part of a path relative to the folder of that file, None for any parts."""

    parts: tuple[re.Pattern[str] | None, ...]
    excludes: bool
    only_folders: bool

    def matches(self, path: Sequence[str]) -> bool:
        """Tell whether the pattern matches the parts of a path.

        It is enough to go back to the last `**`: what the ones before it have skipped can stay as short as it is.
        """
        at, tested, skipping, skipped = 0, 0, -1, 0
        while at < len(path):
            test = self.parts[tested] if tested < len(self.parts) else _NOTHING
            if test is None:
                skipping, skipped = tested, at
                tested += 1
            elif test.fullmatch(path[at]):
                at, tested = at + 1, tested + 1
            elif skipping >= 0:
                skipped += 1
                at, tested = skipped, skipping + 1
            else:
                return False
        return all(test is None for test in self.parts[tested:])


@dataclass(frozen=True, slots=True)
class Ignored:
    """The ignore files that apply in a folder, the outermost first; of the patterns that match a path, the last decides."""

    files: tuple[tuple[str, tuple[Pattern, ...]], ...] = ()
    effort: Effort = field(default_factory=Effort)

    def below(self, folder: str) -> Ignored:
        """Return what applies in a folder: its own ignore file as well."""
        try:
            text = disk.content(os.path.join(folder, NAME), _LARGEST).decode("utf-8", "replace")
        except OSError:
            return self
        with self.effort.spent_on(folder):
            patterns = parse(text.splitlines())
        return Ignored((*self.files, (os.path.abspath(folder), patterns)), self.effort)

    def leaves_out(self, path: str, is_folder: bool) -> bool:
        """Tell whether a path is left out; that of a folder which is not was asked before."""
        answer = False
        for folder, patterns in self.files:
            relative = os.path.relpath(os.path.abspath(path), folder).split(os.sep)
            with self.effort.spent_on(folder):
                for pattern in patterns:
                    if (is_folder or not pattern.only_folders) and pattern.matches(relative):
                        answer = pattern.excludes
        return answer


def parse(lines: Iterable[str]) -> tuple[Pattern, ...]:
    """Return the patterns of an ignore file."""
    return tuple(pattern for line in lines if (pattern := _pattern(line)) is not None)


def _pattern(line: str) -> Pattern | None:
    bare = line.rstrip(" ")
    line = bare + line[len(bare) : len(bare) + 1] if bare.endswith("\\") else bare
    if not line or line.startswith("#"):
        return None
    excludes = not line.startswith("!")
    line = line.removeprefix("!")
    only_folders = line.endswith("/")
    line = line.rstrip("/")
    globs = line.removeprefix("/").split("/")
    parts: list[re.Pattern[str] | None] = [] if "/" in line or line == "**" else [None]
    try:
        parts += [None if glob == "**" else re.compile(_expression(glob)) for glob in globs]
    except (re.error, OverflowError, RecursionError):
        return None
    if parts[-1] is None:
        parts.append(_ANYTHING)  # what is in a folder, not the folder
    return Pattern(tuple(parts), excludes, only_folders)


_PARTS = re.compile(r"(?P<star>\*+)|(?P<one>\?)|\[(?P<not>[!^]?)(?P<set>[^]]+)\]|\\(?P<plain>.)", re.DOTALL)
_ANYTHING, _NOTHING = re.compile(".*", re.DOTALL), re.compile("(?!)")


def _expression(glob: str) -> str:
    """Return the regular expression of a pattern of names.

    What stands between two stars is found where it occurs first, and not looked for again: otherwise the time could grow
    exponentially with the number of stars.
    """
    runs: list[list[str]] = [[]]  # what is between stars
    at = 0
    for match in _PARTS.finditer(glob):
        runs[-1].append(re.escape(glob[at : match.start()]))
        at = match.end()
        if match["star"]:
            runs.append([])
        elif match["one"]:
            runs[-1].append(".")
        elif match["set"]:
            members = "".join(letter if letter == "-" else re.escape(letter) for letter in match["set"])
            runs[-1].append(f"[{'^' if match['not'] else ''}{members}]")
        else:
            runs[-1].append(re.escape(match["plain"]))
    runs[-1].append(re.escape(glob[at:]))
    first, *between = ["".join(run) for run in runs]
    if not between:
        return f"(?s:{first})"
    last = between.pop()
    found = "".join(f"(?=(?P<g{number}>.*?{run}))(?P=g{number})" for number, run in enumerate(between) if run)
    return f"(?s:{first}{found}.*{last})"
