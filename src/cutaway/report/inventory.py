"""The two documents of unique modules and unique operations, as plain data.

Their fields come first, in order and form, as `tt-model-analysis` documents them; what is added follows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from cutaway.core.architecture import Architecture, ModuleCall, Setting, Shape, Value
from cutaway.core.record import dataclass
from cutaway.passes.completeness import incompleteness
from cutaway.passes.unique_modules import FULL, UniqueModule, unique_modules, wrongly_merged
from cutaway.passes.unique_ops import UniqueOp, unique_ops
from cutaway.report.json import plain, write_quantity

NUMBERED, NAMED = "numbered", "named"
IDS = (NUMBERED, NAMED)
"""The two dialects of ids: `mod_004` with `(root)`, and `mod_004_conv1` with `full_model`."""

_ROOT = {NUMBERED: "(root)", NAMED: "full_model"}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a network comes from, for the metadata: the function that makes it, and how it was read."""

    location: str
    function: str
    source: str


def modules_document(
    architecture: Architecture,
    origin: Origin,
    *,
    key: str = FULL,
    ids: str = NUMBERED,
    expand: Callable[[str, Mapping[str, Setting]], Mapping[str, Setting]] = lambda _name, config: config,
) -> dict[str, Any]:
    """Return `unique_modules.json`; `expand` gives a class's configuration the form of its attributes."""
    distinct = unique_modules(architecture, key)
    root = architecture.modules[0] if architecture.modules else None
    document: dict[str, Any] = {
        "metadata": {
            "load_fn_location": origin.location,
            "load_fn_name": origin.function,
            "model_class": root.class_name if root else architecture.name,
            "total_modules": len(architecture.modules),
            "unique_modules": len(distinct),
            "timestamp": _now(),
            "source": origin.source,
            "key": key,
            "unknowns": len(architecture.unknowns),
            "faults": len(architecture.diagnostics),
            "incomplete": incompleteness(architecture) or None,
        },
        "modules": [_module(at, each, ids, expand) for at, each in enumerate(distinct)],
    }
    merges = wrongly_merged(architecture)
    document["merged_by_weaker_key"] = [
        {
            "class_name": merge.class_name,
            "modules": [[_path(path, ids) for path in paths] for paths in merge.paths],
            "differences": list(merge.differences),
        }
        for merge in merges
    ]
    return document


def ops_document(
    architecture: Architecture,
    modules: Mapping[str, Any],
    *,
    source: str,
    public: Callable[[str], str] = lambda name: name,
) -> dict[str, Any]:
    """Return `pytorch_ops.json` for the modules of a document; `public` gives an operation its usual name."""
    records = {path: record for record in modules["modules"] for path in record["occurrences"]}
    ids = dialect(modules)
    distinct = unique_ops(architecture.ops)
    return {
        "metadata": {
            "source_modules_json": source,
            "total_ops": len(architecture.ops),
            "unique_ops": len(distinct),
            "timestamp": _now(),
            "unknowns": len(architecture.unknowns),
            "faults": len(architecture.diagnostics),
            "incomplete": incompleteness(architecture) or None,
        },
        "ops": [_op(at, each, records, ids, public) for at, each in enumerate(distinct)],
    }


def dumps(value: Any, indent: str = "") -> str:
    """Return a document's text: what holds no object stands on one line."""
    deeper = indent + "  "
    if isinstance(value, Mapping) and value:
        if len(indent) < 4 or any(isinstance(item, (Mapping, list)) and item for item in value.values()):
            rows = [f"{deeper}{json.dumps(key)}: {dumps(item, deeper)}" for key, item in value.items()]
            return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        return "[\n" + ",\n".join(f"{deeper}{dumps(item, deeper)}" for item in value) + f"\n{indent}]"
    return json.dumps(value)


def dialect(modules: Mapping[str, Any]) -> str:
    """Return which ids a document of modules has."""
    first = next(iter(modules["modules"]), None)
    return NAMED if first is not None and _ROOT[NAMED] in first["occurrences"] else NUMBERED


def _module(
    at: int,
    unique: UniqueModule,
    ids: str,
    expand: Callable[[str, Mapping[str, Setting]], Mapping[str, Setting]],
) -> dict[str, Any]:
    module = unique.module
    calls = [_call(call) for call in module.calls]
    settings: Any = plain(expand(module.qualified_name, module.config))
    first = calls[0] if calls else {"input_shapes": [], "output_shapes": [], "input_dtypes": [], "output_dtypes": []}
    record = {
        "id": _module_id(at, module.path, ids),
        "class_name": module.class_name,
        "module_path": _path(module.path, ids),
        "parent": None if unique.parent is None else _path(unique.parent, ids),
        **first,
        "parameters": {k: v for k, v in settings.items() if not _is_object(v)},
        "occurrences": [_path(path, ids) for path in unique.occurrences],
    }
    if len(calls) > 1:
        record["calls"] = calls
    if unique.count != len(unique.occurrences):
        record["count"] = write_quantity(unique.count)
    return record


def _is_object(value: Any) -> bool:
    """Tell whether a setting is an object, or a list of objects, that only a description stands for."""
    if isinstance(value, list):
        return bool(value) and all(_is_object(item) for item in value)
    return isinstance(value, str) and value.startswith("<") and value.endswith(">")


def _call(call: ModuleCall) -> dict[str, Any]:
    return {
        "input_shapes": [shape_text(shape) for shape in call.inputs],
        "output_shapes": [shape_text(shape) for shape in call.outputs or ()],
        "input_dtypes": [dtype or "unknown" for dtype in call.input_dtypes],
        "output_dtypes": [dtype or "unknown" for dtype in call.output_dtypes],
    }


def _op(
    at: int, unique: UniqueOp, records: Mapping[str, Any], ids: str, public: Callable[[str], str]
) -> dict[str, Any]:
    op = unique.op
    home = _record(records, op.module, ids)
    types: dict[str, Any] = {"output": _tensor(op.outputs[0]) if op.outputs else None}
    types["inputs"] = [_tensor(value) for value in op.inputs]
    if len(op.outputs) > 1:
        types["outputs"] = [_tensor(value) for value in op.outputs]
    return {
        "id": f"op_{at:03d}",
        "op_name": public(op.op),
        "source_module_id": home["id"],
        "source_module_class": home["class_name"],
        "attributes": plain(op.attributes),
        "tensor_types": types,
        "occurrences": [
            {
                "source_module_id": _record(records, each.op.module, ids)["id"],
                "node_name": each.node,
                "module_path": _path(each.op.module, ids),
                "source": str(each.op.source) if each.op.source else None,
            }
            for each in unique.occurrences
        ],
        "count": write_quantity(unique.count),
        "macs": write_quantity(op.macs),
    }


def _record(records: Mapping[str, Any], path: str, ids: str) -> Any:
    while _path(path, ids) not in records:
        if not path:
            raise ValueError("the document of modules has no root: it is of another network")
        path = path.rpartition(".")[0]
    return records[_path(path, ids)]


def _module_id(at: int, path: str, ids: str) -> str:
    if ids == NUMBERED:
        return f"mod_{at:03d}"
    name = re.sub(r"[^a-zA-Z0-9_]", "", _path(path, ids).rpartition(".")[2])[:60]
    return f"mod_{at:03d}_{name}" if name else f"mod_{at:03d}"


def _path(path: str, ids: str) -> str:
    return path or _ROOT[ids]


def _tensor(value: Value) -> dict[str, str]:
    return {"shape": shape_text(value.shape), "dtype": value.dtype or "unknown"}


def shape_text(shape: Shape) -> str:
    """Return a shape as `1x3x224x224`, with `?` for what is unknown."""
    return "?" if shape is None else "x".join("?" if size is None else str(size) for size in shape)


def _now() -> str:
    return datetime.now().isoformat(timespec="seconds")
