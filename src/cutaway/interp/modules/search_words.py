"""Words that tell which of the modules that were left may register what a program looked for in vain."""

from __future__ import annotations

import ast
import re

from cutaway.core.error import CutawayError, in_words, place_of
from cutaway.syntax import source

_QUOTED = re.compile(rb"""["']([\w./:-]{3,})["']""")
_WORD = re.compile(r"[\w./:-]*[A-Za-z_][\w./:-]*")


def quoted(text: bytes) -> set[bytes]:
    """Return the texts that are quoted in a source."""
    return set(_QUOTED.findall(text))


def sought(error: BaseException) -> set[bytes]:
    """Return the words in what a program raised that come from its values, not from the statement that raised it."""
    place = place_of(error)
    if place is None:
        return set()
    try:
        text = source.read(place.file)
        tree = source.parse(text, place.file)
    except CutawayError:
        return set()
    written = _statement(tree, place.line)
    if written is None or not (isinstance(written, ast.Raise) or isinstance(error, KeyError)):
        return set()
    lines = b"\n".join(text.splitlines()[written.lineno - 1 : written.end_lineno])
    _, _, message = in_words(error).partition(": ")
    words = {word.strip(".:-/").encode() for word in _WORD.findall(message)}
    return {word for word in words if len(word) > 2 and word not in lines}


def _statement(tree: ast.Module, line: int) -> ast.stmt | None:
    """Return the smallest statement that a line is in."""
    found: ast.stmt | None = None
    for node in ast.walk(tree):  # what is deeper comes later
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            found = node
    return found
