"""Code of TorchScript: operators that touch files, and those that need a library."""

from __future__ import annotations

import re

from cutaway.scan.finding import IMPORTS, RUNS, Report

RULE = "torchscript"
_SPACES = re.compile(r"\s*(?:\\\n)?\s*\.\s*(?=[A-Za-z_])")
_TEXTS = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|#[^\n]*")
_FILES = re.compile(r"\btorch\.(save|from_file|load|_load\w*|_save\w*)\s*\(")
_OPERATORS = re.compile(r"\bops\b(?!\s*[:=,)])(?:\.(\w+)\.(\w+))?(\s*\()?")
_COMPUTED = re.compile(r"\bgetattr\(\s*(?:ops|torch)\b")
_CLASSES = re.compile(r"\btorch\.classes\.(\w+)\.(\w+)")
_NAMES = re.compile(rb"\b([A-Za-z_]\w*)::(\w+)\b")
_KNOWN = frozenset(
    "prim aten torchvision torchaudio quantized _quantized sparse mkldnn mkldnn_prepacked prepacked xnnpack prims torchao".split()
)
_KNOWN_CLASSES = frozenset("quantized rnn xnnpack sparse vulkan mkldnn onednn nnapi metal torchvision".split())
_REACHING = re.compile(
    r"save|load|file|rpc|remote|fork_process|exec|shell|system|popen|socket|url|path|sox_io", re.IGNORECASE
)
_HARMLESS = re.compile(r"upsample\w*|\w*unload\w*|_?nested_\w*|\w*profile\w*")


def scan(text: str, report: Report, inner: str) -> None:
    """Enter what the code of an archive calls; strings and comments are no calls."""
    code = _SPACES.sub(".", _TEXTS.sub("''", text))
    for match in _FILES.finditer(code):
        report.add(RUNS, RULE, f"calls {match[0][:-1].strip()}, which reads or writes files", inner)
    if _COMPUTED.search(code):
        report.add(RUNS, RULE, "uses operators in a way in which no code is saved", inner)
    for match in _OPERATORS.finditer(code):
        if match[1] is None or match[3] is None:
            report.add(RUNS, RULE, "uses operators in a way in which no code is saved", inner)
        else:
            _operator(match[1], match[2], report, inner)
    for home, name in _CLASSES.findall(code):
        if home not in _KNOWN_CLASSES:
            report.add(IMPORTS, RULE, f"uses the class {home}.{name}, which needs a library", inner)
    if re.search(r"[=(,]\s*\^\w", code):
        report.add(RUNS, RULE, "calls a function of Python", inner)


def scan_mobile(content: bytes, report: Report, inner: str) -> None:
    """Enter the operators of mobile code, which are named in its pickle."""
    for home, name in sorted(set(_NAMES.findall(content))):
        _operator(home.decode(), name.decode(), report, inner)


def _operator(home: str, name: str, report: Report, inner: str) -> None:
    """Enter an operator that reaches out of the program, or that torch does not have."""
    reaches = _REACHING.search(name) is not None and _HARMLESS.fullmatch(name) is None
    if reaches or home in ("inductor", "_dtensor"):
        report.add(RUNS, RULE, f"calls {home}::{name}, which reaches out of the program", inner)
    elif home not in _KNOWN:
        report.add(IMPORTS, RULE, f"uses the operator {home}::{name}, which needs a library", inner)
