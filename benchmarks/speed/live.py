"""`python -m benchmarks.speed.live TARGET ARGUMENTS [NAME=]SHAPE[:DTYPE]...`: summarise a live model with torchinfo.

TARGET is module:callable, ARGUMENTS the text of what it is called with, evaluated in its module.
"""

from __future__ import annotations

import contextlib
import importlib
import sys

with contextlib.suppress(ImportError):
    from benchmarks.zoo import torchvision_import  # noqa: F401 - before torchvision


def main(target: str, arguments: str, *inputs: str) -> None:
    """Build a model on the meta device, where no weight is allocated, and print its summary."""
    home, _, name = target.partition(":")
    module = importlib.import_module(home)
    import torch
    import torchinfo

    with torch.device("meta"):
        model = eval(f"{name}({arguments})", vars(module)).eval()
        named = {name: _tensor(torch, text) for name, given, text in map(_parts, inputs) if given}
        given = [_tensor(torch, text) for _, given, text in map(_parts, inputs) if not given]
    print(torchinfo.summary(model, input_data=named or given, device="meta", depth=100, verbose=0))


def _parts(text: str) -> tuple[str, str, str]:
    return text.partition("=") if "=" in text else ("", "", text)


def _tensor(torch: object, text: str) -> object:
    shape, _, dtype = text.partition(":")
    sizes = [int(size) for size in shape.split("x")]
    return torch.zeros(sizes, dtype=getattr(torch, dtype or "float32"))  # type: ignore[attr-defined]


if __name__ == "__main__":
    main(*sys.argv[1:])
