"""What PyTorch allocates: the peak of an inference, and what training keeps for the backward pass."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten


class Alive(TorchDispatchMode):
    """Follows the storages that operations allocate."""

    def __init__(self, known: list[torch.Tensor]) -> None:
        super().__init__()
        self.known = {tensor.untyped_storage()._cdata for tensor in known}
        self.sizes: dict[int, int] = {}
        self.peak = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        for tensor in tree_flatten(result)[0]:
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                key = storage._cdata
                if key not in self.known and key not in self.sizes:
                    self.sizes[key] = storage.nbytes()
                    weakref.finalize(storage, self.sizes.pop, key, None)
                    self.peak = max(self.peak, sum(self.sizes.values()))
        return result


def peak_of(network: torch.nn.Module, inputs: torch.Tensor) -> int:
    """Return the largest memory of results at once."""
    network.eval()
    with torch.no_grad(), Alive([*network.parameters(), *network.buffers(), inputs]) as alive:
        network(inputs)
    return alive.peak


def saved_of(network: torch.nn.Module, inputs: torch.Tensor) -> int:
    """Return the memory that is kept for the backward pass."""
    network.train()
    known = {tensor.untyped_storage()._cdata for tensor in [*network.parameters(), *network.buffers(), inputs]}
    saved: dict[int, torch.Tensor] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.untyped_storage()._cdata not in known:
            saved[tensor.untyped_storage()._cdata] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        output = network(inputs)
        total = sum(tensor.untyped_storage().nbytes() for tensor in saved.values())
        del output
    return total
