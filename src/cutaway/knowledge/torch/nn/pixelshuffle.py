"""`torch.nn.modules.pixelshuffle`: channels to pixels and back."""

from __future__ import annotations

from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.nn.module import Module, layer

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.pixelshuffle"


@layer
class PixelShuffle(Module):
    """Channels become pixels."""

    __module__ = HOME
    __constants__ = ["upscale_factor"]

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input):
        return F.pixel_shuffle(input, self.upscale_factor)


@layer
class PixelUnshuffle(Module):
    """Pixels become channels."""

    __module__ = HOME
    __constants__ = ["downscale_factor"]

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input):
        return F.pixel_unshuffle(input, self.downscale_factor)
