"""`python -m benchmarks.speed.live FUNCTION SHAPE`: what it takes to summarise a live torchvision model with torchinfo."""

from __future__ import annotations

import sys

from benchmarks.zoo import torchvision_import  # noqa: F401 - before torchvision


def main(function: str, shape: str) -> None:
    """Build a model on the meta device, where no weight is allocated, and print its summary."""
    import torch
    import torchinfo
    import torchvision

    with torch.device("meta"):
        model = getattr(torchvision.models, function)().eval()
        given = torch.empty([int(size) for size in shape.split("x")])
    print(torchinfo.summary(model, input_data=given, device="meta", depth=100, verbose=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
