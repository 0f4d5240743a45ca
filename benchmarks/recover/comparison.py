"""One file: its code is recovered, run by PyTorch, and compared with what a runtime of ONNX computes."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

TOLERANCE = 1e-4
KINDS = {
    "F32": np.float32, "F64": np.float64, "F16": np.float16, "I64": np.int64, "I32": np.int32, "I16": np.int16, "I8": np.int8,
    "U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "U64": np.uint64, "BOOL": np.bool_,
}  # fmt: skip


def weights_of(content: bytes) -> dict[str, Any]:
    """Return the tensors of a safetensors file."""
    import torch

    start = 8 + int.from_bytes(content[:8], "little")
    weights = {}
    for name, entry in json.loads(content[8:start]).items():
        first, last = entry["data_offsets"]
        if entry["dtype"] == "BF16":
            flat = torch.frombuffer(bytearray(content[start + first : start + last]), dtype=torch.bfloat16)
            weights[name] = flat.reshape(entry["shape"])
            continue
        array = np.frombuffer(content[start + first : start + last], KINDS[entry["dtype"]])
        weights[name] = torch.from_numpy(array.reshape(entry["shape"]).copy())
    return weights


def compare(
    path: str,
    runs: Callable[[list[str]], list[tuple[dict[str, Any], list[Any]]]],
    keep: Callable[[str], None] = lambda source: None,
) -> dict[str, Any]:
    """Return how far the code of a file gets: recovered, valid, runs, equal; `runs` returns inputs and outputs by name."""
    import torch

    from cutaway._recovery_api import recover

    content = io.BytesIO()
    started = time.perf_counter()
    result = recover(path, weights_file=content)
    outcome: dict[str, Any] = {
        "seconds": time.perf_counter() - started,
        "lines": result.source.count("\n"),
        "classes": sum(line.startswith("class ") for line in result.source.splitlines()),
        "missing": list(result.missing),
        "different": list(result.different),
        "source": result.source,
    }
    keep(result.source)
    namespace: dict[str, Any] = {"__name__": "recovered"}
    exec(compile_source(result.source, path), namespace)
    outcome["valid"] = True
    network = namespace[result.class_name]()
    network.load_state_dict(weights_of(content.getvalue()))
    network.eval()
    worst = 0.0
    for values, expected in runs(list(result.inputs)):
        with torch.no_grad():
            returned = network(*(torch.from_numpy(np.array(values[name])) for name in result.inputs))
        results = returned if isinstance(returned, (tuple, list)) else (returned,)
        outcome["runs"] = True
        for one, other in zip(expected, results):
            worst = max(worst, difference(np.asarray(one), other.detach().numpy()))
    outcome["difference"] = worst
    outcome["equal"] = worst <= TOLERANCE
    return outcome


def compile_source(source: str, path: str) -> Any:
    """Compile recovered source."""
    return compile(source, f"<recovered from {path}>", "exec")


def difference(one: Any, other: Any) -> float:
    """Return the largest difference of two arrays, relative to the largest number; infinite if they can't be compared."""
    if one.shape != other.shape or (one.dtype.kind != other.dtype.kind and one.size):
        return float("inf")
    if not one.size:
        return 0.0
    left, right = one.astype(np.float64), other.astype(np.float64)
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    if same.all():
        return 0.0
    finite = np.abs(left[np.isfinite(left)])
    gap = np.abs(left - right)[~same].max()
    return float(gap / max(finite.max() if finite.size else 0.0, 1e-3)) if np.isfinite(gap) else float("inf")
