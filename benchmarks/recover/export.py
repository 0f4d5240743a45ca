"""Networks of torchvision, exported to ONNX files with random weights, for `benchmarks.recover.runs`.

    python -m benchmarks.recover.export FOLDER [--dynamo] [--largest MILLIONS] [NAME ...]

Every weight is random, so that no layer is without effect; files that are there already are kept.
"""

from __future__ import annotations

import argparse
import gc
import warnings
from pathlib import Path

import torch

import benchmarks.zoo.torchvision_import  # noqa: F401  before torchvision

SIZES = {"inception_v3": 299}


def randomise(network: torch.nn.Module) -> None:
    """Give every weight numbers of its own."""
    for name, tensor in (*network.named_parameters(), *network.named_buffers()):
        if not tensor.is_floating_point():
            continue
        with torch.no_grad():
            if "running_var" in name:
                tensor.uniform_(0.7, 1.4)
            elif tensor.dim() < 2 and name.endswith("weight"):
                tensor.uniform_(0.7, 1.3)
            elif not tensor.any() or tensor.dim() < 2:
                tensor.normal_(0.0, 0.05)


def export(name: str, path: Path, dynamo: bool) -> None:
    """Export one network."""
    import torchvision

    torch.manual_seed(0)
    options = {"init_weights": True} if name in ("googlenet", "inception_v3") else {}
    network = torchvision.models.get_model(name, weights=None, **options).eval()
    randomise(network)
    size = SIZES.get(name, 224)
    image = torch.randn(2, 3, size, size)
    if dynamo:
        shapes = ({0: torch.export.Dim("batch")},)
        torch.onnx.export(
            network, (image,), str(path), dynamo=True, dynamic_shapes=shapes, external_data=False, verbose=False
        )
    else:
        axes = {"input": {0: "batch"}}
        torch.onnx.export(network, (image,), str(path), dynamo=False, input_names=["input"], dynamic_axes=axes)


def main() -> None:
    import torchvision

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("name", nargs="*")
    parser.add_argument("--dynamo", action="store_true")
    parser.add_argument(
        "--largest", type=float, default=100.0, help="leave out networks with more parameters (millions)"
    )
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.name or torchvision.models.list_models(module=torchvision.models):
        path = options.folder / f"{name}.onnx"
        weights = torchvision.models.get_model_weights(name)
        most = max((each.meta["num_params"] for each in weights), default=0)
        if path.exists() or most > options.largest * 1e6:
            continue
        try:
            export(name, path, options.dynamo)
            print(name, flush=True)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:200]}", flush=True)
        gc.collect()


if __name__ == "__main__":
    main()
