"""`torch.nn.modules.upsampling`."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.nn.module import Module, layer

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.upsampling"


def _factor(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(v if isinstance(v, (Unknown, Dim)) else float(v) for v in value)
    if isinstance(value, (Unknown, Dim)):
        return value
    return float(value) if value else None


@layer
class Upsample(Module):
    """`interpolate` to a size or by a factor."""

    __module__ = HOME
    __constants__ = ["size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor"]

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        self.scale_factor = _factor(scale_factor)
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input):
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )


@layer
class UpsamplingNearest2d(Upsample):
    """Upsampling of images to the nearest pixel."""

    __module__ = HOME

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="nearest")


@layer
class UpsamplingBilinear2d(Upsample):
    """Bilinear upsampling of images with aligned corners."""

    __module__ = HOME

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
