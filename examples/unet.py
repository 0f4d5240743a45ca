"""A U-Net for segmentation: four levels down, four levels up, with a skip connection at each level."""

from itertools import pairwise

import torch
from torch import nn


def double(inputs, outputs):
    """Return two convolutions that keep the size."""
    layers = []
    for channels in (inputs, outputs):
        layers += [nn.Conv2d(channels, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU()]
    return nn.Sequential(*layers)


class Up(nn.Module):
    """Doubles the size and concatenates the skip connection."""

    def __init__(self, inputs, outputs, learned=True):
        super().__init__()
        if learned:
            self.grow = nn.ConvTranspose2d(inputs, outputs, kernel_size=2, stride=2)
        else:
            self.grow = nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(inputs, outputs, 1))
        self.join = double(2 * outputs, outputs)

    def forward(self, x, skipped):
        return self.join(torch.cat([skipped, self.grow(x)], dim=1))


class UNet(nn.Module):
    """Returns a score for each class at each pixel; height and width must be multiples of 16."""

    def __init__(self, channels=3, classes=2, width=32, depth=4, learned=True):
        super().__init__()
        widths = [width * 2**level for level in range(depth + 1)]
        self.enter = double(channels, width)
        self.down = nn.ModuleList(double(narrow, wide) for narrow, wide in pairwise(widths))
        self.up = nn.ModuleList(Up(wide, narrow, learned) for narrow, wide in reversed(list(pairwise(widths))))
        self.leave = nn.Conv2d(width, classes, kernel_size=1)
        self.shrink = nn.MaxPool2d(2)

    def forward(self, image):
        seen = [self.enter(image)]
        for stage in self.down:
            seen.append(stage(self.shrink(seen[-1])))
        x = seen.pop()
        for stage in self.up:
            x = stage(x, seen.pop())
        return self.leave(x)
