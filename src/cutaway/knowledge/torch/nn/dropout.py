"""`torch.nn.modules.dropout`."""

from __future__ import annotations

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.weights import certain

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.dropout"


@layer
class _DropoutNd(Module):
    """What dropouts share: a probability."""

    __module__ = HOME
    __constants__ = ["p", "inplace"]

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if certain(lambda: p < 0) or certain(lambda: p > 1):
            raise ArgumentFault(
                f"{type(self).__name__}: the probability p must be between 0 and 1, got {p}", FaultCode.INVALID_ARGUMENT
            )
        self.p = p
        self.inplace = inplace


def _dropout(name: str, function: str, inplace: bool = True) -> type:
    """Make a dropout that calls this function; the alpha dropouts do not pass `inplace` on."""

    def forward(self, input):
        options = (self.inplace,) if inplace else ()
        return getattr(F, function)(input, self.p, self.training, *options)

    return layer(type(name, (_DropoutNd,), {"__doc__": f"`{function}`.", "__module__": HOME, "forward": forward}))


Dropout = _dropout("Dropout", "dropout")
Dropout1d = _dropout("Dropout1d", "dropout1d")
Dropout2d = _dropout("Dropout2d", "dropout2d")
Dropout3d = _dropout("Dropout3d", "dropout3d")
AlphaDropout = _dropout("AlphaDropout", "alpha_dropout", inplace=False)
FeatureAlphaDropout = _dropout("FeatureAlphaDropout", "feature_alpha_dropout", inplace=False)
