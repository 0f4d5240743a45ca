"""Which scanners a file is for, by its content; archives and compressed files are opened."""

from __future__ import annotations

import io
import lzma
import os
import re
import tarfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from cutaway.core.error import CutawayError, one_line
from cutaway.formats import beginnings, gguf, numpy_file, onnx, tar_save
from cutaway.scan import (
    configurations,
    flat_graphs,
    graph_files,
    hidden_pickles,
    keras_code,
    packaged_code,
    packed,
    pickle_calls,
    templates,
    texts,
    torchscript,
    zip_archive,
)
from cutaway.scan.finding import IMPORTS, NOTHING, RUNS, Report
from cutaway.scan.streams import TooLarge

_WINDOW = 32 << 20
_DAMAGED = (zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
_DEEPEST = 8
_HIDDEN = 8 << 20
_SNIFFED = 64
_MOST_ARRAYS = 10_000
_HDF5 = b"\x89HDF\r\n\x1a\n"
_NATIVE = (b"\x7fELF", b"MZ\x90\0", b"MZqFpD", b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xca\xfe\xba\xbe")
_PLAIN = re.compile(r"[<>|=]?[biufcSUmM?]\d*(\[\w+\])?")
_LARGEST_JSON = 256 << 20
_CODE = (".so", ".dll", ".dylib", ".pyc", ".exe")
_SKIPPED = {".git", "__pycache__", "node_modules", ".venv"}


def scan_path(path: str) -> Iterator[Report]:
    """Yield a report for a file, or for each file below a folder."""
    if os.path.isdir(path):
        for folder, below, names in os.walk(path):
            below[:] = sorted(name for name in below if name not in _SKIPPED)
            for name in sorted(names):
                yield scan_file(os.path.join(folder, name))
        return
    if not os.path.exists(path):
        raise CutawayError(f"{path}: no such file or folder")
    yield scan_file(path)


def scan_file(path: str) -> Report:
    """Return what loading a file would run."""
    report = Report(path)
    try:
        if not os.path.isfile(path):
            report.error = (
                "a link to nothing" if os.path.islink(path) and not os.path.exists(path) else "not a regular file"
            )
            return report
        with open(path, "rb") as file:
            return scan_content(file, path)
    except OSError as error:
        report.error = error.strerror or str(error)
    return report


def scan_content(file: BinaryIO, path: str) -> Report:
    """Return what loading an open file would run."""
    report = Report(path)
    _scan(file, os.path.basename(path), report, "", 0)
    return report


def _scan(file: Any, name: str, report: Report, inner: str, depth: int) -> None:
    """Enter what one file does, which may be a member of another; what is damaged is read as far as it goes."""
    try:
        _scan_content(file, name, report, inner, depth)
    except TooLarge as error:
        report.add(IMPORTS, "container", str(error), inner)
    except _DAMAGED:
        report.add(NOTHING, "container", "it is damaged", inner)


def _scan_content(file: Any, name: str, report: Report, inner: str, depth: int) -> None:
    head = file.read(512)
    file.seek(0)
    if depth > _DEEPEST:
        report.add(RUNS, "container", "archives are nested too deeply to be followed", inner)
        return
    if head.startswith(zip_archive.LOCAL) or head.startswith(b"PK\x05\x06") or (depth == 0 and _ends_as_zip(file)):
        _zip(file, report, inner, depth)
        if head.startswith(b"PK"):
            return
        file.seek(0)
    if tar_save.is_header(head):
        _tar(file, report, inner, depth)
        file.seek(0)
        content = file.read(_WINDOW)
        if pickle_calls.looks_like_pickle(head) or pickle_calls.is_plausible(content):
            _pickle(io.BytesIO(content), report, inner, depth)
    elif (closed := packed.closed(head)) is not None:
        report.add(RUNS, "container", f"it is packed with {closed}, which is not looked into", inner)
    elif (stream := packed.unpacked(file, head)) is not None:
        where = f"{inner}!{one_line(name)} unpacked" if inner else f"{one_line(name)} unpacked"
        _scan(stream, os.path.splitext(name)[0], report, where, depth + 1)
    elif head.startswith(beginnings.NUMPY):
        _numpy(file, report, inner, depth)
    elif pickle_calls.looks_like_pickle(head):
        _pickle(file, report, inner, depth)
    else:
        _other(file, head, name, report, inner, depth)


def _ends_as_zip(file: BinaryIO) -> bool:
    """Tell whether a file has an archive behind something else."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 70_000))
    found = b"PK\x05\x06" in file.read()
    file.seek(0)
    return found


def _pickle(file: BinaryIO, report: Report, inner: str, depth: int) -> None:
    def nested(content: Any, head: bytes, where: str, deep: int) -> Report | None:
        """Scan bytes in a pickle that begin as an archive, as an array, or as something compressed."""
        if not (packed.is_packed(head) or head.startswith((zip_archive.LOCAL, beginnings.NUMPY))):
            return None
        found = Report("")
        _scan(content, "", found, where, depth + deep)
        return found if found.verdict == RUNS else None

    before = len(report.findings)
    ended = pickle_calls.scan(file, report, inner, nested=nested)
    hidden_pickles.scan_rest(file, report, inner, "behind the pickle")
    if not ended and any(finding.level in (RUNS, IMPORTS) for finding in report.findings[before:]):
        report.add(RUNS, "pickle", "the pickle is damaged: what stands before the damage would run", inner)


def _zip(file: BinaryIO, report: Report, inner: str, depth: int) -> None:
    names: list[str] = []
    for member in zip_archive.members(file, report, inner):
        names.append(member.name)
        where = f"{inner}!{one_line(member.name)}" if inner else one_line(member.name)
        _scan(member.content, os.path.basename(member.name), report, where, depth + 1)
        if "/code/" in f"/{member.name}" and member.name.endswith(".py"):
            member.content.seek(0)
            torchscript.scan(member.content.read(_WINDOW).decode("utf-8", "replace"), report, where)
        elif member.name.endswith("bytecode.pkl"):
            member.content.seek(0)
            torchscript.scan_mobile(member.content.read(_WINDOW), report, where)
    packaged_code.scan(names, report, inner)


def _tar(file: BinaryIO, report: Report, inner: str, depth: int) -> None:
    try:
        with tarfile.open(fileobj=file, mode="r:", ignore_zeros=True) as archive:
            for member in archive:
                where = f"{inner}!{one_line(member.name)}" if inner else one_line(member.name)
                parts = member.name.split("/")
                link = member.issym() or member.islnk()
                outside = ".." in parts or member.name.startswith("/")
                outside |= link and (member.linkname.startswith("/") or ".." in member.linkname.split("/"))
                if outside or member.isdev():
                    report.add(RUNS, "container", "it lies outside of the folder that it is unpacked into", where)
                content = archive.extractfile(member) if member.isfile() else None
                if content is not None:
                    _scan(content, os.path.basename(member.name), report, where, depth + 1)
    except tarfile.TarError:
        report.add(NOTHING, "container", "the tar archive is damaged", inner)


def _numpy(file: BinaryIO, report: Report, inner: str, depth: int) -> None:
    """Scan arrays: all but those of plain numbers may be pickled, and so may one whose header is not understood.

    A file may hold several, one behind the other.
    """
    for _ in range(_MOST_ARRAYS):
        start = file.tell()
        try:
            stored, dtype = numpy_file.array(file)
        except numpy_file.Malformed:
            stored, dtype = None, ""
            file.seek(start + 6)
            version = file.read(2)
            width = 2 if version[:1] == b"\1" else 4
            length = int.from_bytes(file.read(width), "little")
            file.seek(start + 8 + width + length)
        if not _PLAIN.fullmatch(dtype):
            pickle_calls.scan(file, report, inner)
            return
        file.seek(file.tell() + numpy_file.size(stored, dtype) if stored is not None else 0)
        behind = file.tell()
        head = file.read(len(beginnings.NUMPY))
        file.seek(behind)
        if not head:
            return
        if head != beginnings.NUMPY:
            hidden_pickles.scan_rest(file, report, inner, "behind the array")
            return


def _other(file: BinaryIO, head: bytes, name: str, report: Report, inner: str, depth: int) -> None:
    """Scan a file that is neither an archive nor a pickle by its first bytes."""
    if head.startswith(_NATIVE) or name.endswith(_CODE):
        level = RUNS if inner else IMPORTS
        report.add(level, "code", f"{one_line(name)} is compiled code", inner)
        return
    content = file.read(_WINDOW)
    is_pickle = pickle_calls.is_plausible(content)
    if is_pickle:
        _pickle(io.BytesIO(content), report, inner, depth)
    hidden_pickles.scan_text(content, report, inner)
    if not is_pickle and not head.startswith(beginnings.GGUF) and not beginnings.safetensors(head):
        hidden_pickles.scan(content[:_HIDDEN], report, inner, "its content")
    texts.scan(content, name, report, inner)
    if packaged_code.has_lua(content):
        report.add(RUNS, "code", "it has a function of Lua, compiled", inner)
    if packaged_code.has_python_layer(content):
        report.add(RUNS, "code", "has a layer of Python, whose module is imported", inner)
    if head.startswith(beginnings.GGUF):
        _gguf(file, report, inner)
        templates.scan_bytes(content, report, inner)
    elif head.startswith(_HDF5):
        keras_code.scan_hdf5(file, report, inner)
    elif _is_json(head):
        file.seek(0)
        configurations.scan_json(file.read(_LARGEST_JSON), report, inner)
    elif beginnings.safetensors(head):
        _safetensors(file, int.from_bytes(head[:8], "little"), report, inner)
    elif name.endswith((".yaml", ".yml", ".prototxt")) or name == "MLmodel":
        configurations.scan_yaml(content, report, inner)
    if (
        name.endswith((".pb", ".pbtxt", ".meta"))
        or beginnings.saved_model(head[:_SNIFFED])
        or b"serve" in content[: 1 << 20]
    ):
        graph_files.scan_tensorflow(file, report, inner)
    if name.endswith((".onnx", ".ort")) or onnx.sniff(head[:_SNIFFED]) or b"\x08location" in content:
        graph_files.scan_onnx(file, report, inner)
    flat_graphs.scan(file, head, report, inner)


def _safetensors(file: BinaryIO, length: int, report: Report, inner: str) -> None:
    """Scan the header of a file of tensors, and what no tensor covers."""
    file.seek(8)
    header = file.read(min(length, _LARGEST_JSON))
    configurations.scan_json(header, report, inner)
    end = 8 + length + configurations.tensors_end(header)
    for start, size in configurations.gaps(header):
        report.add(RUNS, "container", f"there are {size:,} bytes that belong to no tensor", inner)
        file.seek(8 + length + start)
        hidden_pickles.scan(file.read(min(size, _HIDDEN)), report, inner, "between the tensors")
    if file.seek(0, os.SEEK_END) > end:
        report.add(RUNS, "container", "there are bytes behind the last tensor, which the format does not allow", inner)
        file.seek(end)
        hidden_pickles.scan_rest(file, report, inner, "behind the tensors")


def _is_json(head: bytes) -> bool:
    """Tell whether a file begins as JSON, in any encoding that it is read in."""
    return head.lstrip(b"\xef\xbb\xbf\xfe\xff\0 \t\r\n")[:1] in (b"{", b"[")


def _gguf(file: BinaryIO, report: Report, inner: str) -> None:
    try:
        metadata, _ = gguf.header(file, longest_text=_WINDOW)
    except ValueError:
        return
    for value in metadata.values():
        if isinstance(value, str):
            templates.scan(value, report, inner)
