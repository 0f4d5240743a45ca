"""Zip archives: members that readers disagree about, and the content of each as a loader would see it."""

from __future__ import annotations

import bz2
import lzma
import os
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from cutaway.core.error import one_line
from cutaway.scan import hidden_pickles
from cutaway.scan.finding import RUNS, Report
from cutaway.scan.streams import Unpacked, Window, inflated

RULE = "zip"
LOCAL = b"PK\x03\x04"
_HEADER = struct.Struct("<4s5H3I2H")
_FILE_KIND, _LINK_KIND, _SECOND_NAME = 0o170000, 0o120000, 0x7075
_LARGEST = 128 << 20
_MOST = 100_000
_END, _END_SIZE, _LONGEST_END = b"PK\x05\x06", 22, 1 << 17


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive: its name and its content, as a file."""

    name: str
    content: Any


def members(file: BinaryIO, report: Report, inner: str) -> Iterator[Member]:
    """Yield the members of an archive, and enter what is odd about it."""
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()[:_MOST]
    except (zipfile.BadZipFile, zipfile.LargeZipFile, OSError, ValueError, RuntimeError, NotImplementedError) as error:
        report.add(RUNS, RULE, f"the directory of the archive is damaged ({one_line(str(error))})", inner)
        yield from _by_local_headers(file)
        return
    if b"PK" in archive.comment or (not entries and _starts_with_member(file)):
        report.add(RUNS, RULE, "it has several directories: readers may differ in which one they take", inner)
        yield from _by_local_headers(file)
    _check_names([entry.filename for entry in entries], report, inner)
    first = min((entry.header_offset for entry in entries), default=0)
    file.seek(0)
    if first > 0 and file.read(4) == LOCAL:  # several archives, one behind the other, as distributed checkpoints are
        yield from _by_local_headers(file, first)
    elif first > 0:
        words = f"there are {first:,} bytes before the archive: it may be a file of another kind too"
        report.add(RUNS, RULE, words, inner)
    _check_rest(file, archive.comment, report, inner)
    for entry in entries:
        if entry.filename.endswith("/"):
            continue
        _check_entry(entry, report, inner)
        local, kind, packed = _content(file, entry.header_offset, entry.compress_size)
        if local is None:
            report.add(RUNS, RULE, f"{one_line(entry.filename)} has no header where the directory says", inner)
            continue
        if kind != entry.compress_type:
            words = (
                f"{one_line(entry.filename)} is packed in one way by its own header, and in another by the directory"
            )
            report.add(RUNS, RULE, words, inner)
        if local != entry.filename and local.replace("\\", "/") != entry.filename:
            words = f"{one_line(entry.filename)} is called {one_line(local)} in its own header"
            report.add(RUNS, RULE, words, inner)
        if entry.flag_bits & 1:
            report.add(RUNS, RULE, f"{one_line(entry.filename)} is marked as encrypted", inner)
        content = _unpacked(packed, entry.compress_type)
        if content is None:
            words = f"{one_line(entry.filename)} is packed in way {entry.compress_type}, which is not looked into"
            report.add(RUNS, RULE, words, inner)
        else:
            yield Member(entry.filename, content)


def _check_entry(entry: zipfile.ZipInfo, report: Report, inner: str) -> None:
    """Enter a member that is a link, or that has a second name which some readers take."""
    if (entry.external_attr >> 16) & _FILE_KIND == _LINK_KIND:
        report.add(
            RUNS, RULE, f"{one_line(entry.filename)} is a link: what is unpacked through it may lie elsewhere", inner
        )
    extra, at = entry.extra, 0
    while at + 4 <= len(extra):
        number, size = struct.unpack_from("<HH", extra, at)
        if number == _SECOND_NAME and size > 5:
            name = extra[at + 9 : at + 4 + size].decode("utf-8", "replace")
            if name != entry.filename:
                report.add(RUNS, RULE, f"{one_line(entry.filename)} is also called {one_line(name)}", inner)
        at += 4 + size


def _check_rest(file: BinaryIO, comment: bytes, report: Report, inner: str) -> None:
    """Enter what is in the comment of an archive, and behind its end."""
    hidden_pickles.scan(comment, report, inner, "the comment")
    size = file.seek(0, os.SEEK_END)
    start = max(0, size - _LONGEST_END)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(_END)
    behind = size - (start + at + _END_SIZE + len(comment)) if at >= 0 else 0
    if behind > 0:
        report.add(RUNS, RULE, f"there are {behind:,} bytes behind the archive, which another reader may take", inner)
        hidden_pickles.scan(tail[-behind:], report, inner, "behind the archive")


def _starts_with_member(file: BinaryIO) -> bool:
    file.seek(0)
    return file.read(4) == LOCAL


def _check_names(names: list[str], report: Report, inner: str) -> None:
    seen: dict[str, str] = {}
    for name in names:
        key = name.replace("\\", "/").casefold()
        if key in seen:
            same = (
                "twice"
                if seen[key] == name
                else f"and also {one_line(seen[key])}, which some systems take for the same"
            )
            report.add(
                RUNS, RULE, f"{one_line(name)} is there {same}: readers may differ in which one they take", inner
            )
        seen.setdefault(key, name)
        parts = name.replace("\\", "/").split("/")
        if ".." in parts or name.startswith(("/", "\\")) or (len(name) > 1 and name[1] == ":"):
            report.add(RUNS, RULE, f"{one_line(name)} lies outside of the folder that it is unpacked into", inner)


def _content(file: BinaryIO, offset: int, size: int) -> tuple[str | None, int, Any]:
    """Return the name in a member's own header, how it is packed, and its packed content, whatever its checksum."""
    if offset < 0 or size < 0:
        return None, 0, None
    file.seek(offset)
    head = file.read(_HEADER.size)
    if len(head) < _HEADER.size or not head.startswith(LOCAL):
        return None, 0, None
    fields = _HEADER.unpack(head)
    name = file.read(fields[9]).decode("utf-8" if fields[2] & 0x800 else "cp437", "replace")
    start = offset + _HEADER.size + fields[9] + fields[10]
    return name, fields[3], Window(file, start, size)


def _unpacked(packed: Any, kind: int) -> Any:
    """Return the content of a member; None where it is packed in a way that is not looked into."""
    if kind == zipfile.ZIP_STORED:
        return packed
    if kind == zipfile.ZIP_DEFLATED:
        return inflated(packed)
    if kind == zipfile.ZIP_BZIP2:
        return Unpacked(packed, bz2.BZ2Decompressor)
    return Unpacked(packed, _Lzma) if kind == zipfile.ZIP_LZMA else None


class _Lzma:
    """Unpacks LZMA as it is in zip archives, behind a header of its own."""

    eof = False
    unused_data = b""

    def __init__(self) -> None:
        self._head = b""
        self._unpacker: Any = None

    @property
    def needs_input(self) -> bool:
        """Whether more is to be given before more comes out."""
        return self._unpacker is None or bool(self._unpacker.needs_input)

    def decompress(self, data: bytes, most: int) -> bytes:
        """Return what comes out for what is put in."""
        if self._unpacker is None:
            self._head += data
            size = int.from_bytes(self._head[2:4], "little")
            if len(self._head) <= 4 + size:
                return b""
            filters = [lzma._decode_filter_properties(lzma.FILTER_LZMA1, self._head[4 : 4 + size])]  # type: ignore[attr-defined]
            self._unpacker = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters)
            data = self._head[4 + size :]
        content: bytes = self._unpacker.decompress(data, most)
        self.eof = self._unpacker.eof
        return content


def _by_local_headers(file: BinaryIO, end: int = _LARGEST) -> Iterator[Member]:
    """Yield members by their own headers, where the directory can't be read."""
    file.seek(0)
    data = file.read(min(end, _LARGEST))
    at = data.find(LOCAL)
    count = 0
    while at >= 0 and count < _MOST:
        count += 1
        following = data.find(LOCAL, at + 4)
        if at + _HEADER.size <= len(data):
            fields = _HEADER.unpack_from(data, at)
            start = at + _HEADER.size + fields[9] + fields[10]
            name = data[at + _HEADER.size : at + _HEADER.size + fields[9]].decode("utf-8", "replace")
            size = (
                fields[7]
                if fields[7] and fields[7] < 0xFFFFFFFF
                else (following if following > 0 else len(data)) - start
            )
            content = _unpacked(Window(file, start, size), fields[3])
            if content is not None:
                yield Member(name, content)
        at = following
