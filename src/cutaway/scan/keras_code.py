"""Configurations of Keras: Lambda layers with Python's byte code, and classes and functions of other modules."""

from __future__ import annotations

import json
import re
from typing import Any

from cutaway.core.error import one_line
from cutaway.scan.finding import IMPORTS, RUNS, Report

RULE = "keras"
_KNOWN = ("keras", "tensorflow", "tf_keras", "builtins", "keras_hub", "keras_nlp", "keras_cv", "keras_core")
_LAMBDA = re.compile(rb'"class_name":\s*"(Lambda|TorchModuleWrapper|TFSMLayer|FlaxLayer|JaxLayer)"')
_CODE = re.compile(rb'"class_name":\s*"__lambda__"')
_LOADING = {
    "Lambda": "a Lambda layer",
    "TorchModuleWrapper": "a TorchModuleWrapper, which unpickles a module",
    "TFSMLayer": "a TFSMLayer, which loads a SavedModel from a path",
    "JaxLayer": "a JaxLayer with functions of its own",
    "FlaxLayer": "a FlaxLayer with functions of its own",
}
_MOST = 1_000_000


def scan_config(content: bytes, report: Report, inner: str) -> bool:
    """Enter what a configuration in JSON would run; return whether it is one of Keras."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return False
    if not isinstance(value, dict) or "class_name" not in value or "config" not in value:
        return False
    waiting: list[Any] = [value]
    count = 0
    while waiting and count < _MOST:
        count += 1
        each = waiting.pop()
        if isinstance(each, dict):
            _object(each, report, inner)
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return True


def _object(entry: dict[str, Any], report: Report, inner: str) -> None:
    name, module = entry.get("class_name"), entry.get("module")
    if isinstance(name, str) and name in _LOADING:
        function = (entry.get("config") or {}).get("function") if isinstance(entry.get("config"), dict) else None
        what = f" with {one_line(str(function))[:80]}" if isinstance(function, str) else ""
        report.add(RUNS, RULE, f"has {_LOADING[name]}{what}", inner)
    elif name == "__lambda__":
        report.add(RUNS, RULE, "has byte code of Python (a marshalled function)", inner)
    elif name == "function" and isinstance(module, str) and module.partition(".")[0] not in _KNOWN:
        report.add(RUNS, RULE, f"calls {one_line(module)}.{one_line(str(entry.get('config')))}", inner)
    elif name == "function" and module == "builtins":
        report.add(RUNS, RULE, f"calls builtins.{one_line(str(entry.get('config')))}", inner)
    elif isinstance(name, str) and isinstance(module, str) and module.partition(".")[0] not in _KNOWN:
        report.add(IMPORTS, RULE, f"imports {one_line(module)}.{one_line(name)}", inner)


def scan_hdf5(content: bytes, report: Report, inner: str) -> None:
    """Enter what the configuration in an HDF5 file would run; it is found as text."""
    for match in _LAMBDA.finditer(content):
        report.add(RUNS, RULE, f"has {_LOADING[match[1].decode()]}", inner)
    if _CODE.search(content) or re.search(rb'"function_type":\s*"lambda"', content):
        report.add(RUNS, RULE, "has byte code of Python (a marshalled function)", inner)
