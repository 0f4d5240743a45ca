"""What the events of a file hold of networks: graphs, graphs with signatures, and configurations of Keras."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from cutaway.formats import event_records
from cutaway.formats.graph_def.messages import decoded, message, messages, parse, text

_GRAPH, _SUMMARY, _META_GRAPH = 4, 5, 9
_HEAD, _TAIL = 12, 4
_LARGEST = 256 << 20
_CHECKED = 4 << 20
"""Bytes of a record up to which its checksum is compared, which takes time."""
_MOST_RECORDS = 2_000_000
_KERAS = b"graph_keras_model"


@dataclass(slots=True)
class Contents:
    """The graphs and configurations of an event file in order; `damage` is where it could not be read on."""

    graphs: list[bytes] = field(default_factory=list)
    meta_graphs: list[bytes] = field(default_factory=list)
    configurations: list[str] = field(default_factory=list)
    damage: str = ""


def read(file: BinaryIO) -> Contents:
    """Read an event file up to its end, or to where it is damaged; what is not of a network is passed over."""
    found = Contents()
    file.seek(0, os.SEEK_END)
    size = file.tell()
    at = 0
    for _ in range(_MOST_RECORDS):
        if at >= size:
            break
        file.seek(at)
        head = file.read(_HEAD)
        if len(head) < _HEAD:
            found.damage = f"byte {at}: a record is cut off"
            break
        length, check = struct.unpack("<QI", head)
        if check != event_records.checksum(head[:8]) or length > event_records.LARGEST:
            found.damage = f"byte {at}: no record begins here"
            break
        if at + _HEAD + length + _TAIL > size:
            found.damage = f"byte {at}: a record is cut off"
            break
        if length <= _LARGEST:
            record = file.read(length if length <= _CHECKED or _is_needed(file, length) else 0)
            if record or not length:
                end = file.read(_TAIL)
                if length <= _CHECKED and struct.unpack("<I", end)[0] != event_records.checksum(record):
                    found.damage = f"byte {at}: a record is damaged: its checksum does not fit"
                    break
                _enter(record, found)
        at += _HEAD + length + _TAIL
    return found


def _is_needed(file: BinaryIO, length: int) -> bool:
    """Tell whether a large record holds something of a network, by its first bytes."""
    start = file.tell()
    head = file.read(min(length, 4096))
    file.seek(start)
    at = 0
    if head[:1] == b"\x09":
        at = 9
    if head[at : at + 1] == b"\x10":
        at += 1
        while at < len(head) and head[at] & 0x80:
            at += 1
        at += 1
    return head[at : at + 1] in (b"\x22", b"\x4a") or _KERAS in head


def _enter(record: bytes, found: Contents) -> None:
    if not record or (record[:1] != b"\x09" and len(record) < 4):
        return
    fields = parse(record)
    for value in fields.get(_GRAPH, ()):
        found.graphs.append(bytes(value))
    for value in fields.get(_META_GRAPH, ()):
        found.meta_graphs.append(bytes(value))
    if _SUMMARY in fields and _KERAS in record:
        for value in messages(message(fields, _SUMMARY) or {}, 1):
            configuration = _configuration(value)
            if configuration:
                found.configurations.append(configuration)


def _configuration(value: dict[int, list[Any]]) -> str:
    metadata = message(value, 9)
    plugin = message(metadata, 1) if metadata is not None else None
    if plugin is None or text(plugin, 1) != _KERAS.decode() or 8 not in value:
        return ""
    tensor = parse(value[8][-1])
    return decoded(tensor[8][-1]) if 8 in tensor else ""
