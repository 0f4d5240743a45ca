"""Templates of Jinja in tokenizers and GGUF files: what reaches for Python's objects."""

from __future__ import annotations

import re

from cutaway.scan.finding import RUNS, Report

RULE = "template"
_SPECIAL = re.compile(r"__[a-z]+__")
"""Names of Python's own: plain text has them so rarely that it need not be told from code."""
_STRINGS = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_NAMES = re.compile(
    r"__\w*|\._\w+|\|\s*attr\b|\bos\.\w+\(|\bpopen\b|\bsubprocess\b|\bimport\b\s*\(|\bgetattr\b|\blipsum\b|\bcycler\b"
    r"|\bjoiner\b|\bself\._|\bconfig\.|\brequest\.|\bglobals\b|\bbuiltins\b|\bmro\b|[\w)\]']\s*\[\s*''\s*[~|%*+]"
)
"""What code reaches for Python's objects with, strings left out; the last is an item whose key is put together."""
_WORDS = re.compile(r"__|\\x5[fF]|\\u005[fF]|\\137|\\N\{|%c|^.attr.$")
"""What strings have in them that are parts of such names."""
_JOINED = re.compile(r"(['\"])_\1\s*(?:\*|[~+]\s*\1_)")
_TAG = re.compile(r"\{%[-+]?\s*(\w+)")
_TAGS = frozenset(
    """
    for endfor if elif else endif set endset macro endmacro raw endraw filter endfilter call endcall generation endgeneration
    break continue with endwith do
    """.split()
)
"""Statements that templates of conversations are written with; others load further templates."""
_CODE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_IN_BYTES = re.compile(rb"\{[{%][^\0]{0,4000}?__\w+__")


def scan(text: str, report: Report, inner: str) -> None:
    """Enter what a template reaches for; in its plain text, only names that are Python's own."""
    if "{{" not in text and "{%" not in text:
        return
    found = _SPECIAL.search(text)
    if found is not None:
        _enter(found[0], text[max(0, found.start() - 40) :], report, inner)
    for tag in sorted(set(_TAG.findall(text)) - _TAGS):
        _enter(tag, text[max(0, text.find(tag) - 10) :], report, inner)
    for code in _CODE.findall(text):
        found = _NAMES.search(_STRINGS.sub("''", code)) or _JOINED.search(code)
        for literal in () if found is not None else _STRINGS.findall(code):
            found = found or _WORDS.search(literal)
        if found is not None:
            _enter(found[0], code, report, inner)


def scan_bytes(content: bytes, report: Report, inner: str) -> None:
    """Enter what templates in the header of a file reach for, wherever they are in it."""
    for match in _IN_BYTES.finditer(content):
        code = match[0].decode("utf-8", "replace")
        _enter(code[code.rfind("__", 0, -2) :][:40], code[-100:], report, inner)


def _enter(what: str, code: str, report: Report, inner: str) -> None:
    words = " ".join(code.split())
    shortened = words if len(words) <= 100 else f"{words[:97]}..."
    report.add(RUNS, RULE, f"a template uses {what!r}: {shortened}", inner)
