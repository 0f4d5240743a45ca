"""Configurations in JSON and YAML: templates, code that is imported or called by name, and sizes that are evaluated."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from cutaway.core.error import one_line
from cutaway.scan import allow_list, hidden_pickles, keras_code, templates
from cutaway.scan.finding import IMPORTS, RUNS, Report

CODE = "code"
_MOST = 2_000_000
_TAG = re.compile(rb"!!python/|tag:yaml\.org,2002:python/|!<[^>]*python/")
_TAG_TEXT = re.compile(_TAG.pattern.decode())
_LAMBDA = re.compile(rb"class_name['\"]?\s*:\s*['\"]?(Lambda|__lambda__|TorchModuleWrapper|TFSMLayer)\b")
_VALUE = rb"['\"]?\s*[:=]\s*(?:[|>][-+\d]*\s+|!{1,2}\w+\s+|&\S+\s+)*['\"]?(\*?[\w.]+)"
"""A value in YAML or TOML: in a line or a block, with a tag or a name of its own, or the name of another."""
_TARGET = re.compile(rb"\b_target_" + _VALUE)
_CLASS_PATH = re.compile(rb"(?<![\w.])class_path" + _VALUE)
_HYPERPYYAML = re.compile(rb"!(?:new|apply|name|module):([A-Za-z_][\w.]*)")
_JAVA_TAG = re.compile(rb"!!((?:[a-z]\w*\.)+[A-Z]\w*)")
_TRUST = re.compile(rb"(?m)(?:^|[{,])[\s\-'\"]*trust_remote_code['\"]?\s*[:=]\s*['\"]?(?:true|True|TRUE|yes|on)\b")
_GIN_IMPORT = re.compile(rb"(?m)^(?:import|from)\s+([\w.]+)")
_LOADER = re.compile(rb"(?m)^\s*(?:loader_module|python_model|model_code_path)['\"]?\s*:\s*['\"]?([^\s'\"#]+)")
_PYTHON_LAYER = re.compile(rb"type\s*:\s*['\"]Python['\"].{0,400}?module\s*:\s*['\"]([^'\"]*)", re.DOTALL)
_EVALUATED = re.compile(r"__|\.\s*[A-Za-z_]|[\[\]{};:@\\\"]|\blambda\b|\b[a-z_]\w*\s*\(|\)\s*\(")
_STANDARD = sys.stdlib_module_names | {"__builtin__", "posix", "nt", "commands"}
_PIPELINE_MODULES = (
    "diffusers",
    "transformers",
    "onnxruntime",
    "optimum",
    "peft",
    "torch",
    "torchvision",
    "tokenizers",
)
_ESTIMATOR_MODULES = (
    "sklearn",
    "numpy",
    "scipy",
    "pandas",
    "xgboost",
    "lightgbm",
    "catboost",
    "quantile_forest",
    "imblearn",
)
_TRUSTING = "sets trust_remote_code: code that lies beside a model runs without being asked for"
_KNOWN_MODULES = ("sentence_transformers", "transformers", "torch")


def scan_json(content: bytes, report: Report, inner: str) -> None:
    """Enter what a document in JSON would run, in any encoding that JSON is read in."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict) and "class_name" in value and "config" in value:
        keras_code.scan_config(value, report, inner)
    _walk(value, report, inner)


def has_tag(text: str) -> bool:
    """Tell whether a text has a tag of YAML that makes an object of Python."""
    return _TAG_TEXT.search(text) is not None


def scan_yaml(content: bytes, report: Report, inner: str) -> None:
    """Enter what a document in YAML would run: it is looked at as text, whatever its structure."""
    if b"\0" in content[:64]:
        content = content.decode("utf-16", "replace").encode()
    if _TAG.search(content):
        report.add(RUNS, CODE, "has a tag of YAML that makes an object of Python", inner)
    if match := _LAMBDA.search(content):
        report.add(RUNS, keras_code.RULE, f"has a layer {match[1].decode()}, which runs code of its own", inner)
    for pattern in (_TARGET, _CLASS_PATH, _HYPERPYYAML):
        for match in pattern.finditer(content):
            _target(_named(content, match[1]).decode(), report, inner)
    for match in _JAVA_TAG.finditer(content):
        report.add(RUNS, CODE, f"has a tag of YAML that makes an object of {match[1].decode()}", inner)
    if _TRUST.search(content):
        report.add(RUNS, CODE, _TRUSTING, inner)
    for match in _LOADER.finditer(content):
        name = match[1].decode("utf-8", "replace")
        if not name.startswith("mlflow."):
            report.add(_level(name), CODE, f"imports or unpickles {one_line(name)}", inner)
    for match in _PYTHON_LAYER.finditer(content):
        report.add(
            RUNS, CODE, f"has a layer of Python, of the module {one_line(match[1].decode('utf-8', 'replace'))}", inner
        )


def _named(content: bytes, value: bytes) -> bytes:
    """Return a value of YAML, or the one that it names."""
    if not value.startswith(b"*"):
        return value
    found = re.search(rb"&" + re.escape(value[1:]) + rb"\s+['\"]?([\w.]+)", content)
    return found[1] if found else value[1:]


def scan_gin(content: bytes, report: Report, inner: str) -> None:
    """Enter what a configuration of Gin imports: its settings call what these modules define."""
    for match in _GIN_IMPORT.finditer(content):
        name = match[1].decode()
        if name != "__gin__":
            report.add(_level(name), CODE, f"imports {one_line(name)}", inner)


def _walk(root: Any, report: Report, inner: str) -> None:
    waiting: list[tuple[Any, int]] = [(root, 0)]
    count = 0
    while waiting and count < _MOST:
        count += 1
        each, depth = waiting.pop()
        if isinstance(each, dict):
            _entries(each, report, inner)
            waiting += [(value, depth) for value in each.values()]
        elif isinstance(each, list):
            waiting += [(value, depth) for value in each]
        elif isinstance(each, str) and _TAG_TEXT.search(each):
            report.add(RUNS, CODE, "has a tag of YAML that makes an object of Python", inner)
        elif isinstance(each, str) and hidden_pickles.is_encoded(each):
            hidden_pickles.scan_text(each.encode("utf-8", "replace"), report, inner)
        elif isinstance(each, str) and ("{{" in each or "{%" in each) and depth == 0 and not _is_json(each):
            templates.scan(each, report, inner)
        elif isinstance(each, str) and depth == 0 and _is_json(each) and ("_target_" in each or "class_path" in each):
            try:
                waiting.append((json.loads(each), depth + 1))
            except (ValueError, RecursionError):
                continue


def _entries(entry: dict[str, Any], report: Report, inner: str) -> None:
    for key in ("_target_", "class_path"):
        name = entry.get(key)
        if isinstance(name, str) and (key == "_target_" or re.fullmatch(r"[A-Za-z_]\w*(\.\w+)+", name)):
            _target(name, report, inner)
    if isinstance(entry.get("expr_str"), str):
        _size(entry["expr_str"], report, inner)
    auto_map = entry.get("auto_map")
    for each in _strings(auto_map) if isinstance(auto_map, dict) else ():
        report.add(IMPORTS, CODE, f"imports {one_line(each)}, if remote code is trusted", inner)
    pipelines = entry.get("custom_pipelines")
    for each in pipelines.values() if isinstance(pipelines, dict) else ():
        if isinstance(each, dict) and isinstance(each.get("impl"), str):
            report.add(IMPORTS, CODE, f"imports {one_line(each['impl'])}, if remote code is trusted", inner)
    mapping = entry.get("auto_mapping")
    if isinstance(mapping, dict) and isinstance(mapping.get("parent_library"), str):
        home = mapping["parent_library"]
        level = RUNS if home.partition(".")[0] in _STANDARD else IMPORTS
        report.add(level, CODE, f"imports {one_line(home)}.{one_line(str(mapping.get('base_model_class')))}", inner)
    _loaded_by_name(entry, report, inner)
    _named_classes(entry, report, inner)
    if {"idx", "path", "type"} <= entry.keys() and isinstance(entry["type"], str):
        home = entry["type"].partition(".")[0]
        if home not in _KNOWN_MODULES:
            report.add(RUNS if home in _STANDARD else IMPORTS, CODE, f"imports {one_line(entry['type'])}", inner)


def _loaded_by_name(entry: dict[str, Any], report: Report, inner: str) -> None:
    """Enter code and files that libraries load because a setting names them."""
    for key in ("attn_implementation", "_attn_implementation", "experts_implementation"):
        value = entry.get(key)
        if isinstance(value, str) and "/" in value:
            report.add(RUNS, CODE, f"loads compiled code from {one_line(value)[:100]}, as {key} says", inner)
    if str(entry.get("trust_remote_code")).lower() in ("true", "yes", "on", "1"):
        report.add(RUNS, CODE, _TRUSTING, inner)
    library = entry.get("custom_ops_library")
    if isinstance(library, str) and library:
        report.add(RUNS, CODE, f"loads compiled code from {one_line(library)[:100]}, as custom_ops_library says", inner)
    for each in [part for key in ("filters", "codecs", "compressor") for part in _parts(entry.get(key))]:
        codec = str(each.get("id") or each.get("name"))
        if codec.rpartition(".")[2] in ("pickle", "dill", "cloudpickle"):
            report.add(RUNS, CODE, f"says that its chunks are read by {one_line(codec)[:40]}", inner)
    function = entry.get("activation_function")
    if (
        isinstance(function, str)
        and "." in function
        and not function.startswith(("torch.nn.", "torch.", "sentence_transformers."))
    ):
        report.add(RUNS, CODE, f"calls {one_line(function)[:100]}, as activation_function says", inner)
    shards = entry.get("weight_map")
    paths = _strings(shards) if isinstance(shards, dict) else []
    manifest = entry.get("weightsManifest")
    for group in manifest if isinstance(manifest, list) else ():
        paths += _strings(group.get("paths")) if isinstance(group, dict) else []
    for path in sorted(set(paths)):
        if _is_outside(path):
            report.add(RUNS, CODE, f"reads {one_line(path)[:200]}, which is outside of its folder", inner)


def _parts(value: Any) -> list[dict[str, Any]]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]


def _is_outside(path: str) -> bool:
    """Tell whether a path leads out of the folder of the file that names it."""
    above = ".." in path.replace("\\", "/").split("/")
    return above or path.startswith(("/", "\\", "~")) or "://" in path or path[1:2] == ":"


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[") and text.lstrip()[:2] not in ("{{", "{%")


def _named_classes(entry: dict[str, Any], report: Report, inner: str) -> None:
    """Enter the classes that parts of pipelines, estimators, graphs and other objects are made of."""
    if "_class_name" in entry:
        for key, value in entry.items():
            if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], str):
                if value[0].partition(".")[0] not in _PIPELINE_MODULES and (
                    key == "_class_name" or value[1][:1].isupper()
                ):
                    report.add(_level(value[0]), CODE, f"imports {one_line('.'.join(value))}", inner)
    if "__loader__" in entry:
        pairs = [(entry.get("__module__"), entry.get("__class__"))]
        content = entry.get("content")
        if isinstance(content, dict):
            pairs.append((content.get("module_path"), content.get("function")))
        for module, name in pairs:
            is_known = isinstance(module, str) and (
                module.partition(".")[0] in _ESTIMATOR_MODULES or f"{module}.{name}" in allow_list.CALLS
            )
            if isinstance(module, str) and isinstance(name, str) and not is_known:
                report.add(_level(module), CODE, f"imports {one_line(module)}.{one_line(name)}", inner)
    for key in ("py/object", "py/reduce", "py/function", "py/type", "py/newargs", "py/newargsex", "py/repr"):
        if key in entry:
            report.add(
                RUNS, CODE, f"has {key}, of which jsonpickle makes an object: {one_line(str(entry[key]))[:80]}", inner
            )
    if entry.get("op") == "Custom" and "inputs" in entry:
        report.add(IMPORTS, CODE, "has the operator Custom, which runs a class that a program registers", inner)


def _level(name: str) -> str:
    return RUNS if name.partition(".")[0] in _STANDARD else IMPORTS


def tensors_end(header: bytes) -> int:
    """Return where the last tensor ends that a header of safetensors lists, counted from its data."""
    try:
        value = json.loads(header)
    except (ValueError, RecursionError):
        return 1 << 62
    entries = value.values() if isinstance(value, dict) else ()
    offsets = [entry["data_offsets"] for entry in entries if isinstance(entry, dict) and "data_offsets" in entry]
    ends = [each[1] for each in offsets if isinstance(each, list) and len(each) == 2 and type(each[1]) is int]
    return max(ends, default=0)


def gaps(header: bytes) -> list[tuple[int, int]]:
    """Return where bytes lie that belong to no tensor which a header of safetensors lists, and how many."""
    try:
        value = json.loads(header)
    except (ValueError, RecursionError):
        return []
    entries = value.values() if isinstance(value, dict) else ()
    offsets = [entry["data_offsets"] for entry in entries if isinstance(entry, dict) and "data_offsets" in entry]
    pairs = [
        each for each in offsets if isinstance(each, list) and len(each) == 2 and all(type(n) is int for n in each)
    ]
    found, at = [], 0
    for start, end in sorted(pairs):
        if start > at:
            found.append((at, start - at))
        at = max(at, end)
    return found


def _strings(value: Any) -> list[str]:
    """Return the strings in a value, at any depth."""
    found: list[str] = []
    waiting = [value]
    while waiting and len(found) < _MOST:
        each = waiting.pop()
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, (dict, list)):
            waiting += each.values() if isinstance(each, dict) else each
    return found


def _target(name: str, report: Report, inner: str) -> None:
    """Enter a class or function that is called by its name, as Hydra does."""
    first = name.partition(".")[0]
    harmless = name in ("collections.OrderedDict", "functools.partial", "builtins.dict", "builtins.list")
    level = RUNS if first in _STANDARD and not harmless else IMPORTS
    report.add(level, CODE, f"calls {one_line(name)}, where its configuration is instantiated", inner)


def _size(text: str, report: Report, inner: str) -> None:
    """Enter a size of an exported program that is more than a formula: it is evaluated as Python.

    Functions of formulas begin with a capital; attributes, items and other calls have no place in one.
    """
    if _EVALUATED.search(text):
        report.add(RUNS, CODE, f"has a size that is evaluated: {one_line(text)[:80]}", inner)
