"""Recovered code of ONNX files against ONNX Runtime, at two sizes of the inputs.

    python -m benchmarks.recover.runs FILE_OR_FOLDER ... [--limit MEGABYTES] [--keep FOLDER] [--seconds 120]

Each file is compared in a process of its own. Counted are files whose code is valid Python, those that run, and those whose
outputs are equal within 1e-4 of the largest number; files that ONNX Runtime itself refuses are counted apart. `--keep`
writes the recovered code to a folder.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.recover.comparison import compare

SIZES = (2, 3)
KINDS = {
    "float": np.float32, "double": np.float64, "float16": np.float16, "int64": np.int64, "int32": np.int32, "int16": np.int16,
    "int8": np.int8, "uint8": np.uint8, "bool": np.bool_,
}  # fmt: skip


class Refused(Exception):
    """The runtime does not run the file."""


def runs(path: str, names: list[str]) -> list[tuple[dict[str, Any], list[Any]]]:
    """Return inputs and outputs of runs by ONNX Runtime, at two sizes if there are open ones."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
        results = []
        for size in SIZES:
            values = {each.name: _random(each, size) for each in session.get_inputs()}
            results.append((values, session.run(None, values)))
            if not any(not isinstance(dim, int) for each in session.get_inputs() for dim in each.shape):
                break
        return results
    except Exception as error:
        raise Refused(str(error)[:200]) from None


def _random(value: Any, size: int) -> Any:
    generator = np.random.default_rng(size)
    kind = KINDS[value.type.removeprefix("tensor(").removesuffix(")")]
    shape = [dim if isinstance(dim, int) else size for dim in value.shape]
    if np.dtype(kind).kind == "f":
        return generator.standard_normal(shape).astype(kind)
    return generator.integers(0, 2, shape).astype(kind)


def attempt(path: str, keep: str | None, connection: Any) -> None:
    """Compare one file, and send how far it gets."""
    import torch

    torch.set_num_threads(1)
    outcome: dict[str, Any] = {}
    try:
        outcome = _attempt(path, keep)
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {str(error)[:300]} ({os.path.basename(place.filename)}:{place.lineno})"
        outcome = {"state": "fails", "why": text}
    connection.send(outcome)


def _attempt(path: str, keep: str | None) -> dict[str, Any]:
    from cutaway.core.error import CutawayError

    try:
        found = compare(path, lambda names: runs(path, names), _keeper(path, keep))
    except Refused as error:
        return {"state": "refused by the runtime", "why": str(error)}
    except NotImplementedError as error:
        return {"state": "no code", "why": str(error)}
    except SyntaxError as error:
        return {"state": "not valid", "why": str(error)}
    except CutawayError as error:
        return {"state": "not recovered", "why": str(error)}
    why = "; ".join(found["different"])
    return {**found, "state": "equal" if found["equal"] else "different", "why": f"{found['difference']:.1e} {why}"}


def _keeper(path: str, keep: str | None) -> Any:
    def write(source: str) -> None:
        if keep:
            name = "".join(sign if sign.isalnum() else "_" for sign in Path(path).stem)
            (Path(keep) / f"{name}.py").write_text(source)

    return write


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", nargs="+")
    parser.add_argument("--limit", type=float, default=400.0, help="leave out larger files (megabytes)")
    parser.add_argument("--keep")
    parser.add_argument("--seconds", type=float, default=120.0)
    options = parser.parse_args()
    files = [
        path
        for target in options.target
        for path in ([Path(target)] if Path(target).is_file() else sorted(Path(target).rglob("*.onnx")))
        if path.stat().st_size <= options.limit * 1e6
    ]
    counts: Counter[str] = Counter()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "onnxruntime", "cutaway._api"])
    for path in files:
        receiver, sender = context.Pipe(False)
        process = context.Process(target=attempt, args=(str(path), options.keep, sender))
        process.start()
        sender.close()
        try:
            outcome = receiver.recv() if receiver.poll(options.seconds) else {"state": "too slow", "why": ""}
        except EOFError:
            outcome = {"state": "crashes", "why": ""}
        process.kill()
        process.join()
        counts[outcome["state"]] += 1
        size = f"lines {outcome['lines']}, classes {outcome['classes']}" if "lines" in outcome else ""
        print(f"{path.name:40} {outcome['state']:10} {outcome['why']} {size}", flush=True)
    total = len(files) - counts["refused by the runtime"] - counts["not recovered"]
    ran = counts["equal"] + counts["different"]
    print(dict(counts))
    print(f"of {total} that the runtime runs: {ran} run ({ran / max(total, 1):.0%}), {counts['equal']} equal "
          f"({counts['equal'] / max(total, 1):.0%}), {counts['not valid']} not valid Python")  # fmt: skip


if __name__ == "__main__":
    main()
