"""Texts, whatever they are called: tags of YAML, templates, configurations that name code, documents with entities."""

from __future__ import annotations

import codecs
import re

from cutaway.scan import configurations, templates
from cutaway.scan.finding import IMPORTS, RUNS, Report

_PROSE = (".md", ".rst", ".html", ".htm", ".py", ".ipynb", ".tex", ".js", ".ts", ".css", ".csv", ".tsv")
"""What tells about such things without being loaded, or has braces of its own."""
_TEMPLATES = (".jinja", ".jinja2", ".j2")
_SETTINGS = (".yaml", ".yml", ".prototxt", ".conf", ".cfg", ".ini", ".toml", ".hocon", "MLmodel")
_ENTITY = re.compile(
    r"<!ENTITY\s+(?:%\s+)?\S+\s+(SYSTEM|PUBLIC)\b[^>]{0,300}|<!DOCTYPE\s+[\w:.-]+\s+SYSTEM\s+[^>\[]{1,300}"
)
_LOCAL_DTD = re.compile(r"SYSTEM\s+(['\"])[\w.-]+\.dtd\1\s*$")
_PYTHON_BACKEND = re.compile(r"(?m)^\s*backend\s*:\s*\"python\"")
_SITE_IMPORT = re.compile(r"(?m)^import[ \t]")
_LONGEST = 8 << 20
_BEGIN = 4096


def scan(content: bytes, name: str, report: Report, inner: str) -> None:
    """Enter what a file would run, if it is a text."""
    text = _decoded(content[:_LONGEST])
    if text is None:
        return
    is_template = name.endswith(_TEMPLATES)
    if is_template or (not name.endswith((*_PROSE, ".json")) and ("{{" in text or "{%" in text)):
        templates.scan(text, report, inner)
    if name.endswith(_PROSE):
        return
    if name.endswith(_SETTINGS) or configurations.has_tag(text):
        configurations.scan_yaml(text.encode(), report, inner)
    if name.endswith(".gin"):
        configurations.scan_gin(text.encode(), report, inner)
    if name.endswith(".pth") and _SITE_IMPORT.search(text):
        report.add(RUNS, "code", "has a line that Python runs when it starts, if the file is among its packages", inner)
    if text.lstrip()[:1] == "<":
        for match in _ENTITY.finditer(text[: 1 << 20]):
            if not _LOCAL_DTD.search(match[0]):
                report.add(
                    RUNS,
                    "code",
                    f"has an entity that is read from elsewhere: {' '.join(match[0].split())[:100]}",
                    inner,
                )
    if name.endswith(".pbtxt") and _PYTHON_BACKEND.search(text):
        report.add(IMPORTS, "code", "is served by a program in Python that lies beside it", inner)


def _decoded(content: bytes) -> str | None:
    """Return bytes as a text; None where they are none."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    begin = content[:_BEGIN]
    if b"\0" in begin:
        wide = begin[1::2].count(0) * 3 > len(begin) or begin[::2].count(0) * 3 > len(begin)
        if not wide:
            return None
        return content.decode("utf-16-le" if begin[1:2] == b"\0" else "utf-16-be", "replace")
    strange = sum(byte < 9 or 13 < byte < 32 for byte in begin)
    return None if strange * 50 > len(begin) else content.decode("utf-8", "replace")
