"""Code of TorchScript: operators that touch files, and those that need a library."""

from __future__ import annotations

import re

from cutaway.scan.finding import IMPORTS, RUNS, Report

RULE = "torchscript"
_FILES = re.compile(
    r"\b(?:torch|ops\s*\.\s*aten)\s*\.\s*(save|from_file|load|_load\w*|_save\w*)\s*\(|\bops\s*\.\s*(?:inductor|_dtensor)\s*\.\s*\w+\s*\("
)
_OPERATORS = re.compile(r"\bops\s*\.\s*(\w+)\s*\.\s*(\w+)\s*\(")
_NAMES = re.compile(rb"\b(aten::(?:save|from_file)\w*|inductor::\w+)\b")
_KNOWN = frozenset(
    "prim aten torchvision torchaudio quantized _quantized sparse mkldnn mkldnn_prepacked prepacked xnnpack prims torchao".split()
)


def scan(text: str, report: Report, inner: str) -> None:
    """Enter what the code of an archive calls."""
    for match in _FILES.finditer(text):
        report.add(RUNS, RULE, f"calls {''.join(match[0].split())[:-1]}, which reads or writes files", inner)
    for home, name in _OPERATORS.findall(text):
        if home not in _KNOWN:
            report.add(IMPORTS, RULE, f"uses the operator {home}::{name}, which needs a library", inner)


def scan_mobile(content: bytes, report: Report, inner: str) -> None:
    """Enter the operators of mobile code that touch files; they are named in its pickle."""
    for name in sorted(set(_NAMES.findall(content))):
        report.add(RUNS, RULE, f"calls {name.decode()}, which reads or writes files", inner)
