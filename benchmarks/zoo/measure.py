"""One model: analyse it and compare it with its truth."""

from __future__ import annotations

import gc
import gzip
import json
import re
import time
from pathlib import Path
from typing import Any

from benchmarks.zoo.compare import UNKNOWN, compare

FACTS = ("tree", "weights", "outputs", "calls")


def read_truth(zoo: str, path: Path | None = None) -> list[dict[str, Any]]:
    """Return the models of a zoo that built live: of the truth file that is given, or of the one that is kept here."""
    with gzip.open(path or Path(__file__).parent / "truth" / f"{zoo}.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    return [row for row in rows if "build_error" not in row]


def target_of(row: dict[str, Any]) -> str:
    """Return the target that builds the model of a row as the truth did.

    A model that a configuration of another module determines may be written as `module:Model(module:Config)`; the module
    of the model imports its configuration.
    """
    target = row["target"]
    configured = re.fullmatch(r"([\w.]+:\w+)\([\w.]+:(\w+)\)", target)
    if configured:
        return f"{configured[1]}({configured[2]}())"
    return f"{target}({row['arguments']})" if row.get("arguments") else target


def inputs_of(row: dict[str, Any]) -> list[str]:
    """Return the `--input` values of a row."""
    given = row.get("input") or []
    dtypes = row.get("dtypes", {})
    if isinstance(given, dict):
        return [f"{name}={'x'.join(map(str, shape))}:{dtypes.get(name, _dtype(name))}" for name, shape in given.items()]
    kinds = dtypes if isinstance(dtypes, list) else ["float32"] * len(given)
    return [
        item if isinstance(item, str) else f"{'x'.join(map(str, item))}:{dtype}" for item, dtype in zip(given, kinds)
    ]


def _dtype(name: str) -> str:
    """Return the type of an input where the truth does not record it: token numbers are integers."""
    return "int64" if name.endswith("input_ids") else "float32"


def measure(row: dict[str, Any]) -> dict[str, Any]:
    """Analyse one model and compare it with its truth."""
    from cutaway._api import show

    gc.collect()  # what the model before left is not this one's time
    started = time.perf_counter()
    try:
        found = show(target_of(row), input=inputs_of(row) if "output" in row else [], train=False, isolated=False)[0]
    except BaseException as error:  # a model that fails is a result, whatever the reason
        verdicts = {fact: (UNKNOWN, f"{type(error).__name__}: {error}") for fact in FACTS}
        if "output" not in row:
            del verdicts["outputs"], verdicts["calls"]
        return {"target": row["target"], "verdicts": verdicts, "seconds": time.perf_counter() - started, "unknowns": []}
    return {
        "target": row["target"],
        "verdicts": compare(row, found),
        "seconds": time.perf_counter() - started,
        "unknowns": [f"{note.place}: {note.text}" for note in found.unknowns],
        "faults": [f"{d.place}: {d.message}" for d in found.diagnostics],
    }
