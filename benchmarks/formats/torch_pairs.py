"""Save networks of torchvision as ONNX with both exporters: `python -m benchmarks.formats.torch_pairs FOLDER`."""

from __future__ import annotations

import os
import sys
import warnings

import torch

from benchmarks.zoo import torchvision_import  # noqa: F401  torchvision without its own operators

IMAGE = (2, 3, 64, 64)


def main() -> None:
    """Write a folder for each network."""
    from benchmarks.formats.torch_networks import NETWORKS  # late: it imports torchvision

    warnings.simplefilter("ignore")
    for build, changed in NETWORKS.items():
        for each in (build, *changed):
            name = each.__name__
            if each is not build:
                name = f"{build.__name__}@{name.removeprefix(build.__name__ + '_')}"
            folder = os.path.join(sys.argv[1], name)
            os.makedirs(folder, exist_ok=True)
            network = each().eval()
            image = torch.zeros(IMAGE)
            for exporter in (True, False):
                path = os.path.join(folder, "dynamo.onnx" if exporter else "traced.onnx")
                torch.onnx.export(network, (image,), path, dynamo=exporter, external_data=False)
            print(name, flush=True)


if __name__ == "__main__":
    main()
