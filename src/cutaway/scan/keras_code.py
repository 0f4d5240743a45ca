"""Configurations of Keras: Lambda layers with Python's byte code, and classes and functions of other modules."""

from __future__ import annotations

import builtins
import json
import re
import sys
from typing import Any

from cutaway.core.error import one_line
from cutaway.formats import hdf5
from cutaway.formats.hdf5_bytes import Window
from cutaway.scan.finding import IMPORTS, RUNS, Report
from cutaway.scan.streams import chunks

RULE = "keras"
_KNOWN = ("keras", "tensorflow", "tf_keras", "builtins", "keras_hub", "keras_nlp", "keras_cv", "keras_core")
_KERAS = ("keras.", "tf_keras.", "tensorflow.")
_REGISTERED = ("keras", "keras_hub", "keras_nlp", "keras_cv", "builtins")
_LAMBDA = re.compile(rb'"class_name"\s*:\s*"(Lambda|TorchModuleWrapper|TFSMLayer|FlaxLayer|JaxLayer)"')
_CODE = re.compile(rb'"class_name"\s*:\s*"__lambda__"|"function_type"\s*:\s*"lambda"')
_ESCAPED = re.compile(rb'"class_name"\s*:\s*"[^"]{0,40}\\u|"[a-z]{0,10}\\u00[0-9a-f]{2}[a-z_]{0,10}"\s*:\s*"Lambda"')
_FUNCTIONS = re.compile(
    r"(keras|tf_keras|tensorflow\.keras|tensorflow\.python\.keras|keras_core)(\.src|\._tf_keras\.keras|\.api)?"
    r"(\.(activations|losses|metrics|ops|initializers|regularizers|constraints|layers|random|nn)(\.\w+)*)"
    r"|tensorflow\.(python\.)?(nn|math|ops\.\w+)(\.\w+)*"
)
"""Modules whose functions compute, and do nothing else."""
_LOADING = {
    "Lambda": "a Lambda layer",
    "TorchModuleWrapper": "a TorchModuleWrapper, which unpickles a module",
    "TFSMLayer": "a TFSMLayer, which loads a SavedModel from a path",
    "JaxLayer": "a JaxLayer with functions of its own",
    "FlaxLayer": "a FlaxLayer with functions of its own",
}
_MOST = 1_000_000
_MOST_NODES = 100_000


def scan_config(value: dict[str, Any], report: Report, inner: str) -> None:
    """Enter what a configuration would run."""
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


def _object(entry: dict[str, Any], report: Report, inner: str) -> None:
    name, module = entry.get("class_name"), entry.get("module")
    settings = entry["config"] if isinstance(entry.get("config"), dict) else {}
    if isinstance(name, str) and name in _LOADING:
        function = settings.get("function")
        what = f" with {one_line(str(function))[:80]}" if isinstance(function, str) else ""
        report.add(RUNS, RULE, f"has {_LOADING[name]}{what}", inner)
    elif name == "__lambda__":
        report.add(RUNS, RULE, "has byte code of Python (a marshalled function)", inner)
    elif name == "function" and module == "builtins" and not hasattr(builtins, str(entry.get("config"))):
        return  # one that the program registers under its name
    elif name == "function" and isinstance(module, str) and not _FUNCTIONS.fullmatch(module):
        report.add(RUNS, RULE, f"calls {one_line(module)}.{one_line(str(entry.get('config')))}", inner)
    elif isinstance(name, str) and isinstance(module, str) and name[:1].islower() and module.startswith(_KERAS):
        report.add(RUNS, RULE, f"names {one_line(module)}.{one_line(name)} as a class", inner)
    elif isinstance(name, str) and isinstance(module, str) and module.partition(".")[0] not in _KNOWN:
        level = RUNS if module.partition(".")[0] in sys.stdlib_module_names else IMPORTS
        report.add(level, RULE, f"imports {one_line(module)}.{one_line(name)}", inner)
    _named(entry, name, settings, report, inner)


def _named(entry: dict[str, Any], name: Any, settings: dict[str, Any], report: Report, inner: str) -> None:
    """Enter what an object needs from elsewhere: classes that a program registers, files of words."""
    registered = entry.get("registered_name")
    if isinstance(registered, str) and ">" in registered and registered.partition(">")[0] not in _REGISTERED:
        report.add(IMPORTS, RULE, f"needs {one_line(registered)}, which a program registers", inner)
    if isinstance(name, str) and name.endswith(("Lookup", "Vectorization")):
        for key in ("vocabulary", "idf_weights"):
            if isinstance(settings.get(key), str) and settings[key]:
                report.add(RUNS, RULE, f"reads the file {one_line(settings[key])} as a {key}", inner)


def scan_hdf5(file: Any, report: Report, inner: str) -> None:
    """Enter what the configuration in an HDF5 file would run: as the reader finds it, and wherever it is in the file."""
    for value in _attributes(file):
        try:
            config = json.loads(value)
        except (ValueError, RecursionError):
            continue
        if isinstance(config, dict):
            scan_config(config, report, inner)
    scan_bytes(file, report, inner)
    _links_out(file, report, inner)


def scan_bytes(file: Any, report: Report, inner: str) -> None:
    """Enter what configurations run, wherever they are in a file."""
    for content in chunks(file):
        for match in _LAMBDA.finditer(content):
            report.add(RUNS, RULE, f"has {_LOADING[match[1].decode()]}", inner)
        if _CODE.search(content):
            report.add(RUNS, RULE, "has byte code of Python (a marshalled function)", inner)
        if _ESCAPED.search(content):
            report.add(RUNS, RULE, "has a class whose name is written with escapes, as nothing writes it", inner)


def _links_out(file: Any, report: Report, inner: str) -> None:
    """Enter the files that a file of HDF5 reads beside itself."""
    try:
        opened = hdf5.File(Window(file))
        for count, (path, node) in enumerate(opened.walk()):
            for outside in node.outside:
                report.add(
                    RUNS, RULE, f"{one_line(path) or 'the root'} reads {one_line(outside)[:200]}, another file", inner
                )
            if count > _MOST_NODES:
                return
    except (ValueError, KeyError, IndexError, RecursionError):
        return  # what is damaged is not followed by others either


def _attributes(file: Any) -> list[str]:
    """Return the attributes of the root that are texts; none of a file that is damaged."""
    try:
        opened = hdf5.File(Window(file))
        found = opened.node(opened.root).attributes.values()
    except (ValueError, KeyError, IndexError, RecursionError):
        return []
    return [value for value in found if isinstance(value, str)]
