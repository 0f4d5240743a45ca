"""Problems as a JUnit report: a test case for each file, which fails where the file has problems."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from cutaway.core.problem import CheckedFile, Problem, Severity


def render(files: Sequence[CheckedFile]) -> str:
    """Return a report of one test suite."""
    failures = sum(bool(file.problems) for file in files)
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    counts = f'tests="{len(files)}" failures="{failures}" errors="0"'
    lines.append(f'<testsuites name="cutaway" {counts}>')
    lines.append(f'  <testsuite name="cutaway" {counts}>')
    for file in files:
        lines += _case(file)
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def _case(file: CheckedFile) -> list[str]:
    name = _attribute(file.path)
    if not file.problems:
        return [f'    <testcase classname="cutaway" name={name}/>']
    lines = [f'    <testcase classname="cutaway" name={name}>']
    for problem in file.problems:
        lines.append(
            f"      <failure type={_attribute(problem.code)} message={_attribute(problem.message)}>{_text(problem)}</failure>"
        )
    return [*lines, "    </testcase>"]


def _text(problem: Problem) -> str:
    level = "error" if problem.severity is Severity.ERROR else problem.severity.value
    lines = [f"{problem.file}:{problem.line}: {level}[{problem.code}] {problem.message}"]
    lines += [f"{note.place}: {note.text}" if note.place else note.text for note in problem.notes]
    return escape("\n".join(map(_printable, lines)))


def _attribute(text: str) -> str:
    return quoteattr(_printable(text))


def _printable(text: str) -> str:
    """Return a string without the characters that XML can't hold."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
