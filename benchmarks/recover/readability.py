"""The size of recovered code beside that of the classes that it was exported from.

    python -m benchmarks.recover.readability FOLDER [NAME ...]

FOLDER has the files of `benchmarks.recover.export`. Counted are lines with code, without blank lines, comments and
docstrings, and classes of torchvision that a network consists of, each once.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import textwrap
from pathlib import Path

import benchmarks.zoo.torchvision_import  # noqa: F401  before torchvision
from cutaway._recovery_api import recover


def lines_of(source: str) -> int:
    """Return how many lines of code a source has."""
    tree = ast.parse(textwrap.dedent(source))
    prose: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            prose.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = textwrap.dedent(source).splitlines()
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and at not in prose for at, line in enumerate(lines, 1)
    )


def main() -> None:
    import torchvision

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("name", nargs="*")
    options = parser.parse_args()
    for name in options.name or sorted(path.stem for path in options.folder.glob("*.onnx")):
        extra = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
        network = torchvision.models.get_model(name, weights=None, **extra)
        kinds = {type(each) for each in network.modules() if type(each).__module__.startswith("torchvision")}
        own = sum(lines_of(inspect.getsource(kind)) for kind in kinds)
        source = recover(str(options.folder / f"{name}.onnx")).source
        classes = sum(line.startswith("class ") for line in source.splitlines())
        print(
            f"{name:24} lines {lines_of(source):4} of {own:4} ({lines_of(source) / own:.2f}), classes {classes} of {len(kinds)}"
        )


if __name__ == "__main__":
    main()
