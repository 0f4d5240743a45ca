"""Compare models that are built by their name with the truth of a zoo, with the function imported in three ways.

usage: python -m benchmarks.zoo.importing torchvision|timm|transformers [--truth FILE] [--only TEXT] [--every N] [--limit N]
                                          [--jobs N] [--verbose]

Each model is built by a program of its own: `get_model` in torchvision, `create_model` in timm, `AutoModel.from_config`
in transformers. The exit code is 1 unless all of them are exact.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.zoo.__main__ import report, summarise
from benchmarks.zoo.compare import EQUAL
from benchmarks.zoo.measure import measure, read_truth


def _torchvision(row: dict[str, Any]) -> list[str]:
    module, _, name = row["target"].partition(":")
    if ".quantization." in module:
        name = f"quantized_{name}"
    arguments = ", ".join(filter(None, [repr(name), row.get("arguments", "")]))
    return [
        f"from torchvision.models import get_model\n\nnet = get_model({arguments})\n",
        f"import torchvision\n\nnet = torchvision.models.get_model({arguments})\n",
        f"from torchvision import models\n\nnet = models.get_model({arguments})\n",
    ]


def _timm(row: dict[str, Any]) -> list[str]:
    name = row["target"].partition(":")[2]
    return [
        f"from timm import create_model\n\nnet = create_model({name!r})\n",
        f"import timm\n\nnet = timm.create_model({name!r})\n",
        f"from timm import models\n\nnet = models.create_model({name!r})\n",
    ]


def _transformers(row: dict[str, Any]) -> list[str]:
    configuration = row.get("arguments", "")
    name = re.match(r"\w+", configuration)
    if name is None:
        return []
    return [
        f"from transformers import AutoModel, {name[0]}\n\nnet = AutoModel.from_config({configuration})\n",
        f"import transformers\n\nnet = transformers.AutoModel.from_config(transformers.{configuration})\n",
        f"from transformers import {name[0]}\nfrom transformers.models.auto import AutoModel\n\n"
        f"net = AutoModel.from_config({configuration})\n",
    ]


PROGRAMS: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    "torchvision": _torchvision,
    "timm": _timm,
    "transformers": _transformers,
}


def measure_program(job: tuple[dict[str, Any], str]) -> dict[str, Any]:
    """Analyse the program that builds the model of a row, and compare it with the row."""
    row, program = job
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.py").write_text(program)
        outside = os.getcwd()
        os.chdir(folder)
        try:
            result = measure({**row, "target": "model.py::net", "arguments": ""})
        finally:
            os.chdir(outside)
    return {**result, "target": f"{row['target']}: {program.partition(chr(10))[0]}"}


def main() -> int:
    """Run the comparison and print the figures."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.zoo.importing", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("zoo", choices=PROGRAMS)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    rows = [row for row in read_truth(options.zoo, options.truth) if options.only in row["target"]]
    rows = rows[:: options.every][: options.limit]
    jobs = [(row, program) for row in rows for program in PROGRAMS[options.zoo](row)]
    results = []
    with multiprocessing.get_context("fork").Pool(options.jobs, maxtasksperchild=30) as pool:
        for result in pool.imap(measure_program, jobs):
            results.append(result)
            report(result, options.verbose)
    summarise(results)
    return 0 if all(verdict == EQUAL for r in results for verdict, _ in r["verdicts"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
