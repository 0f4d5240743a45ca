"""Graphs in the format of ONNX, and in that of its runtime: read from the file alone, with shapes that are inferred."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from cutaway.core.architecture import Architecture
from cutaway.core.contents import Contents
from cutaway.core.error import CutawayError, one_line
from cutaway.formats import protobuf, protobuf_text
from cutaway.formats.onnx import text_form

if TYPE_CHECKING:
    from cutaway.formats.graph.model import Model

_NUMBERS, _TEXTS, _MESSAGES = {1, 5}, {2, 3, 4, 6}, {7, 8, 14, 20, 25, 26}
_DOCUMENTATION = 6
_SYNTAX = re.compile(rb"(?:\s|#[^\n]*\n)*<\s*ir_version\s*:")
"""How a model begins in ONNX's own syntax."""
_SHORTEST = 4
_LATEST, _LONGEST = 1000, 1 << 20


def sniff(head: bytes) -> bool:
    """Tell whether a file that begins like this is a model: its first fields are a version, names, and messages."""
    if text_form.sniff(head) or _SYNTAX.match(head):
        return True
    at, versioned = 0, False
    try:
        while at < len(head):
            key, at = protobuf.varint(head, at)
            number, kind = key >> 3, key & 7
            value, at = protobuf.varint(head, at)
            if number in _NUMBERS and kind == protobuf.VARINT:
                if number == 1 and not 0 < value < _LATEST:
                    return False
                versioned = versioned or number == 1
            elif number in _TEXTS and kind == protobuf.BYTES:
                if value > _LONGEST or not _is_text(head[at : at + value], number == _DOCUMENTATION):
                    return False
                at += value
            elif number in _MESSAGES and kind == protobuf.BYTES:
                return versioned or (value > 1 and _begins_message(head[at:]))
            else:
                return False
    except protobuf.Malformed:
        return versioned and at > _SHORTEST
    return versioned and at > _SHORTEST


def _is_text(content: bytes, lines: bool) -> bool:
    return all(byte >= 32 or (lines and byte in b"\t\n\r") for byte in content)


def _begins_message(content: bytes) -> bool:
    """Tell whether a message begins with a node, a name, a tensor or a version, as a graph or an opset does."""
    return bool(content) and content[0] in (0x0A, 0x12, 0x2A, 0x10)


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the graph of a file."""
    # late: which reader a file is for is asked of all of them
    from cutaway.formats.graph.architecture import architecture
    from cutaway.formats.onnx.operators.table import RULES

    with _complete(path):
        return [architecture(_model(file), path, RULES, "onnx")]


def contents(file: BinaryIO, path: str, name: str = "") -> Contents:
    """Return what the graph of a file contains; its tensors can be read while the file is open."""
    # late: only code is made of it
    from cutaway.formats.graph import contents as graph_contents
    from cutaway.formats.onnx.operators.table import RULES

    with _complete(path):
        return graph_contents.contents(_model(file), path, RULES, "onnx")


def _model(file: BinaryIO) -> Model:
    from cutaway.formats.onnx.messages import read_model  # late: as above

    head = file.read(64)
    file.seek(0)
    if _SYNTAX.match(head):
        from cutaway.formats.onnx.syntax import read_text  # late: few files are written so

        return read_text(protobuf_text.content(file))
    return read_model(text_form.encoded(file) if text_form.sniff(head) else protobuf.opened(file))


@contextmanager
def _complete(path: str) -> Iterator[None]:
    try:
        yield
    except protobuf.Malformed as error:
        raise CutawayError(f"{path}: it is not a complete ONNX file: {one_line(str(error))}") from None
