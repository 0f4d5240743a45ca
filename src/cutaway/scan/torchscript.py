"""Code of TorchScript: operators that touch files, and those that need a library."""

from __future__ import annotations

import re

from cutaway.scan.finding import IMPORTS, RUNS, Report

RULE = "torchscript"
_FILES = re.compile(
    r"\b(?:torch|ops\.aten)\.(save|from_file|load|_load\w*|_save\w*)\(|\bops\.(?:inductor|_dtensor)\.\w+\("
)
_OPERATORS = re.compile(r"\bops\.(\w+)\.(\w+)\(")
_KNOWN = frozenset(
    "prim aten torchvision torchaudio quantized _quantized sparse mkldnn mkldnn_prepacked prepacked xnnpack prims torchao".split()
)


def scan(text: str, report: Report, inner: str) -> None:
    """Enter what the code of an archive calls."""
    for match in _FILES.finditer(text):
        report.add(RUNS, RULE, f"calls {match[0][:-1]}, which reads or writes files", inner)
    for home, name in _OPERATORS.findall(text):
        if home not in _KNOWN:
            report.add(IMPORTS, RULE, f"uses the operator {home}::{name}, which needs a library", inner)
