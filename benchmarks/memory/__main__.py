"""Hold the memory that Cutaway predicts against what PyTorch allocates.

usage: python -m benchmarks.memory [--only TEXT]

Inference: the peak of all results that are alive at once, seen by a dispatch mode that follows each storage from its
allocation to its end. Training: what is saved for the backward pass, seen by saved-tensor hooks; each storage once, without
weights and inputs. Both leave out what a kernel allocates for itself and frees before it returns.
"""

from __future__ import annotations

import argparse
from typing import Any

import torch

import cutaway
from benchmarks.memory.measure import peak_of, saved_of
from benchmarks.zoo import torchvision_import  # noqa: F401  torchvision without its own operators
from cutaway.passes.memory import peak_activations
from cutaway.passes.saved_for_backward import saved_tensors

MODELS = (
    *(
        "resnet18 resnet50 vgg11_bn densenet121 mobilenet_v2 mobilenet_v3_small efficientnet_b0 convnext_tiny squeezenet1_1"
    ).split(),
    *("regnet_y_400mf vit_b_16 vit_b_32 swin_t swin_v2_t maxvit_t").split(),
)
ENCODERS = tuple((layers, width) for layers in (2, 4, 6, 8, 12) for width in (128 * layers,))


def subjects() -> Any:
    """Yield a name, a target, an input, and the network itself."""
    import torchvision

    for name in MODELS:
        options = "(aux_logits=False, init_weights=False)" if name == "googlenet" else "()"
        yield name, f"torchvision.models:{name}{options}", (2, 3, 224, 224), eval(f"torchvision.models.{name}{options}")
    for layers, width in ENCODERS:
        layer = (
            f"torch.nn.TransformerEncoderLayer({width}, 4, {4 * width}, dropout=0.0, batch_first=True, norm_first=True)"
        )
        program = f"torch.nn.TransformerEncoder({layer}, {layers}, enable_nested_tensor=False)"
        yield (
            f"encoder {layers} x {width}",
            f"-::{program}",
            (2, 64, width),
            eval(program, {"torch": torch, "torchvision": torchvision}),
        )


def main() -> None:
    """Print a row for each network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="networks whose names contain this")
    only = parser.parse_args().only
    torch.backends.mha.set_fastpath_enabled(False)  # one kernel for a whole layer, whose results are not seen
    print(f"{'network':<22} {'peak':>12} {'measured':>12} {'':>7} {'saved':>12} {'measured':>12}")
    for name, target, shape, network in subjects():
        if only not in name:
            continue
        text = "x".join(map(str, shape))
        (running,) = _show(target, text, False)
        (trained,) = _show(target, text, True)
        predicted, measured = peak_activations(running, {}).bytes, peak_of(network, torch.zeros(shape))
        sizes = [each.bytes for each in saved_tensors(trained)]
        saved = sum(size for size in sizes if isinstance(size, int))
        actual = saved_of(network, torch.zeros(shape))
        held = f"{predicted:>12,} {measured:>12,} {predicted / measured - 1:>+7.1%}"
        print(f"{name:<22} {held} {saved:>12,} {actual:>12,} {saved / actual - 1:>+7.1%}", flush=True)


def _show(target: str, input: str, train: bool) -> Any:
    if not target.startswith("-::"):
        return cutaway.show(target, input=input, train=train, isolated=False)
    import pathlib
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "encoder.py")
        path.write_text(f"import torch\nnetwork = {target[3:]}\n")
        return cutaway.show(f"{path}::network", input=input, train=train, isolated=False)


if __name__ == "__main__":
    main()
