"""A source file whose function bodies are parsed when they are first read.

Most functions of a package are never called. Their bodies are found by their indentation and left out of
the source that is parsed; the syntax tree holds a `Body` in their place, which parses itself. Only strings,
comments and line ends outside of the bodies are scanned, and strings inside of them where one may hide
the end. Where the source does not parse without the bodies, it is parsed as a whole.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, SupportsIndex

from cutaway.core.pattern import pattern

_MIN_BODY = 80  # characters of a body; to leave out less costs more than it saves
_STRINGS = r'"""|\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|\#[^\n]*'
_OUTSIDE = pattern(rf"\n(?P<indent> *)(?:async +)?def +\w+|{_STRINGS}", re.DOTALL)
_SIMPLE_HEADER = pattern(r"\([^()#\"'\[\]{}]*\)(?: *-> *[\w.]+)? *:")
_HEADER = pattern(rf"[()\[\]{{}}:]|{_STRINGS}", re.DOTALL)
_REST_OF_LINE = pattern(r" *(?:#[^\n]*)?(?=\n)")
_DOCUMENTATION = pattern(r"(?:\s|#[^\n]*\n)*[rRuU]?(\"\"\"|''')")


class Body(list[ast.stmt]):
    """The statements of a function, parsed when they are first read."""

    def __init__(self, text: str, start: int, end: int, line: int, indented: bool, documentation: str | None) -> None:
        super().__init__()
        self._source: tuple[str, int, int, int, bool] | None = (text, start, end, line, indented)
        self.documentation = documentation

    def _parsed(self) -> list[ast.stmt]:
        if self._source is not None:
            text, start, end, line, indented = self._source
            self._source = None
            above = "\n" * (line - 2) + "if 1:\n" if indented else "\n" * (line - 1)
            tree: Any = ast.parse(above + text[start:end] + "\n").body[0]
            super().extend((tree.body[0] if indented else tree).body)
        return self

    def mentions(self, *words: str) -> bool:
        """Tell whether one of these words occurs in the source."""
        if self._source is None:
            return True
        text, start, end = self._source[:3]
        return any(text.find(word, start, end) >= 0 for word in words)

    def __iter__(self) -> Iterator[ast.stmt]:
        self._parsed()
        return super().__iter__()

    def __len__(self) -> int:
        self._parsed()
        return super().__len__()

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        self._parsed()
        return super().__getitem__(index)


def documentation(node: Any) -> str | None:
    """Return the docstring of a module, class or function, without parsing a body for it."""
    return node.body.documentation if type(node.body) is Body else ast.get_docstring(node, clean=False)


def parse(source: bytes, path: str) -> ast.Module:
    """Return the syntax tree of a source, or raise what `ast.parse` raises."""
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError:
        return ast.parse(source, path)
    if not (_has_other_lines(text) or b"coding" in source[:200]):
        text = f"\n{text}"
        left_out = list(_bodies(text))
        if left_out:
            tree = _parse_without(text, left_out, path)
            if tree is not None:
                return tree
    return ast.parse(source, path)


def _has_other_lines(text: str) -> bool:
    """Tell whether lines end, or are indented, with anything but line feeds and spaces."""
    return "\t" in text or "\r" in text or "\f" in text or text.startswith("\ufeff")


def _parse_without(text: str, left_out: list[tuple[int, int, int, int]], path: str) -> ast.Module | None:
    """Parse a source without these bodies; None if that fails."""
    parts: list[str] = []
    at = line = 0
    bodies: dict[int, Body] = {}
    counted_to = 0
    for start, cut, end, indent in left_out:
        line += text.count("\n", counted_to, start + 1)
        counted_to = start + 1
        parts.append(text[at:cut])
        if text[cut - 1] == ":":
            parts.append("0")
        parts.append("\n" * text.count("\n", cut, end))
        bodies[line] = Body(text, start + 1, end, line, indent > 0, None)
        at = end
    parts.append(text[at:])
    try:
        tree = ast.parse("".join(parts)[1:], path)
    except (SyntaxError, RecursionError, MemoryError):
        return None
    _insert_bodies(tree, bodies)
    return None if bodies else tree


def _insert_bodies(tree: ast.Module, bodies: dict[int, Body]) -> None:
    """Give the functions of a tree their bodies, and remove these from the table."""
    pending: list[Any] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno in bodies:
            body = bodies.pop(node.lineno)
            body.documentation = ast.get_docstring(node, clean=False)
            node.body = body
        elif hasattr(node, "body") and type(node.body) is list:
            pending.extend(node.body)
            for more in ("orelse", "handlers", "finalbody"):
                pending.extend(getattr(node, more, ()))


def _bodies(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield where functions start, where the part that is parsed ends, where they end, and their indentation."""
    at = 0
    while (match := _OUTSIDE.search(text, at)) is not None:
        at = match.end()
        if match["indent"] is None:
            at = _after(text, match)
            continue
        start, indent = match.start(), len(match["indent"])
        colon = _end_of_header(text, at)
        at = colon
        rest = _REST_OF_LINE.match(text, colon)
        if rest is None:  # the body is on the same line
            continue
        at, cut = rest.end(), colon
        docstring = _DOCUMENTATION.match(text, at)
        if docstring is not None:
            at = cut = _end_of_string(text, docstring[1], docstring.end())
            if _REST_OF_LINE.match(text, at) is None:  # it is part of an expression
                continue
        end = _end_of_body(text, at, indent)
        if end - cut >= _MIN_BODY:
            yield start, cut, end, indent
            at = end


def _end_of_header(text: str, at: int) -> int:
    simple = _SIMPLE_HEADER.match(text, at)
    if simple is not None:
        return simple.end()
    depth = 0
    while (match := _HEADER.search(text, at)) is not None:
        at = _after(text, match)
        mark = match[0]
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        elif mark == ":" and depth == 0:
            return at
    return len(text)


def _end_of_body(text: str, at: int, indent: int) -> int:
    """Return where the first line starts that is indented no deeper than the function's own."""
    plain, careful = _line_ends(indent)
    match = plain.search(text, at)
    end = len(text) if match is None else match.start()
    if text.count('"""', at, end) % 2 == 0 and text.count("'''", at, end) % 2 == 0:
        return end
    while (match := careful.search(text, at)) is not None:
        if text[match.start()] == "\n":
            return match.start()
        at = _after(text, match)
    return len(text)


@cache
def _line_ends(indent: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    end = rf"\n(?! {{{indent + 1}}}| *(?:\n|#|\Z))"
    return re.compile(end), re.compile(f"{end}|{_STRINGS}", re.DOTALL)


def _after(text: str, match: re.Match[str]) -> int:
    """Return where a string, comment or mark ends."""
    mark = match[0]
    return _end_of_string(text, mark, match.end()) if mark in ('"""', "'''") else match.end()


def _end_of_string(text: str, mark: str, at: int) -> int:
    while (end := text.find(mark, at)) >= 0:
        backslashes = end
        while text[backslashes - 1] == "\\":
            backslashes -= 1
        if (end - backslashes) % 2 == 0:
            return end + 3
        at = end + 1
    return len(text)
