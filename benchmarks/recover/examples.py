"""The page with five examples of recovered code beside their originals, docs/recover-examples.md.

python -m benchmarks.recover.examples        writes the page anew

The originals are networks of `benchmarks.recover.matrix`; the real frameworks write the files. A test compares the page with
what this writes.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.recover import matrix_keras, matrix_torch

PAGE = Path(__file__).parents[2] / "docs" / "recover-examples.md"
_START = """# Five examples of recovered code

Each original is written to a file by its own framework, with random weights, and `cutaway recover` writes code from that file
alone. `python -m benchmarks.recover.examples` makes this page; a test fails when it is not what the command writes. The
outputs of all five are equal to those of the originals (`python -m benchmarks.recover.matrix FOLDER`).
"""


def _source(*parts: Any) -> str:
    return "\n\n".join(inspect.getsource(part).rstrip() for part in parts)


EXAMPLES: tuple[tuple[str, str, str, str, str, Callable[[], str]], ...] = (
    ("A residual network, exported to ONNX", "torch", "residual", "onnx", "torch",
     lambda: _source(matrix_torch.ResidualBlock, matrix_torch.Residual)),
    ("A recurrent classifier, exported to ONNX, as Keras", "torch", "lstm", "onnx", "keras",
     lambda: _source(matrix_torch.Recurrent, matrix_torch.Lstm)),
    ("An encoder of transformers, an exported program", "torch", "encoder", "pt2", "torch",
     lambda: _source(matrix_torch.Encoder)),
    ("A U-Net of Keras, as PyTorch", "keras", "u_net", "keras", "torch",
     lambda: _source(matrix_keras.block, matrix_keras.u_net)),
    ("Two inputs, from source of PyTorch, as Keras", "torch", "two_inputs", "source", "keras",
     lambda: _source(matrix_torch.TwoInputs)),
)  # fmt: skip
"""Title, framework, network, format, framework of the code, and the original."""


def recovered(framework: str, name: str, form: str, to: str, folder: Path) -> tuple[str, str]:
    """Return the command and the code of an example."""
    from benchmarks.recover.matrix import ENDINGS, target_of, write_keras, write_torch
    from cutaway._recovery_api import recover

    option = f" --to {to}" if to != framework else ""
    if form == "source":
        target, options = target_of(folder, framework, name, form)
        shapes = " ".join(f"--input {each.partition(':')[0]}" for each in options["input"])
        command = f"cutaway recover {name}.py::{target.partition('::')[2]} {shapes}{option}"
        result = recover(target, to=to, input=options["input"], origin=f"{name}.py")
    else:
        path = folder / f"{name}{ENDINGS[form]}"
        (write_torch if framework == "torch" else write_keras)(name, form, path)
        command = f"cutaway recover {path.name}{option}"
        result = recover(str(path), to=to)
    if result.missing or result.different:
        raise AssertionError(f"{name}: {result.missing} {result.different}")
    return command, result.source


def page() -> str:
    """Return the page."""
    parts = [_START]
    with TemporaryDirectory() as folder:
        for title, framework, name, form, to, original in EXAMPLES:
            command, code = recovered(framework, name, form, to, Path(folder))
            parts.append(f"\n## {title}\n\nThe original:\n\n```py\n{original()}\n```\n\n`{command}` writes:\n\n")
            parts.append(f"```py\n{code.rstrip()}\n```\n")
    return "".join(parts)


def main() -> None:
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    warnings.filterwarnings("ignore")
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
