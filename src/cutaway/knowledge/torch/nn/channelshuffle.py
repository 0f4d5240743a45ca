"""`torch.nn.modules.channelshuffle`."""

from __future__ import annotations

from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.nn.module import Module, layer

F = KnownModule("torch.nn.functional")


@layer
class ChannelShuffle(Module):
    """Channels of several groups interleaved."""

    __module__ = "torch.nn.modules.channelshuffle"
    __constants__ = ["groups"]

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        return F.channel_shuffle(input, self.groups)
