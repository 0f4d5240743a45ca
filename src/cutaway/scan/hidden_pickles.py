"""Pickles in places that no loader begins with: behind the end of another, in its bytes, behind an archive, in base64."""

from __future__ import annotations

import base64
import binascii
import io
import re
from typing import Any

from cutaway.scan import pickle_calls
from cutaway.scan.finding import NOTHING, Report

_WINDOW = 8 << 20
_MOST = 4000
_START = re.compile(
    rb"\x80[\x02-\x05]|c[A-Za-z_][\w.]{0,80}\n[A-Za-z_][\w.]{0,80}\n[(0-9)]|\([^\n]{0,200}\n?i[a-z_][\w.]{0,80}\n\w+\n"
)
_ENCODED = re.compile(rb"\s*gA[I-X][A-Za-z0-9+/=\s]+\s*")
_ANY_ENCODED = re.compile(r"\s*[A-Za-z0-9+/\n]{28,}={0,2}\s*")


def scan(content: bytes, report: Report, inner: str, where: str) -> None:
    """Enter the pickles in bytes that import and run something; numbers that begin like one seldom do."""
    until = count = 0
    for match in _START.finditer(content):
        if match.start() < until:
            continue
        count += 1
        if count > _MOST:
            report.add(NOTHING, "pickle", "only the beginning of what follows is looked into", inner)
            return
        file = io.BytesIO(content)
        file.seek(match.start())
        found = pickle_calls.attack(file, f"{inner}!{where}" if inner else where)
        if found is not None:
            until = file.tell()
            for finding in found.findings:
                report.add(finding.level, finding.rule, finding.text, finding.inner)


def scan_rest(file: Any, report: Report, inner: str, where: str) -> None:
    """Enter the pickles in what is left of a file, as far as it is looked into."""
    rest = file.read(_WINDOW)
    if rest.strip(b"\0"):
        scan(rest, report, inner, where)


def is_encoded(text: str) -> bool:
    """Tell whether a text may be a pickle in base64, of any protocol."""
    return text[:2] == "gA" or (text[:1] in "YKVUSRTZbXfW" and _ANY_ENCODED.fullmatch(text) is not None)


def scan_text(content: bytes, report: Report, inner: str) -> None:
    """Enter a pickle that is the whole of a text in base64."""
    if _ENCODED.fullmatch(content) or is_encoded(content[:_WINDOW].decode("latin-1")):
        try:
            scan(base64.b64decode(content), report, inner, "in base64")
        except (binascii.Error, ValueError):
            return
