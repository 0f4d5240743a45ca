"""`torch.nn.modules.fold`: images to sliding blocks and back."""

from __future__ import annotations

from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.nn.module import Module, layer

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.fold"


@layer
class Fold(Module):
    """Sliding blocks summed into an image."""

    __module__ = HOME
    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input):
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)


@layer
class Unfold(Module):
    """The sliding blocks of an image as columns."""

    __module__ = HOME
    __constants__ = ["kernel_size", "dilation", "padding", "stride"]

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input):
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)
