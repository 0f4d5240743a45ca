"""Pickles without a form of torch's around them, and the tar archives that very old versions of it wrote."""

from __future__ import annotations

import re
from typing import BinaryIO

from cutaway.core.architecture import Architecture
from cutaway.formats import torch_save

beside = torch_save.beside
_NAMES = rb"[A-Za-z_][\w.]*\r?\n[A-Za-z_][\w.]*\r?\n"
_OLD = re.compile(
    rb"\(*(?:[})\]]?q\0|[dl](?:p\d+\n|q\0|[aesu.(])|c" + _NAMES + rb"|S(?:'.*'|\".*\")\n(?:p\d+\n|i" + _NAMES + rb")"
    rb"|V[^\n]*\np\d+\n|i" + _NAMES + rb"|I\d+\n(?:p\d+\n|[It.]))"
)
"""How pickles of the protocols 0 and 1 begin, which have no mark: no program of Python does."""


def sniff(head: bytes) -> bool:
    """Tell whether a file that begins like this is a pickle, or a tar archive with one of torch's names in it."""
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return True
    if head[:2] in (b"}q", b"(d", b"(l", b"]q") or _OLD.match(head):
        return True
    return head.partition(b"\0")[0] in (b"sys_info", b"pickle", b"storages", b"tensors")


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the networks of a pickle."""
    return torch_save.read(file, path)
