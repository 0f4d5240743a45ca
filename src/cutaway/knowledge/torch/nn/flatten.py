"""`torch.nn.modules.flatten`."""

from __future__ import annotations

from cutaway.core.fault import TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.nn.module import Module, layer

HOME = "torch.nn.modules.flatten"


@layer
class Flatten(Module):
    """A range of dimensions made one."""

    __module__ = HOME
    __constants__ = ["start_dim", "end_dim"]

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)


@layer
class Unflatten(Module):
    """One dimension made several."""

    __module__ = HOME
    __constants__ = ["dim", "unflattened_size"]

    def __init__(self, dim, unflattened_size):
        super().__init__()
        self._require_tuple_int(unflattened_size)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def _require_tuple_int(self, input):
        if isinstance(input, Unknown):
            return
        if not isinstance(input, (tuple, list)):
            raise TypeFault(
                f"Unflatten: unflattened_size must be a tuple of ints, got {type(input).__name__}",
                FaultCode.WRONG_TYPE,
            )
        for index, size in enumerate(input):
            if not isinstance(size, (int, Dim, Unknown)):
                raise TypeFault(
                    f"Unflatten: unflattened_size must be a tuple of ints, got {type(size).__name__} at {index}",
                    FaultCode.WRONG_TYPE,
                )

    def forward(self, input):
        return input.unflatten(self.dim, self.unflattened_size)
