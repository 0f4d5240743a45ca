"""Recovered code of files of any format, in either framework, against the original in its own.

    python -m benchmarks.recover.round_trips FILE_OR_FOLDER ... --to torch|keras [--seconds 120] [--keep FOLDER] [--details]

Each file is compared in a process of its own, at two sizes of its free sizes. Counted are files whose code is valid Python,
that run, and whose outputs are equal within 1e-4 of the largest number; beside it, files whose code, read again, is the same
as the original as far as reading can tell.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

TOLERANCE = 1e-4
ENDINGS = (".onnx", ".pt", ".pth", ".pt2", ".ptl", ".keras", ".h5", ".tflite")


def attempt(path: str, to: str, keep: str | None, connection: Any) -> None:
    """Compare one file, and send how far it gets."""
    connection.send(judged(path, {}, to, keep))


def judged(
    target: str, options: dict[str, Any], to: str, keep: str | None, name: str = "", weights: bool = True
) -> dict[str, Any]:
    """Return how far one target gets; `options` are those of `recover`, `name` is that of the file that is kept.

    Where the target has no numbers of weights, only the shapes of outputs are compared.
    """
    import torch

    torch.set_num_threads(1)
    try:
        return _judged(target, options, to, keep, name or Path(target).stem, weights)
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"({os.path.basename(place.filename)}:{place.lineno})"
        return {"state": "fails", "why": f"{type(error).__name__}: {str(error)[:300]} {where}".replace("\n", " ")}


def _judged(
    target: str, options: dict[str, Any], to: str, keep: str | None, name: str, weights: bool
) -> dict[str, Any]:
    from cutaway._recovery_api import check_recovered, recover
    from cutaway.core.error import CutawayError

    try:
        result = recover(target, to=to, **options)
    except CutawayError as error:
        return {"state": "not recovered", "why": str(error)}
    if keep:
        Path(keep, f"{name}_{to}.py").write_text(result.source)
    try:
        compile(result.source, target, "exec")
    except SyntaxError as error:
        return {"state": "not valid", "why": str(error)}
    found = {"read": not result.different, "why": "; ".join(result.different)[:300]}
    if result.missing:
        return {**found, "state": "no code", "why": "; ".join(dict.fromkeys(result.missing))[:300]}
    if not weights:
        return {**found, "state": "shapes" if _shapes_fit(target, options, result) else "different"}
    try:
        gap = check_recovered(target, to=to, **options)
    except CutawayError as error:
        return {**found, "state": "different", "why": str(error)}
    return {**found, "state": "equal" if gap <= TOLERANCE else "different", "gap": gap}


def _shapes_fit(target: str, options: dict[str, Any], result: Any) -> bool:
    """Tell whether code without weights returns arrays of the shapes that the target says, at two sizes."""
    from cutaway._api import show
    from cutaway.core.size.dim import symbols
    from cutaway.core.size.parser import evaluate
    from cutaway.live.recovered_run import flat, random_values

    network = show(target, isolated=False, **options)[0]
    namespace: dict[str, Any] = {"__name__": "recovered"}
    exec(compile(result.source, f"<recovered from {target}>", "exec"), namespace)
    built = namespace[result.class_name]()
    if hasattr(built, "eval"):
        import torch

        module = built.eval()
        built = lambda *values: [each.detach() for each in _listed(module(*map(torch.from_numpy, values)))]
    for batch in (2, 3):
        values = random_values(network.inputs, batch, 16)
        shapes = [
            tuple(evaluate(size, {s.name: batch for s in symbols(size)}) for size in out.shape or ())
            for out in network.outputs
        ]
        if [each.shape for each in flat(built(*values))] != shapes:
            return False
    return True


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--to", choices=("torch", "keras"), default="torch")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--keep")
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    files = [each for path in options.paths for each in sorted(_files(Path(path)))]
    states: Counter[str] = Counter()
    same = 0
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.recover.preloaded", "cutaway._api"])
    for path in files:
        receiving, sending = context.Pipe(False)
        process = context.Process(target=attempt, args=(str(path), options.to, options.keep, sending))
        process.start()
        sending.close()
        if receiving.poll(options.seconds):
            try:
                outcome = receiving.recv()
            except EOFError:
                outcome = {"state": "fails", "why": "the process ended"}
        else:
            outcome = {"state": "takes too long", "why": ""}
        process.kill()
        process.join()
        states[outcome["state"]] += 1
        same += bool(outcome.get("read"))
        if options.details or outcome["state"] != "equal":
            print(f"{path}: {outcome['state']} {outcome.get('gap', '')} {outcome.get('why', '')}", flush=True)
    total = len(files)
    print(f"{total} files to {options.to}: {dict(states)}; {same} read again without a difference")


def _files(path: Path) -> list[Path]:
    if path.is_file() or (path / "saved_model.pb").exists():
        return [path]
    found = [each for each in path.rglob("*") if each.suffix in ENDINGS and each.is_file()]
    return [*found, *(each.parent for each in path.rglob("saved_model.pb"))]


if __name__ == "__main__":
    main()
