"""Markdown files as tests: the code and the expectations below each heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_HEADING = re.compile(r"(#+) +(.*\S)")
_LABEL = re.compile(r"`?([\w./-]+\.\w+)`?:")
_DIRECTIVE = re.compile(r"([a-z][a-z ]*): +(\S.*)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the file name written in front of it, its text and where that begins."""

    language: str
    label: str | None
    text: str
    line: int


@dataclass(slots=True)
class Case:
    """What stands below one heading: directives (`key: value` lines), fenced blocks, and where it is."""

    title: str
    file: Path
    line: int
    directives: list[tuple[str, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The case as pytest shows it."""
        return f"{self.file.stem}: {self.title}"

    def directive(self, key: str) -> str | None:
        """Return the value of a directive that may stand once."""
        found = [value for name, value in self.directives if name == key]
        if len(found) > 1:
            raise ValueError(f"{self.file}:{self.line}: {key} stands {len(found)} times")
        return found[0] if found else None

    def sources(self, main: str) -> dict[str, str]:
        """Return the files of the case: each labelled block, and under `main` the Python block without a label."""
        files: dict[str, str] = {}
        for block in self.blocks:
            name = block.label or (main if block.language == "python" else None)
            if name is None:
                continue
            if name in files:
                raise ValueError(f"{self.file}:{block.line}: {name} is given twice")
            files[name] = block.text
        return files


def read(folder: Path) -> list[Case]:
    """Return the cases of every Markdown file in a folder but its README."""
    paths = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    return [case for path in paths for case in parse(path) if case.blocks]


def parse(path: Path) -> Iterator[Case]:
    """Yield what stands below each heading of a Markdown file."""
    case = Case("", path, 1)
    label: str | None = None
    lines = iter(enumerate(path.read_text(encoding="utf-8").splitlines(), 1))
    for number, line in lines:
        if heading := _HEADING.fullmatch(line):
            yield case
            case = Case(heading[2], path, number)
        elif line.startswith("```"):
            block = []
            for _, inner in lines:
                if inner.startswith("```"):
                    break
                block.append(inner)
            else:
                raise ValueError(f"{path}:{number}: a block that does not end")
            case.blocks.append(Block(line[3:].strip(), label, "\n".join(block) + "\n", number + 1))
            label = None
        elif found := _LABEL.fullmatch(line.strip()):
            label = found[1]
        elif found := _DIRECTIVE.fullmatch(line):
            case.directives.append((found[1], found[2]))
    yield case
