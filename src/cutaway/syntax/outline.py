"""The statements of a module's body, found by their indentation without parsing it.

Most modules of a package are imported and never used. What has to be known of them, which names they bind and what
they execute when they are imported, is read off the lines that are not indented, for a hundredth of the cost of a parser.
"""

from __future__ import annotations

import re
from functools import cache

from cutaway.core.pattern import pattern
from cutaway.core.record import dataclass, field

IMPORT, FUNCTION, CLASS, DECORATOR, ASSIGNMENT, BLOCK, STATEMENT = (
    "import", "def", "class", "decorator", "assignment", "block", "statement")  # fmt: skip
"""Kinds of chunks; a block is the part of an `if`, `try`, `with`, `match` or loop under one header."""

_WORD = pattern(rb"\w+")
_HEADER_END = pattern(rb":[ \t]*(?:#[^\n]*)?(?:\n|$)")
_INDENTATION = pattern(rb"\n([ \t]+)[^\s#]")
_IMPORT = pattern(rb"\s*(?:from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+)?import[ \t]+(.*)", re.DOTALL)
_GLOBAL = pattern(rb"\n[ \t]+global[ \t]+([\w, \t]+)")
_COMMENT = pattern(rb"#[^\n]*")


@dataclass(slots=True)
class Chunk:
    """A statement, or a part of a compound one: its kind, the name that it binds, and where it is in the text."""

    kind: str
    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Import:
    """What an import statement binds a name to: a module, or an attribute of it."""

    module: str
    level: int
    attribute: str | None
    name: str


@dataclass(slots=True)
class Outline:
    """The body of a module, without its documentation; None for the chunks of a source that can't be outlined."""

    text: bytes
    chunks: list[Chunk]
    is_readable: bool
    reassigned: set[str] = field(default_factory=set)  # variables that functions assign
    names: dict[str, list[Chunk | Import]] = field(default_factory=dict)
    stars: list[tuple[str, int]] = field(default_factory=list)
    type_checking_stars: list[tuple[str, int]] = field(default_factory=list)  # which are not executed
    imports: dict[int, tuple[Import, ...]] = field(default_factory=dict)  # by where the statement starts

    def source(self, chunk: Chunk) -> bytes:
        """Return the text of a chunk."""
        return self.text[chunk.start : chunk.end]


def outline(source: bytes, statements: dict[bytes, tuple[Import, ...]]) -> Outline:
    """Return the outline of a module's source; `statements` are import statements of other modules, which it adds to."""
    text = _without_long_strings(b"\n" + source)
    if b"\\\n" in text:
        text = text.replace(b"\\\n", b" ")
    if b"\r" in source or b"\f" in source:
        return Outline(b"", [], False)
    result = Outline(text, chunks(text, 0, len(text), b""), True)
    _bind(result, result.chunks, result.stars, statements)
    if b" global " in text:
        for match in _GLOBAL.finditer(text):
            result.reassigned.update(match[1].decode(errors="replace").replace(",", " ").split())
    return result


def _without_long_strings(text: bytes) -> bytes:
    """Return a source without the contents of the strings that may span lines."""
    for quotes in (b'"""', b"'''"):
        if quotes not in text:
            continue
        parts = text.split(quotes)
        code, strings = parts[::2], parts[1::2]
        if len(parts) % 2 == 0 or any(part[-1:] == b"\\" for part in strings) or any(map(_ends_in_token, code[:-1])):
            return _LITERALS.sub(lambda match: b'""' if match[1] else match[0], text)
        text = b'""'.join(code)
    return text


_LITERALS = pattern(
    rb"""[rRbBuUfF]*(\"{3}|'{3})(?:\\.|(?!\1).)*\1|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\#[^\n]*""", re.DOTALL
)


def _ends_in_token(code: bytes) -> bool:
    """Tell whether the last line of some code may end inside of a string or a comment."""
    line = code[code.rfind(b"\n") + 1 :]
    return b"#" in line or line.count(b"'") % 2 == 1 or line.count(b'"') % 2 == 1 or b"\\" in line


TYPES_ONLY = pattern(rb"\s*if[ \t]+(?:typing\.)?TYPE_CHECKING[ \t]*:")


def _bind(
    result: Outline,
    parts: list[Chunk],
    stars: list[tuple[str, int]],
    statements: dict[bytes, tuple[Import, ...]],
) -> None:
    for chunk in parts:
        if chunk.kind == IMPORT:
            source = result.source(chunk)
            statement = statements.get(source)
            if statement is None:
                statement = statements[source] = imports(source)
            result.imports[chunk.start] = statement
            for imported in statement:
                if imported.attribute == "*":
                    stars.append((imported.module, imported.level))
                else:
                    result.names.setdefault(imported.name, []).append(imported)
        elif chunk.kind == BLOCK:
            is_for_types = TYPES_ONLY.match(result.text, chunk.start) is not None
            inner_stars = result.type_checking_stars if is_for_types else stars
            _bind(result, inner_chunks(result.text, chunk), inner_stars, statements)
        elif chunk.name:
            result.names.setdefault(chunk.name, []).append(chunk)


@cache
def _starts(indentation: bytes) -> re.Pattern[bytes]:
    return re.compile(
        rb"\n" + indentation + rb"(?=[^\s#)\]}])(?:((?:from|import)\b)|(?:async +)?(def|class) +(\w+)|(@)"
        rb"|([A-Za-z_]\w*)[ ]*(?::[^=\n]*)?=(?!=)"
        rb"|((?:if|elif|else|try|except|finally|for|while|with|match|case)\b)|([^\s#)\]}]))"
    )


_KINDS = {1: IMPORT, 4: DECORATOR, 5: ASSIGNMENT, 6: BLOCK, 7: STATEMENT}


def chunks(text: bytes, start: int, end: int, indentation: bytes) -> list[Chunk]:
    """Return the chunks of a part of a text that are indented in one way."""
    found: list[Chunk] = []
    chunk: Chunk | None = None
    for match in _starts(indentation).finditer(text, start, end):
        at, group = match.start() + 1, match.lastindex
        if chunk is not None:
            chunk.end = at
        if group == 3:
            chunk = Chunk(CLASS if match[2] == b"class" else FUNCTION, match[3].decode(), at, end)
        else:
            assert group is not None
            chunk = Chunk(_KINDS[group], match[5].decode() if group == 5 else "", at, end)
        found.append(chunk)
    return found


def inner_chunks(text: bytes, chunk: Chunk) -> list[Chunk]:
    """Return the chunks of the body of a class or of a block."""
    header = _HEADER_END.search(text, chunk.start, chunk.end)
    indentation = _INDENTATION.search(text, header.end() - 1 if header else chunk.end, chunk.end)
    if header is None or indentation is None:
        return []
    return chunks(text, header.end() - 1, chunk.end, indentation[1])


def header(text: bytes, chunk: Chunk) -> bytes | None:
    """Return the header of a function, a class or a block; None where its body is on the same line."""
    match = _HEADER_END.search(text, chunk.start, chunk.end)
    return None if match is None else text[chunk.start : match.start()]


_PLAIN_FUNCTION = rb"(?:async +)?def +\w+\([^()#]*\)(?:[ ]*->[^(:\n#]*)?[ ]*:[ \t]*(?:#[^\n]*)?(?:\n|\Z)"
_PLAIN_HEADER = pattern(rb"\s*" + _PLAIN_FUNCTION)


def has_plain_header(text: bytes, function: Chunk) -> bool:
    """Tell whether nothing is called in the header of a function: it has no other parentheses than its own."""
    return _PLAIN_HEADER.match(text, function.start, function.end) is not None


@cache
def _other_than_plain_members(indentation: bytes) -> re.Pattern[bytes]:
    literal = rb"""(?:-?[\d.]+|True|False|None|"[^"\n\\]*"|'[^'\n\\]*')"""
    return re.compile(
        rb"\n"
        + indentation
        + rb"(?=[^\s#)\]}])(?!"
        + _PLAIN_FUNCTION
        + rb"|(?:@(?:property|staticmethod|classmethod)|pass|r?\"\"|\w+[ ]*=[ ]*"
        + literal
        + rb")[ ]*(?:\n|\Z|\#))"
    )


def has_plain_body(text: bytes, cls: Chunk) -> bool:
    """Tell whether a class consists of functions with plain headers and of literals alone."""
    header = _HEADER_END.search(text, cls.start, cls.end)
    indentation = _INDENTATION.search(text, header.end() - 1 if header else cls.end, cls.end)
    if header is None or indentation is None:
        return False
    return _other_than_plain_members(indentation[1]).search(text, header.end() - 1, cls.end) is None


def imports(statement: bytes) -> tuple[Import, ...]:
    """Return what an import statement binds."""
    if b"#" in statement:
        statement = _COMMENT.sub(b"", statement)
    match = _IMPORT.match(statement)
    if match is None:
        return ()
    is_from = match[1] is not None
    module, level = (match[2].decode(), len(match[1])) if is_from else ("", 0)
    found = []
    for part in match[3].decode(errors="replace").replace("(", " ").replace(")", " ").split(","):
        words = part.split()
        if not words:
            continue
        name, bound = words[0], words[2] if len(words) == 3 else words[0]
        if is_from:
            found.append(Import(module, level, name, bound))
        else:
            whole = len(words) == 3
            found.append(Import(name if whole else name.partition(".")[0], 0, None, bound.partition(".")[0]))
            if not whole and "." in name:
                found.append(Import(name, 0, None, ""))
    return tuple(found)
