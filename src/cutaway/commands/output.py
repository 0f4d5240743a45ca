"""What a command leaves behind: output, whole or not at all, and its exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TextIO

from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError
from cutaway.core.message import print_message
from cutaway.core.pattern import pattern
from cutaway.core.progress import PROGRESS
from cutaway.isolation.channel import CHANNEL, RESULT
from cutaway.isolation.files import write_file


def write(text: str | bytes, path: str | None, has_colours: bool = False) -> None:
    """Write a result to a file, or to standard output where no path is given."""
    PROGRESS.clear()
    if path is None:
        _print(text if isinstance(text, bytes) else _obeyed_by_nobody(text, has_colours))
        return
    content = _obeyed_by_nobody(text, has_colours).encode() if isinstance(text, str) else text
    if CHANNEL.sealed:
        CHANNEL.send(RESULT, content)  # to the parent, which was told the path
        return
    try:
        write_file(content, path)
    except OSError as error:
        raise CutawayError(f"{path}: can't be written ({error.strerror})") from None


def _print(text: str | bytes) -> None:
    try:
        if isinstance(text, bytes):
            sys.stdout.buffer.write(text)
        else:
            sys.stdout.write(encodable(text, sys.stdout))
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # the reader has seen enough
    except OSError as error:
        raise CutawayError(f"standard output can't be written ({error.strerror})") from None


_CONTROLS = pattern("[\\x00-\\x08\\x0b-\\x1f\\x7f]")


def _obeyed_by_nobody(text: str, has_colours: bool) -> str:
    """Return text without characters that a terminal obeys, other than line breaks and, if it shows them, colours."""
    if text.isascii() and not _CONTROLS.search(text):
        return text
    kept = "\n\t\x1b" if has_colours else "\n\t"
    if text.translate(dict.fromkeys(map(ord, kept))).isprintable():
        return text
    return "".join(
        letter if letter in kept or letter.isprintable() else letter.encode("unicode_escape", "surrogatepass").decode()
        for letter in text
    )


def encodable(text: str, stream: TextIO) -> str:
    """Return text in the characters that a stream can encode; others are written as their numbers."""
    encoding = getattr(stream, "encoding", None) or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text


def exit_code(options: argparse.Namespace, found: Iterable[Architecture], otherwise: int = 0) -> int:
    """Return 1 if a network has faults, or with --strict if something in it is unknown."""
    from cutaway.passes.completeness import incompleteness  # late: --help needs none of it

    networks = list(found)
    if any(architecture.diagnostics for architecture in networks):
        return 1
    if options.strict and any(incompleteness(architecture) for architecture in networks):
        return 1
    return otherwise


def warn(found: Iterable[Architecture], options: argparse.Namespace) -> None:
    """Print which networks are incomplete, for output that has no place for it; not with --quiet."""
    if options.quiet:
        return
    from cutaway.passes.completeness import all_incompleteness  # late: --help needs none of it

    for line in all_incompleteness(found):
        print_message(line)
