"""Templates of Jinja in tokenizers and GGUF files: what reaches for Python's objects."""

from __future__ import annotations

import re

from cutaway.scan.finding import RUNS, Report

RULE = "template"
_REACHING = re.compile(
    r"__\w+__|\|\s*attr\b|\battr\(|\\x5f|\\u005f|\bos\.\w+\(|\bpopen\b|\bsubprocess\b|\bimport\b\s*\(|\bgetattr\b"
    r"|\blipsum\b|\bcycler\b|\bjoiner\b|\bself\._|\bconfig\.|\brequest\.|\bglobals\b|\bbuiltins\b|['\"]_['\"]\s*[~+*]"
)
_ALLOWED = re.compile(r"__(?:class__\.__name__)\b(?!\.)")
_CODE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)


def scan(text: str, report: Report, inner: str) -> None:
    """Enter what a template reaches for, outside of its plain text."""
    for code in _CODE.findall(text):
        found = _REACHING.search(code)
        if found is not None:
            words = " ".join(code.split())
            shortened = words if len(words) <= 100 else f"{words[:97]}..."
            report.add(RUNS, RULE, f"a template uses {found[0]!r}: {shortened}", inner)
