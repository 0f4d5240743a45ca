"""Hold parameters and MACs against the figures that torchvision publishes with its weights.

usage: python -m benchmarks.published [--only TEXT] [--peers]

torchvision publishes the parameters of each of its weights, and giga operations in thousandths, which are
multiply-accumulates. Each network is shown, never run, at the size that its weights were evaluated at. `--peers` also runs
torchinfo, fvcore and ptflops, where they are installed, and needs no weights for it.

Of detection, optical flow and quantized networks the published figure is for an input, or a conversion, that the weights do
not name; their parameters alone are compared.
"""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Iterator
from typing import Any

import torch

import cutaway
from benchmarks.zoo import torchvision_import  # noqa: F401  torchvision without its own operators

ROUNDED = 0.0005001
"""Giga operations by which a figure in thousandths may differ from the exact one."""


def weights(only: str) -> Iterator[tuple[str, Any]]:
    """Yield the name of each network with each of its weights."""
    import torchvision

    for name in torchvision.models.list_models():
        for each in torchvision.models.get_model_weights(name) if only in name else ():
            yield name, each


def shape(name: str, published: Any) -> tuple[int, ...] | None:
    """Return the shape of the input that the published operations are for, or None where the weights do not name it."""
    module = published.__class__.__module__
    settings = getattr(published.transforms, "keywords", {})
    if ".detection" in module or ".optical_flow" in module or ".quantization" in module:
        return None
    if ".video" in module:
        height, width = settings["crop_size"]
        return (1, 3, settings.get("frames", 16), height, width) if "frames" in settings else None
    if ".segmentation" in module:
        return (1, 3, settings["resize_size"], settings["resize_size"])
    return (1, 3, settings["crop_size"], settings["crop_size"])


def target(name: str, published: Any) -> str:
    """Return the target of a network as its weights want it; they are not loaded."""
    return f"torchvision.models:get_model({name!r}, weights={published.name!r})"


def main() -> None:
    """Print each difference, and how many are equal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.published")
    parser.add_argument("--only", default="", help="networks whose name has this in it")
    parser.add_argument("--peers", action="store_true", help="run other tools on some of them, too")
    options = parser.parse_args()
    if options.peers:
        return peers(options.only)
    counts = {"parameters": [0, 0], "MACs": [0, 0]}
    for name, published in weights(options.only):
        size = shape(name, published)
        if ".quantization" in published.__class__.__module__:
            continue
        text = "x".join(map(str, size)) if size else None
        try:
            (network,) = cutaway.show(target(name, published), **({"input": text} if text else {}))
        except cutaway.CutawayError as error:
            print(f"{name}: {error}")
            counts["parameters"][1] += 1
            continue
        compare(counts["parameters"], f"{name} parameters", network.totals.parameters, published.meta["num_params"], 0)
        if size:
            macs = network.totals.macs
            found = macs / 1e9 if isinstance(macs, int) else macs
            compare(counts["MACs"], f"{published} GMACs at {text}", found, published.meta["_ops"], ROUNDED)
    for kind, (equal, all_) in counts.items():
        print(f"{kind}: {equal} of {all_} equal to the published figure")


def compare(count: list[int], what: str, found: Any, published: float, tolerance: float) -> None:
    """Count a figure, and print it where it differs."""
    is_equal = isinstance(found, int | float) and abs(found - published) <= tolerance
    count[0] += is_equal
    count[1] += 1
    if not is_equal:
        print(f"{what}: {found}, published {published}")


PEERS = "resnet50 vgg16 mobilenet_v2 efficientnet_b0 convnext_tiny vit_b_16 swin_t".split()


def peers(only: str) -> None:
    """Print MACs of several tools for some networks."""
    import torchvision

    print(f"{'GMACs':<18}{'published':>10}{'cutaway':>10}{'torchinfo':>10}{'fvcore':>10}{'ptflops':>10}")
    for name in PEERS:
        if only not in name:
            continue
        published = torchvision.models.get_model_weights(name).DEFAULT
        found = shape(name, published)
        assert found is not None
        (network,) = cutaway.show(target(name, published), input="x".join(map(str, found)))
        live = torchvision.models.get_model(name).eval()
        row = [published.meta["_ops"], network.totals.macs / 1e9]  # type: ignore[operator]
        row += [_quietly(tool, live, found) for tool in (_torchinfo, _fvcore, _ptflops)]
        print(f"{name:<18}" + "".join(f"{each:>10.2f}" if each is not None else f"{'-':>10}" for each in row))


def _quietly(tool: Any, network: torch.nn.Module, size: tuple[int, ...]) -> float | None:
    """Return what a tool says, without what it prints; None where it is not installed."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            return float(tool(network, size))
        except ImportError:
            return None


def _torchinfo(network: torch.nn.Module, size: tuple[int, ...]) -> float:
    import torchinfo

    return torchinfo.summary(network, input_size=size, verbose=0).total_mult_adds / 1e9


def _fvcore(network: torch.nn.Module, size: tuple[int, ...]) -> float:
    import fvcore.nn

    return float(fvcore.nn.FlopCountAnalysis(network, torch.zeros(size)).total()) / 1e9


def _ptflops(network: torch.nn.Module, size: tuple[int, ...]) -> float:
    import ptflops

    macs, _ = ptflops.get_model_complexity_info(network, size[1:], as_strings=False, print_per_layer_stat=False)
    return float(macs) / 1e9


if __name__ == "__main__":
    main()
