"""Record what the models of a table are, read off the live models.

usage: python -m benchmarks.packages.truth first|second|third OUT [--only PACKAGE] [--seconds N]

OUT gets the rows of `benchmarks.zoo.truth`, with the package of each, compressed by xz. A model that fails on the meta device is
built and called on the CPU. The packages have to be installed and importable, at the versions of the table.
"""

from __future__ import annotations

import argparse
import importlib
import json
import lzma
import multiprocessing
import sys
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.packages.table import Model, Package, read_table
from benchmarks.zoo.subjects import Subject
from benchmarks.zoo.truth import Late, alarm, record


class Names(dict[str, Any]):
    """The names of a module, those that it makes when they are asked for included."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.module = module

    def __missing__(self, name: str) -> Any:
        try:
            return getattr(self.module, name)
        except AttributeError:
            raise KeyError(name) from None


def subject_of(model: Model) -> Subject:
    """Return how to build and call a model of a table, which is code that is trusted."""
    home, _, expression = model.target.partition(":")
    names = Names(importlib.import_module(home))

    def build() -> Any:
        made = eval(expression, {}, names)
        return made() if isinstance(made, type) else made

    return Subject(model.target, build, lambda _model: list(model.inputs))


def row_of(model: Model, seconds: int) -> dict[str, Any]:
    """Return the row of the first device on which the model works, or the last one's."""
    row: dict[str, Any] = {}
    try:
        subject = subject_of(model)
    except Exception as error:
        return {"target": model.target, "build_error": f"{type(error).__name__}: {error}"}
    for device in ("meta", "cpu"):
        try:
            with alarm(seconds):
                row = record(subject, device)
        except Late:
            row = {"target": model.target, "build_error": f"not done in {seconds} seconds"}
        if "output" in row or ("modules" in row and not model.inputs):
            break
    return row


def rows_of(package: Package, seconds: int) -> list[dict[str, Any]]:
    """Return a row for each model of a package."""
    import torch

    from benchmarks.zoo import torchvision_import  # noqa: F401

    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    if (installed := version(package.name)) != package.version:
        raise SystemExit(f"{package.name} {package.version} is needed, and {installed} is installed")
    return [row_of(model, seconds) | {"package": package.name} for model in package.models]


def recorded(packages: list[Package], seconds: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of packages, each recorded in a process of its own, as they change what they import."""
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for rows in pool.imap(_task, [(package, seconds) for package in packages], chunksize=1):
            yield from rows


def _task(given: tuple[Package, int]) -> list[dict[str, Any]]:
    return rows_of(*given)


def main() -> int:
    """Record a table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.packages.truth", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("table")
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--only", default="", metavar="PACKAGE", help="record only packages with this in their name")
    parser.add_argument("--seconds", type=int, default=120, metavar="N", help="time for one model (120)")
    options = parser.parse_args()
    packages = [package for package in read_table(options.table) if options.only in package.name]
    with lzma.open(options.out, "wt", preset=9 | lzma.PRESET_EXTREME, encoding="utf-8") as file:
        for row in recorded(packages, options.seconds):
            file.write(json.dumps(row, separators=(",", ":")) + "\n")
            if problem := row.get("build_error") or row.get("forward_error"):
                print(f"{row['target']}\n    {problem}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
