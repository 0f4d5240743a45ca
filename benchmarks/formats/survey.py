"""How much of saved files is read: which open, which are refused and why, and the share of shapes that are known.

    python -m benchmarks.formats.survey FOLDER... [--seconds 60] [--details] [--json FILE]

Each file is read in a process of its own, which a crash ends or the time limit. A shape is known if each of its sizes is a
number or a formula over named symbols. Files are counted by the reader that claims them.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

SKIPPED = (".py", ".ts", ".js", ".proto", ".md", ".txt", ".data-00000-of-00001", ".data-00000-of-00002")


def surveyed(path: str) -> dict[str, Any]:
    """Return what is read of one file."""
    import cutaway
    from cutaway.formats import dispatch
    from cutaway.report import json as written

    started = time.perf_counter()
    result: dict[str, Any] = {"reader": "", "path": path}
    try:
        result["reader"] = dispatch._reader(path) or ""
        networks = cutaway.show(path, isolated=False)
        json.loads(written.dumps(networks))
    except cutaway.CutawayError as error:
        text = str(error)
        lines = "\n" in text or os.path.basename(path) not in text or "a bug in Cutaway" in text
        return {**result, "refused": text, "crash": lines, "seconds": time.perf_counter() - started}
    except Exception as error:
        return {**result, "refused": f"{type(error).__name__}: {error}", "crash": True}
    result["seconds"] = time.perf_counter() - started
    values = [(op.op, value) for each in networks for op in each.ops for value in op.outputs]
    layers = [
        module for each in networks for module in each.modules if module.path and result["reader"] == "keras_file"
    ]
    if layers:
        leaves = [module for module in layers if module.calls]
        shapes = [shape for module in leaves for shape in module.calls[0].outputs or (None,)]
        result["outputs"], result["known"] = len(shapes), sum(map(_is_known, shapes))
        result["open"] = [
            module.class_name for module in leaves if not all(map(_is_known, module.calls[0].outputs or (None,)))
        ]
    else:
        tensors = [(op, value) for op, value in values if not _is_other(value.dtype)]
        result["outputs"], result["known"] = len(tensors), sum(_is_known(value.shape) for _, value in tensors)
        result["open"] = [op for op, value in tensors if not _is_known(value.shape)]
    result["networks"] = len(networks)
    result["weights"] = sum(len(each.weights) for each in networks)
    result["unknowns"] = [note.text for each in networks for note in each.unknowns]
    result["diagnostics"] = [f"{each.code}: {each.message}" for one in networks for each in one.diagnostics]
    return result


def _is_known(shape: Any) -> bool:
    return shape is not None and all(size is not None for size in shape)


def _is_other(dtype: str | None) -> bool:
    return dtype is not None and dtype.split()[0] in ("sequence", "optional", "map", "opaque", "variant", "resource")


def _worker(paths: list[str], pipe: Any) -> None:
    for path in paths:
        pipe.send(surveyed(path))


def survey(paths: list[str], seconds: float) -> list[dict[str, Any]]:
    """Read files one after the other; a process that ends or takes too long is replaced."""
    results: list[dict[str, Any]] = []
    while len(results) < len(paths):
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.Process(target=_worker, args=(paths[len(results) :], theirs))
        process.start()
        theirs.close()
        try:
            while len(results) < len(paths):
                path = paths[len(results)]
                if not ours.poll(seconds):
                    results.append({"path": path, "reader": "", "refused": "it takes too long", "crash": True})
                    break
                results.append(ours.recv())
        except EOFError:
            results.append({"path": paths[len(results)], "reader": "", "refused": "the process ended", "crash": True})
        finally:
            process.kill()
            process.join()
    return results


def main() -> int:
    """Read all files of folders and print the sums."""
    import cutaway._api
    import cutaway.formats.onnx
    import cutaway.formats.saved_model
    import cutaway.formats.tflite

    assert cutaway
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--details", action="store_true", help="list the files that are not known in full")
    parser.add_argument("--json", type=Path, help="where to write what was found of each file")
    options = parser.parse_args()
    paths = [
        str(path)
        for folder in options.folders
        for path in (sorted(folder.rglob("*")) if folder.is_dir() else [folder])
        if path.is_file() and path.suffix not in SKIPPED
    ]
    results = survey(paths, options.seconds)
    _report(results, options.details)
    if options.json:
        options.json.write_text(json.dumps(results), encoding="utf-8")
    return 1 if any(each.get("crash") for each in results) else 0


def _report(results: list[dict[str, Any]], details: bool) -> None:
    readers: dict[str, Counter[str]] = {}
    missing: dict[str, Counter[str]] = {}
    for each in results:
        sums = readers.setdefault(each["reader"] or "none", Counter())
        sums["files"] += 1
        if "refused" in each:
            sums["crashes" if each["crash"] else "refused"] += 1
            if details or each["crash"]:
                print(f"{each['path']}: {'CRASH ' if each['crash'] else ''}{each['refused']}")
            continue
        sums["opened"] += 1
        for key in ("outputs", "known", "weights"):
            sums[key] += each[key]
        missing.setdefault(each["reader"], Counter()).update(each["open"])
        if details and each["known"] < each["outputs"]:
            print(f"{each['path']}: {each['known']} of {each['outputs']}: {each['unknowns'][:2]}")
    for reader, sums in sorted(readers.items()):
        share = 100 * sums["known"] / sums["outputs"] if sums["outputs"] else 0.0
        print(f"{reader:14} {dict(sums)} {share:.2f} %")
        for op, count in missing.get(reader, Counter()).most_common(25 if details else 0):
            print(f"      {count:5} {op}")


if __name__ == "__main__":
    sys.exit(main())
