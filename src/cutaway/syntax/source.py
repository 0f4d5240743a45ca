"""Reading a source file: bytes to a syntax tree, with errors that name the place."""

from __future__ import annotations

import ast
import os
import re
import stat
import warnings
from typing import Any

from cutaway.core import disk
from cutaway.core.error import CutawayError, one_line
from cutaway.core.pattern import pattern
from cutaway.core.speed import is_on
from cutaway.syntax import lazy_parse, markdown, notebook
from cutaway.syntax.suggestions import file_suggestion

MAXIMUM_BYTES = 16 << 20
_RELATIVE_IMPORT = pattern(rb"^[ \t]*from[ \t]+(\.+)[\w. \t]*[ \t]+import\b", re.MULTILINE)
_ENDINGS = ("", ".py", ".pyw", ".pyi", notebook.ENDING)
_PIPE_SECONDS = 30.0  # how long a pipe may be silent
_OPENING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class SourceError(CutawayError):
    """A file that can't be read as Python; the message is complete and names the place."""


def read(path: str) -> bytes:
    """Return the source in a file: its bytes, or the code of a notebook or a document."""
    text = content(path)
    if markdown.is_document(path):
        return markdown.read(text).source
    return notebook.read(text, path).source if notebook.is_notebook(path) else text


def relative_levels(source: bytes) -> int:
    """Return by how many folders the relative imports of a source go up, 0 where it has none."""
    return max((len(match[1]) for match in _RELATIVE_IMPORT.finditer(source)), default=0)


def content(path: str) -> bytes:
    """Return the bytes of a file."""
    try:
        descriptor = os.open(path, _OPENING)
        with open(descriptor, "rb", buffering=0) as file:
            status = os.fstat(descriptor)
            mode = status.st_mode
            if stat.S_ISDIR(mode):
                raise IsADirectoryError
            read = _read(file, path, status.st_size)
            disk.was_read(path, read)
            if not stat.S_ISREG(mode):
                disk.unrepeatable()
            return read
    except FileNotFoundError:
        raise SourceError(f"{path}: no such file{file_suggestion(path)}") from None
    except IsADirectoryError:
        raise SourceError(
            f"{path}: is a folder without a config.json; `cutaway show` lists the networks in it"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"{path}: can't be read ({reason})") from None


def _read(file: Any, path: str, expected: int) -> bytes:
    """Read a bounded number of bytes to the end, which is expected after some; wait for a pipe."""
    parts: list[bytes] = []
    remaining = MAXIMUM_BYTES
    while True:
        part = file.read(min(max(expected, 1 << 12), 1 << 20))
        if part is None:  # nothing yet
            import select  # late: files need no waiting

            if not select.select([file], [], [], _PIPE_SECONDS)[0]:
                raise SourceError(f"{path}: no data arrives from it")
            continue
        if not part:
            return b"".join(parts)
        parts.append(part)
        remaining -= len(part)
        if remaining < 0:
            raise SourceError(f"{path}: too large to be source: more than {MAXIMUM_BYTES:,} bytes")


_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_SAVED = {
    b"\x89HDF": "an HDF5 file",
    b"PK\x03\x04": "a zip archive, as saved networks are",
    b"\x80\x02": "a pickle",
    b"\x1f\x8b": "compressed with gzip",
    b"\x7fELF": "compiled code",
    b"\x89PNG": "an image",
}


def parse(source: bytes, path: str, whole: bool = True) -> ast.Module:
    """Return the syntax tree of a source file; unless it is parsed as a `whole`, functions may be parsed later."""
    if b"\0" in source:
        raise SourceError(f"{path}: not Python source: {_describe_content(source)}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            is_whole = whole or not is_on("lazy-bodies")
            tree = ast.parse(source, path) if is_whole else lazy_parse.parse(source, path)
    except SyntaxError as error:
        raise SourceError(_syntax_error_message(error, source, path)) from None
    except ValueError as error:
        raise SourceError(f"{path}: not Python source ({one_line(str(error))})") from None
    except (RecursionError, MemoryError):
        raise SourceError(f"{path}: nested too deeply to be parsed") from None
    if _is_notebook(tree):
        raise SourceError(f"{path}: is a notebook; give it a name that ends in {notebook.ENDING}")
    return tree


def _describe_content(source: bytes) -> str:
    if source.startswith(_UTF_16):
        return "it is encoded in UTF-16; save it in UTF-8"
    return next(
        (f"it is {what}" for start, what in _SAVED.items() if source.startswith(start)), "it contains null bytes"
    )


def _syntax_error_message(error: SyntaxError, source: bytes, path: str) -> str:
    """Return what is wrong with a source, and in which line."""
    reason = error.msg or "invalid syntax"
    if "unknown encoding" in reason or "encoding problem" in reason:
        return f"{path}: its first lines declare an unknown encoding ({reason})"
    if "codec can't decode" in reason or "utf-8" in reason.casefold():
        problem = _describe_content(source) if source.startswith((*_UTF_16, *_SAVED)) else "it is not encoded in UTF-8"
        return f"{path}:{_undecodable_line(source)}: not Python source: {problem}, and declares no other encoding"
    place = f"{path}:{error.lineno}" if error.lineno else path
    hint = "; it is written for Python 2" if reason.startswith("Missing parentheses in call to 'print'") else ""
    if os.path.splitext(path)[1].lower() not in _ENDINGS and not markdown.is_document(path):
        return f"{place}: neither a saved model of a known format nor Python source ({reason}{hint})"
    return f"{place}: syntax error: {reason}{hint}"


def _undecodable_line(source: bytes) -> int:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        return source.count(b"\n", 0, error.start) + 1
    return 1


def _is_notebook(tree: ast.Module) -> bool:
    """Tell whether a file is one JSON object with cells, which Python can read as an expression."""
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr) or not isinstance(tree.body[0].value, ast.Dict):
        return False
    keys = {key.value for key in tree.body[0].value.keys if isinstance(key, ast.Constant)}
    return {"cells", "nbformat"} <= keys
