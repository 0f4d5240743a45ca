"""Record what the models of a zoo are, read off the live models.

usage: python -m benchmarks.zoo.truth torchvision|timm|transformers OUT [--every N] [--only TEXT] [--seconds N]

Each model is built on the meta device, so that no weight is allocated, and called on a meta input. OUT gets
a line of JSON for each, compressed if its name ends in .gz:

    target       module:function
    arguments    what the function is called with, if anything
    input        the shapes that forward is called with, by name where they are given by name, or `--input` values
    dtypes       {name: element type} of those that are given by name
    modules      [[path, class]] in the order of named_modules()
    params       {name: shape} in the order of named_parameters()
    buffers      {name: shape} in the order of named_buffers()
    output       the shapes that forward returns, flattened
    io           {path: [input shapes, output shapes]} of the first call of each module

`build_error` or `forward_error` says why the rest is missing where the live model itself fails.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import gzip
import io
import json
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from benchmarks.zoo.subjects import ZOOS, Shape, Subject, transformers_defaults
from cutaway.syntax.inputs import Input, Reading, TensorInput, parse_input

RECORDED = {**ZOOS, "transformers": transformers_defaults}  # nothing is allocated, so they keep all of their layers


class Late(BaseException):
    """A model takes longer than it may."""


def shapes(value: Any) -> list[Shape]:
    """Return the shapes of all tensors in a nested value, in order."""
    import torch

    if isinstance(value, torch.Tensor):
        return [list(value.shape)]
    if isinstance(value, dict):
        value = value.values()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = [getattr(value, field.name, None) for field in dataclasses.fields(value)]
    elif not isinstance(value, (list, tuple)):
        return []
    return [shape for item in value for shape in shapes(item)]


def record(subject: Subject, device: str = "meta") -> dict[str, Any]:
    """Build a model on a device, call it, and return its row."""
    import torch

    row: dict[str, Any] = {"target": subject.target}
    if subject.arguments:
        row["arguments"] = subject.arguments
    try:
        try:
            with torch.device(device):
                model = subject.build()
        except NotImplementedError:  # it needs numbers while it is built
            device = "cpu"
            model = subject.build()
    except Exception as error:
        return row | {"build_error": _line(error)}
    model.eval()
    row |= _contents(model)
    given = subject.inputs(model)
    row["input"] = dict(zip(subject.names, given)) if subject.names else given
    if subject.names:
        row["dtypes"] = dict(zip(subject.names, subject.dtypes))
    if not given:
        return row
    calls: dict[str, list[list[Shape]]] = {}
    entered: dict[str, list[list[Shape]]] = {path: [] for path, _ in model.named_modules()}
    for path, module in model.named_modules():

        def enter(_module: Any, args: Any, kwargs: Any, path: str = path) -> None:
            entered[path].append(shapes((args, kwargs)))

        def leave(_module: Any, args: Any, kwargs: Any, output: Any, path: str = path) -> None:
            given, kept = entered[path].pop(), shapes((args, kwargs))
            # What forward puts into a list that it is given in place of something is not an input; what it adds counts.
            calls.setdefault(path, [given if len(given) == len(kept) else kept, shapes(output)])

        module.register_forward_pre_hook(enter, with_kwargs=True)
        module.register_forward_hook(leave, with_kwargs=True)
    try:
        with torch.no_grad():
            args, kwargs = _tensors(given, subject.dtypes, subject.names, device)
            output = model(*args, **kwargs)
    except Exception as error:
        return row | {"forward_error": _line(error)}
    return _with_added(row, _contents(model)) | {"output": shapes(output), "io": calls}


def _with_added(built: dict[str, Any], called: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a model as it is built, with what its first call has added in the places where it stands."""
    found = dict(built)
    for kind in ("modules", "params", "buffers"):
        before, after = dict(built[kind]), dict(called[kind])
        if before.keys() < after.keys():
            merged = {name: before.get(name, value) for name, value in after.items()}
            found[kind] = [list(entry) for entry in merged.items()] if kind == "modules" else merged
    return found


def _contents(model: Any) -> dict[str, Any]:
    """Return the modules and weights that a model has now; its first call may add some."""
    return {
        "modules": [[path, type(module).__name__] for path, module in model.named_modules()],
        "params": {name: list(weight.shape) for name, weight in model.named_parameters()},
        "buffers": {name: list(weight.shape) for name, weight in model.named_buffers()},
    }


def _tensors(
    given: list[Shape] | list[str], dtypes: tuple[str, ...], names: tuple[str, ...], device: str
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of forward by position and by name; without a name of its own each is given by position."""
    import torch

    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for index, item in enumerate(given):
        kind = dtypes[index] if index < len(dtypes) else "float32"
        name = names[index] if index < len(names) else None
        asked = parse_input(item) if isinstance(item, str) else Input(name, TensorInput(tuple(item), kind))
        described = asked.value.tensor if isinstance(asked.value, Reading) else asked.value
        tensor = torch.zeros(described.shape, dtype=getattr(torch, described.dtype), device=device)
        if asked.name is None:
            args.append(tensor)
        else:
            kwargs[asked.name] = tensor
    return args, kwargs


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"


@contextlib.contextmanager
def alarm(seconds: int) -> Iterator[None]:
    """Raise `Late` after some seconds."""

    def late(*_args: object) -> None:
        raise Late

    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def opened(path: Path) -> TextIO:
    """Open a file to write rows to; the bytes of a compressed one depend on the rows alone."""
    if path.suffix != ".gz":
        return path.open("w", encoding="utf-8")
    return io.TextIOWrapper(gzip.GzipFile(path, "wb", compresslevel=9, mtime=0), encoding="utf-8")


def main() -> int:
    """Record a zoo."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.zoo.truth", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("zoo", choices=sorted(RECORDED))
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="record only every N-th model")
    parser.add_argument("--only", default="", metavar="TEXT", help="record only models with this in their target")
    parser.add_argument("--seconds", type=int, default=120, metavar="N", help="time for one model (120)")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    chosen = [s for s in RECORDED[options.zoo]() if options.only in s.target][:: options.every]
    counts = {"recorded": 0, "without a forward pass": 0, "not built": 0}
    with opened(options.out) as file:
        for subject in chosen:
            try:
                with alarm(options.seconds):
                    row = record(subject)
            except Late:
                row = {"target": subject.target, "build_error": f"not done in {options.seconds} seconds"}
            file.write(json.dumps(row, separators=(",", ":")) + "\n")
            counts["recorded"] += 1
            counts["without a forward pass"] += "forward_error" in row
            counts["not built"] += "build_error" in row
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
