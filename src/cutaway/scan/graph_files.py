"""Graphs in protocol buffers: operators that run Python or touch files, and external data outside of the folder."""

from __future__ import annotations

import re

from cutaway.core.error import one_line
from cutaway.scan.finding import IMPORTS, RUNS, Report

TENSORFLOW, ONNX = "tensorflow", "onnx"
_OPERATORS = {
    b"PyFunc": "runs a function of Python",
    b"PyFuncStateless": "runs a function of Python",
    b"EagerPyFunc": "runs a function of Python",
    b"WriteFile": "writes files",
    b"ReadFile": "reads files",
    b"MatchingFiles": "looks for files",
    b"WholeFileReader": "reads files",
    b"WholeFileReaderV2": "reads files",
    b"PrintV2": "",
    b"DebugIdentity": "sends values to an address",
    b"DebugIdentityV2": "writes files",
    b"XlaLaunch": "",
    b"RemoteCall": "runs a function on another machine",
    b"LoadAndRemapMatrix": "reads files",
    b"CSVDataset": "reads files",
    b"TextLineDataset": "reads files",
    b"FixedLengthRecordDataset": "reads files",
    b"TFRecordDataset": "reads files",
    b"RpcCall": "calls another machine",
    b"ImmutableConst": "reads files",
}
_LOCATION = re.compile(rb"\x0a\x08location\x12(.)", re.DOTALL)
_DOMAINS = re.compile(rb"\x3a(.)([a-z][\w.]{2,60})", re.DOTALL)


def scan_tensorflow(content: bytes, report: Report, inner: str) -> None:
    """Enter the operators of a SavedModel or a graph that do more than compute."""
    for name, effect in _OPERATORS.items():
        if effect and b"\x12" + bytes([len(name)]) + name in content:  # the field `op` of a node
            report.add(RUNS, TENSORFLOW, f"has the operator {name.decode()}, which {effect}", inner)


def scan_onnx(content: bytes, report: Report, inner: str) -> None:
    """Enter external data that lies outside of the folder."""
    for match in _LOCATION.finditer(content):
        length = match[1][0]
        path = content[match.end() : match.end() + length].decode("utf-8", "replace")
        parts = path.replace("\\", "/").split("/")
        if ".." in parts or path.startswith(("/", "\\", "~")) or (len(path) > 1 and path[1] == ":"):
            report.add(RUNS, ONNX, f"reads {one_line(path)}, which is outside of its folder", inner)


def scan_custom_operators(content: bytes, report: Report, inner: str) -> None:
    """Enter operators of ONNX that are not of known sets, which need a library of their own."""
    for name in (b"PyOp", b"PythonOp"):
        if b"\x22" + bytes([len(name)]) + name in content:
            report.add(RUNS, ONNX, f"has the operator {name.decode()}, which runs Python", inner)
    if b"ai.onnx.contrib" in content:
        report.add(IMPORTS, ONNX, "has operators of ai.onnx.contrib, which need a library", inner)
