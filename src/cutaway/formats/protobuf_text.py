"""The text form of Protocol Buffers: encoded by small tables of fields as the binary form, which one reader then reads."""

from __future__ import annotations

import codecs
import re
import struct
from collections.abc import Iterator, Mapping
from typing import BinaryIO, TypeAlias

from cutaway.core.record import dataclass
from cutaway.formats import protobuf
from cutaway.formats.protobuf import Malformed

_LARGEST = 256 << 20
_DEEPEST = 60
_TOKEN = re.compile(
    rb"""\s+|\#[^\n]*|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<mark>[{}<>:;,\[\]])|(?P<word>[A-Za-z0-9_.+/-]+)"""
)
_Token: TypeAlias = tuple[str, bytes, int]


@dataclass(frozen=True, slots=True)
class Schema:
    """The fields of messages that are read: their numbers, and what is in them. Others are left out.

    In a field are `text`, `int`, `bool`, `float`, `double`, another message, or one of a list of words that stand for numbers.
    """

    messages: Mapping[str, Mapping[str, tuple[int, str]]]
    words: Mapping[str, Mapping[str, int]]


def content(file: BinaryIO) -> bytes:
    """Return a text as a whole, unless it is larger than any that someone wrote."""
    text = file.read(_LARGEST + 1)
    if len(text) > _LARGEST:
        raise Malformed(f"a text of more than {_LARGEST:,} bytes")
    return text


def encoded(text: bytes, kind: str, schema: Schema) -> bytes:
    """Return the binary form of a message; inner messages are encoded when they end."""
    stack: list[tuple[str, int, bytearray, str]] = [(kind, 0, bytearray(), "")]
    name = ""
    listed = False
    for sort, token, at in _joined(_tokens(text)):
        message, _, made, _ = stack[-1]
        number, inner = schema.messages.get(message, {}).get(name, (0, ""))
        if sort != "mark":
            if number:
                made.extend(_scalar(number, inner, sort, token, at, schema))
            if not name and sort != "word":
                raise Malformed(f"byte {at}: the name of a field was expected")
            name = name if listed else "" if name else token.decode("ascii", "replace")
        elif token in b"{<":
            if len(stack) > _DEEPEST:
                raise Malformed(f"byte {at}: messages are nested too deeply")
            stack.append((inner if inner in schema.messages else "", number, bytearray(), name if listed else ""))
            name, listed = "", False
        elif token in b"}>":
            if len(stack) == 1:
                raise Malformed(f"byte {at}: a message ends that has not begun")
            _, number, content_of, name = stack.pop()
            listed = bool(name)
            if number:
                stack[-1][2].extend(protobuf.text(number, bytes(content_of)))
        elif token in b"[]":
            listed = token == b"["
            name = name if listed else ""
    if len(stack) > 1:
        raise Malformed("the text is cut off")
    return bytes(stack[0][2])


def _tokens(text: bytes) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise Malformed(f"byte {at}: unexpected {text[at : at + 1]!r}")
        at = found.end()
        if found.lastgroup is not None:
            yield found.lastgroup, found[0], found.start()


def _joined(tokens: Iterator[_Token]) -> Iterator[_Token]:
    """Yield tokens, with the values of strings; strings that follow each other are one."""
    parts: list[bytes] = []
    start = 0
    for sort, token, at in tokens:
        if sort == "text":
            start = start if parts else at
            parts.append(_string(token, at))
            continue
        if parts:
            yield "text", b"".join(parts), start
            parts = []
        yield sort, token, at
    if parts:
        yield "text", b"".join(parts), start


def _string(token: bytes, at: int) -> bytes:
    try:
        made: bytes = codecs.escape_decode(token[1:-1])[0]  # type: ignore[attr-defined]
    except ValueError:
        raise Malformed(f"byte {at}: a string has an escape that does not exist") from None
    return made


def _scalar(number: int, kind: str, sort: str, token: bytes, at: int, schema: Schema) -> bytes:
    if kind == "text":
        if sort != "text":
            raise Malformed(f"byte {at}: a string was expected")
        return protobuf.text(number, token)
    word = token.decode("ascii", "replace")
    if kind == "bool":
        return protobuf.number(number, int(word in ("true", "True", "1", "t")))
    if kind in schema.words and not word.lstrip("-").isdigit():
        return protobuf.number(number, schema.words[kind].get(word, 0))
    if kind == "int" or kind in schema.words:
        if not re.fullmatch(r"-?\d{1,20}|-?0x[0-9a-fA-F]{1,16}", word):
            raise Malformed(f"byte {at}: a whole number was expected")
        return protobuf.number(number, int(word, 0 if "x" in word else 10))
    if kind in ("float", "double"):
        try:
            real = float(word.rstrip("fF") if word[-1:] in "fF" and word[:-1].strip("+-.0123456789eE") == "" else word)
            return protobuf.single(number, real) if kind == "float" else protobuf.double(number, real)
        except (ValueError, OverflowError, struct.error):
            raise Malformed(f"byte {at}: a number was expected") from None
    raise Malformed(f"byte {at}: a message was expected")
