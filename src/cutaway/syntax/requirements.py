"""Which other packages an installed package may import, by what its distribution declares."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection

from cutaway.core import disk
from cutaway.syntax import source
from cutaway.syntax.source import SourceError

_MAX_FILES = 100
"""Files of a package that are searched for the names of what it requires only for some uses."""


class Requirements:
    """What installed packages may import; `folder_of` tells where a package is that was installed with a distribution."""

    def __init__(self, folder_of: Callable[[str], str | None]) -> None:
        self._folder_of = folder_of
        self._closures: dict[str, frozenset[str] | None] = {}
        self._optional: dict[str, frozenset[str]] = {}
        self._sources: dict[str, list[bytes] | None] = {}

    def may_import(self, package: str, others: Collection[str]) -> bool | None:
        """Tell whether a package may import one of some others, directly or not; None where it declares nothing."""
        return None if self._closure(package) is None else self._reaches(package, others, set())

    def _closure(self, package: str) -> frozenset[str] | None:
        """Return all that a package and its options require, directly or not; None where that is not declared."""
        if package not in self._closures:
            self._closures[package] = frozenset()  # of a circle
            folder = self._folder_of(package)
            declared = None if folder is None else disk.requirements(package, os.path.dirname(folder))
            if declared is None:
                self._closures[package] = None
            else:
                certain, optional = declared
                self._optional[package] = frozenset(optional)
                below = [self._closure(name) or frozenset() for name in (*certain, *optional)]
                self._closures[package] = frozenset((*certain, *optional)).union(*below)
        return self._closures[package]

    def _reaches(self, package: str, others: Collection[str], seen: set[str]) -> bool:
        closure = self._closure(package)
        if not closure or closure.isdisjoint(others) or package in seen:
            return False
        seen.add(package)
        folder = self._folder_of(package)
        certain, optional = disk.requirements(package, os.path.dirname(folder or "")) or ((), ())
        return any(name in others or self._reaches(name, others, seen) for name in certain) or any(
            (name in others or self._reaches(name, others, set(seen))) and self._is_mentioned(name, package)
            for name in optional
        )

    def _is_mentioned(self, requirement: str, package: str) -> bool:
        """Tell whether a package's source may import what it requires only for some uses, such as its own tests."""
        folder = self._folder_of(package) or ""
        names = disk.imported_names(requirement, os.path.dirname(folder))
        if package not in self._sources:
            self._sources[package] = _sources_below(folder)
        sources = self._sources[package]
        if names is None or sources is None:
            return True
        words = b"|".join(re.escape(name.encode()) for name in dict.fromkeys((requirement, *names)))
        imported = re.compile(rb"(?:(?:^|[;:])[ \t]*(?:import|from)\b(?:[^\n]|\\\n)*?\b|[\"'])(?:%b)\b" % words, re.M)
        return any(imported.search(text) is not None for text in sources)


def _sources_below(folder: str) -> list[bytes] | None:
    """Return the sources in a folder and those inside it; None where they are many, or one can't be read."""
    from glob import escape  # late: rarely needed

    paths = disk.matching(os.path.join(escape(folder), "**", "*.py"), True)
    try:
        return None if len(paths) > _MAX_FILES else [source.read(path) for path in paths]
    except SourceError:
        return None
