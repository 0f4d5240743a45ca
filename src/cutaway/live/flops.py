"""Floating-point operations by torch's own formulas, added up while a network runs."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

_FORMULAS = dict(flop_registry)
# The same attention by the kernel of the processor, which torch's counter passes over.
_FORMULAS[torch.ops.aten._scaled_dot_product_flash_attention_for_cpu] = flop_registry[
    torch.ops.aten._scaled_dot_product_flash_attention
]


class Flops(TorchDispatchMode):  # type: ignore[misc]
    """Counts the operations of everything that runs while it is active, as `torch.utils.flop_counter` does."""

    def __init__(self) -> None:
        super().__init__()
        self.total = 0

    def __torch_dispatch__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        formula = _FORMULAS.get(getattr(func, "_overloadpacket", None))
        if formula is None and isinstance(func, torch._ops.OpOverload) and func.namespace == "aten":
            with self:
                result = func.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        result = func(*args, **kwargs)
        if formula is not None:
            self.total += int(formula(*args, **kwargs, out_val=result))
        return result
