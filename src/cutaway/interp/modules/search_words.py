"""Words that tell which unevaluated modules may register what a program looked up in vain."""

from __future__ import annotations

import ast
import re

from cutaway.core.error import CutawayError, in_words, place_of
from cutaway.syntax import source

_QUOTED = re.compile(rb"""["']([\w./:-]{3,})["']""")
_WORD = re.compile(r"[\w./:-]*[A-Za-z_][\w./:-]*")


def quoted(text: bytes) -> set[bytes]:
    """Return the strings that are quoted in a source."""
    return set(_QUOTED.findall(text))


def looked_up(error: BaseException) -> set[bytes]:
    """Return the words in an exception's message that come from the program's values, not from its raise statement."""
    place = place_of(error)
    if place is None:
        return set()
    try:
        text = source.read(place.file)
        tree = source.parse(text, place.file)
    except CutawayError:
        return set()
    statement = _statement(tree, place.line)
    if statement is None or not (isinstance(statement, ast.Raise) or isinstance(error, KeyError)):
        return set()
    lines = b"\n".join(text.splitlines()[statement.lineno - 1 : statement.end_lineno])
    _, _, message = in_words(error).partition(": ")
    words = {word.strip(".:-/").encode() for word in _WORD.findall(message)}
    return {word for word in words if len(word) > 2 and word not in lines}


def _statement(tree: ast.Module, line: int) -> ast.stmt | None:
    """Return the smallest statement that contains a line."""
    smallest: ast.stmt | None = None
    for node in ast.walk(tree):  # inner statements come later
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            smallest = node
    return smallest
