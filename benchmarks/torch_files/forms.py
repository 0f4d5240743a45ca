"""The forms in which people save networks: each writes one file with the real torch."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch


def traced(network: Any, inputs: tuple[Any, ...], path: Path) -> None:
    strict = not isinstance(network(*inputs), dict)
    torch.jit.save(torch.jit.trace(network, inputs, check_trace=False, strict=strict), path)


def scripted(network: Any, _inputs: tuple[Any, ...], path: Path) -> None:
    torch.jit.save(torch.jit.script(network), path)


def mobile(network: Any, _inputs: tuple[Any, ...], path: Path) -> None:
    torch.jit.script(network)._save_for_lite_interpreter(str(path))


def frozen(network: Any, _inputs: tuple[Any, ...], path: Path) -> None:
    torch.jit.save(torch.jit.freeze(torch.jit.script(network)), path)


def exported(network: Any, inputs: tuple[Any, ...], path: Path) -> None:
    torch.export.save(torch.export.export(network, inputs), path)


def whole(network: Any, _inputs: tuple[Any, ...], path: Path) -> None:
    torch.save(network, path)


def whole_legacy(network: Any, _inputs: tuple[Any, ...], path: Path) -> None:
    torch.save(network, path, _use_new_zipfile_serialization=False)


def state_dict(network: Any, _inputs: tuple[Any, ...], path: Path) -> None:
    torch.save(network.state_dict(), path)


def state_dict_legacy(network: Any, _inputs: tuple[Any, ...], path: Path) -> None:
    torch.save(network.state_dict(), path, _use_new_zipfile_serialization=False)


def safetensors(network: Any, _inputs: tuple[Any, ...], path: Path) -> None:
    from safetensors.torch import save_model

    save_model(network, str(path))


def _optimizer(network: Any) -> dict[str, Any]:
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    for parameter in network.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    return {"optimizer": optimizer.state_dict(), "scheduler": schedule.state_dict()}


CHECKPOINTS: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    "epoch tensor": (lambda n: {"epoch": torch.tensor(3), "state_dict": n.state_dict()}, ("state_dict",)),
    "training": (
        lambda n: {
            "epoch": 3, "model_state_dict": n.state_dict(), **_optimizer(n), "loss": torch.tensor(0.5), "best": 0.9,
            "rng": torch.get_rng_state(), "args": {"lr": 1e-3},
        },
        ("model_state_dict",),
    ),
    "EMA": (
        lambda n: {"model": n.state_dict(), "ema": copy.deepcopy(n).state_dict(), **_optimizer(n)}, ("model", "ema"),
    ),
    "EMA wrapper": (
        lambda n: {"model": n.state_dict(), "ema": torch.optim.swa_utils.AveragedModel(n).state_dict()},
        ("model", "ema"),
    ),
    "lightning": (
        lambda n: {
            "epoch": 1, "global_step": 10, "pytorch-lightning_version": "2.0",
            "state_dict": {f"net.{name}": value for name, value in n.state_dict().items()},
            "optimizer_states": [_optimizer(n)["optimizer"]], "lr_schedulers": [_optimizer(n)["scheduler"]],
            "hyper_parameters": {"lr": 1e-3},
        },
        ("state_dict",),
    ),
    "list": (lambda n: [n.state_dict(), n.state_dict()], ("0", "1")),
    "integer keys": (lambda n: {0: n.state_dict(), 7: n.state_dict()}, ("0", "7")),
    "adversarial pair": (
        lambda n: {
            "generator": n.state_dict(), "discriminator": copy.deepcopy(n).state_dict(), "g_optim": _optimizer(n)["optimizer"],
            "d_optim": _optimizer(n)["optimizer"], "step": torch.tensor([4]),
        },
        ("generator", "discriminator"),
    ),
    "tuple": (lambda n: (n.state_dict(), _optimizer(n)["optimizer"], 5), ("0",)),
    "module beside tensors": (lambda n: {"model": n, "best": torch.tensor(0.9), "ema": n.state_dict()}, ("model", "ema")),
    "parallel": (lambda n: {"state_dict": torch.nn.DataParallel(n).state_dict(), "epoch": 1}, ("state_dict",)),
    "ensemble": (
        lambda n: {"models": [{"weights": n.state_dict()}, {"weights": copy.deepcopy(n).state_dict()}], "step": 1},
        ("models.0.weights", "models.1.weights"),
    ),
}  # fmt: skip
"""Training checkpoints: what is saved for a network, and the keys that networks have in it."""


FORMS: dict[str, tuple[str, Callable[[Any, tuple[Any, ...], Path], None]]] = {
    "traced": ("pt", traced),
    "scripted": ("pt", scripted),
    "mobile": ("ptl", mobile),
    "frozen": ("pt", frozen),
    "exported": ("pt2", exported),
    "whole": ("pt", whole),
    "whole, legacy": ("pth", whole_legacy),
    "state dict": ("pth", state_dict),
    "state dict, legacy": ("pth", state_dict_legacy),
    "safetensors": ("safetensors", safetensors),
}
"""Each form: the extension of its file, and what writes it."""
