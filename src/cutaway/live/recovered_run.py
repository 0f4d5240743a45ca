"""Recovered code and the file that it is from, both run on the same random numbers."""

from __future__ import annotations

import os
from typing import Any

from cutaway.core.architecture import Value
from cutaway.core.error import CutawayError
from cutaway.core.size.dim import symbols
from cutaway.core.size.parser import evaluate

_BATCHES = (2, 3)


def largest_difference(path: str, source: str, class_name: str, weights: str, inputs: tuple[Value, ...]) -> float:
    """Return the largest difference of outputs, relative to the largest number in them, at two sizes of the free sizes."""
    try:  # late: only a comparison that is asked for needs them
        import numpy as np
        import onnxruntime
        import torch
        from safetensors.torch import load_file
    except ModuleNotFoundError as error:
        raise CutawayError(f"--check needs {error.name} installed") from None
    onnxruntime.set_default_logger_severity(4)
    namespace: dict[str, Any] = {"__name__": "recovered"}
    exec(compile(source, f"<recovered from {os.path.basename(path)}>", "exec"), namespace)
    network = namespace[class_name]()
    network.load_state_dict(load_file(weights))
    network.eval()
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    worst = 0.0
    for batch in _BATCHES:
        generator = np.random.default_rng(batch)
        values = {value.name: _random(value, batch, generator) for value in inputs}
        expected = session.run(None, values)
        with torch.no_grad():
            returned = network(*(torch.from_numpy(each) for each in values.values()))
        results = returned if isinstance(returned, (tuple, list)) else (returned,)
        for one, other in zip(expected, results):
            if one.shape != tuple(other.shape):
                raise CutawayError(f"{path}: the recovered code returns {tuple(other.shape)}, the original {one.shape}")
            if one.size:
                gap = float(np.abs(one.astype(np.float64) - other.numpy()).max())
                worst = max(worst, gap / max(float(np.abs(one).max()), 1e-6))
    return worst


def _random(value: Value, batch: int, generator: Any) -> Any:
    """Return random numbers for an input; free sizes are all the same."""
    if value.shape is None or None in value.shape:
        raise CutawayError(f"the input {value.name} can't be made up: its shape is not known")
    shape = [size if isinstance(size, int) else _number(size, batch) for size in value.shape]
    dtype = value.dtype or "float32"
    if dtype == "bool":
        return generator.integers(0, 2, shape).astype(bool)
    if dtype.startswith(("int", "uint")):
        return generator.integers(0, 2, shape).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)


def _number(size: Any, batch: int) -> int:
    return int(evaluate(size, {symbol.name: batch for symbol in symbols(size)}))
