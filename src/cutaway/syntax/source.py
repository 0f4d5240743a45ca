"""Reading a source file: bytes to a syntax tree, with errors that name the place."""

from __future__ import annotations

import ast
import os
import warnings
from pathlib import Path

from cutaway.core.error import CutawayError

MAXIMUM_BYTES = 16 << 20


class SourceError(CutawayError):
    """A file that can't be read as Python; the message stands alone and names the place."""


def read(path: str) -> bytes:
    """Return the bytes of a source file."""
    try:
        if os.path.getsize(path) > MAXIMUM_BYTES:
            raise SourceError(f"{path}: too large to be read as source ({os.path.getsize(path):,} bytes)")
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise SourceError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise SourceError(f"{path}: is a directory, not a Python file") from None
    except OSError as error:
        raise SourceError(f"{path}: can't be read ({error.strerror})") from None


def parse(source: bytes, path: str) -> ast.Module:
    """Return the syntax tree of a source file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source, path)
    except SyntaxError as error:
        line = error.lineno or 0
        if "encod" in (error.msg or "") or "utf-8" in (error.msg or ""):
            raise SourceError(f"{path}: not a text file in the encoding it declares ({error.msg})") from None
        raise SourceError(f"{path}:{line}: syntax error: {error.msg}") from None
    except ValueError as error:
        raise SourceError(f"{path}: not Python source ({error})") from None
    except (RecursionError, MemoryError):
        raise SourceError(f"{path}: nested too deeply to be parsed") from None
