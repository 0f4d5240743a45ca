"""Record what the models of the listed repositories are, read off the live models.

usage: python -m benchmarks.repositories.truth LIST CHECKOUTS OUT [--only TEXT]

RUNS THE CODE of the repositories: each file that only defines things is imported, in a process for each repository that has a time limit.
Every network class and function in it that needs no arguments is built, and called on the first of `INPUTS` that it accepts.
OUT gets the rows of `benchmarks.zoo.truth`, with the repository of each.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import inspect
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.repositories.table import lists, network_files, read_list

INPUTS = (
    "2x3x32x32",
    "2x3x64x64",
    "2x3x224x224",
    "2x1x28x28",
    "2x1x32x32",
    "2x16x32x32",
    "2x64x32x32",
    "2x3x128",
    "2x100",
    "2x512",
    "2x10",
    "2x16x64",
    "2x16:int64",
)
MOST_FILES = 120
"""Files of one repository that are imported."""
SECONDS = 150
_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Try)


def only_defines(path: Path) -> bool:
    """Tell whether importing a file starts no program."""
    tree = ast.parse(path.read_bytes())
    statements = [node for node in tree.body if not isinstance(node, _DEFINITIONS)]
    return all(
        (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.If) and "__name__" in ast.unparse(node.test))
        for node in statements
    ) and "parse_args" not in "".join(ast.unparse(node) for node in tree.body if isinstance(node, ast.Assign))


def rows(path: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each network of a file that needs no arguments, from the root of its repository."""
    import torch
    from torch import nn

    from benchmarks.zoo.subjects import Subject
    from benchmarks.zoo.truth import record

    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    sys.path[:0] = [os.getcwd(), os.path.dirname(os.path.abspath(path))]
    name = path.removesuffix(".py").replace(os.sep, ".")
    try:
        module = importlib.import_module(name)
    except Exception:
        spec = importlib.util.spec_from_file_location("module", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    for name, value in list(vars(module).items()):
        is_own = getattr(value, "__module__", None) == module.__name__
        is_class = inspect.isclass(value) and issubclass(value, nn.Module)
        if not is_own or not (is_class or inspect.isfunction(value)) or name.startswith(("_", "test", "main")):
            continue
        required = [
            each
            for each in inspect.signature(value).parameters.values()
            if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        ]
        if required:
            continue
        for given in INPUTS:
            torch.manual_seed(0)
            row = record(Subject(f"{path}::{name}", value, lambda _model, given=given: [given]), "meta")
            if "build_error" in row:
                break
            if "output" in row:
                yield row
                break
        else:
            row.pop("forward_error", None)
            if row.get("params"):
                yield row


def main() -> int:
    """Record the truth of all repositories."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.repositories.truth", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("list", choices=lists())
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="", help="only repositories and files with this in them")
    options = parser.parse_args()
    with options.out.open("w", encoding="utf-8") as file:
        for repository in read_list(options.list):
            folder = repository.folder(options.checkouts)
            paths = [path for path in network_files(folder, MOST_FILES) if options.only in f"{folder.name} {path}"]
            for row in _recorded(folder, [str(path.relative_to(folder)) for path in paths if only_defines(path)]):
                file.write(json.dumps(row | {"repository": folder.name}) + "\n")
                file.flush()
                print(folder.name, row["target"], row.get("input"), flush=True)
    return 0


def _recorded(folder: Path, names: list[str]) -> Iterator[dict[str, Any]]:
    if not names:
        return
    command = [sys.executable, "-c", "from benchmarks.repositories import truth; truth.print_rows()", *names]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(each or ".") for each in sys.path)}
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=SECONDS, env=environment)
        output = done.stdout
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b""
    for line in output.decode(errors="replace").splitlines():
        if line.startswith("ROW ") and line.endswith("}"):
            yield json.loads(line[4:])


def print_rows() -> None:
    """Print the rows of the files that the command line names."""
    for name in sys.argv[1:]:
        try:
            for row in rows(name):
                print("ROW " + json.dumps(row), flush=True)
        except Exception as error:  # a file that can't be imported here has no truth
            print(f"{name}: {error}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
