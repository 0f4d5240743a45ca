"""Documents as Python source: the Python code blocks of a Markdown file, one after the other.

Each line of code keeps its number in the file. What can't be parsed is left out, with the line and the reason.
"""

from __future__ import annotations

import ast
import re
import warnings

from cutaway.core.pattern import pattern
from cutaway.core.record import dataclass

ENDINGS = (".md", ".markdown")

_FENCE = pattern(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[\w+-]*)")
_PYTHON = frozenset(("python", "py", "python3", "pycon"))
_PROMPT = pattern(r"(?:>>>|\.\.\.)(?: |$)")


@dataclass(frozen=True, slots=True)
class Document:
    """The source of a document, and the blocks that are left out because they can't be parsed: line and reason."""

    source: bytes
    skipped: tuple[tuple[int, str], ...]


def is_document(path: str) -> bool:
    """Tell whether a path is that of a document with code blocks."""
    return path.endswith(ENDINGS)


def read(content: bytes) -> Document:
    """Return the Python code of a document."""
    from textwrap import dedent  # late: few targets are documents

    lines = content.decode("utf-8", "replace").splitlines()
    source: dict[int, str] = {}
    skipped: list[tuple[int, str]] = []
    for first, block in _blocks(lines):
        code = _without_prompts(dedent("\n".join(block)).split("\n"))
        error = _syntax_error("\n".join(code))
        if error is None:
            source.update({first + offset: line for offset, line in enumerate(code)})
        else:
            skipped.append((first + (error.lineno or 1), f"the code block is not Python: {error.msg}"))
    text = "\n".join(source.get(number, "") for number in range(max(source, default=-1) + 1))
    return Document(f"{text}\n".encode() if text.strip() else b"", tuple(skipped))


def _blocks(lines: list[str]) -> list[tuple[int, list[str]]]:
    """Return the Python blocks of a document, each with the index of its first line."""
    blocks: list[tuple[int, list[str]]] = []
    opened: re.Match[str] | None = None
    start = 0
    for at, line in enumerate(lines):
        fence = _FENCE.match(line)
        if opened is None:
            if fence is not None:
                opened, start = fence, at + 1
        elif fence is not None and fence["fence"].startswith(opened["fence"]) and not fence["language"]:
            if opened["language"].lower() in _PYTHON:
                blocks.append((start, lines[start:at]))
            opened = None
    return blocks


def _without_prompts(lines: list[str]) -> list[str]:
    """Return the lines of a console session that are typed; other code as it is."""
    if not any(line.startswith(">>>") for line in lines):
        return lines
    return [line[4:] if _PROMPT.match(line) else "" for line in lines]


def _syntax_error(text: str) -> SyntaxError | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxError(str(error))
    return None
