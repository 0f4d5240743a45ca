"""A small convolutional classifier for 32 x 32 images."""

import torch
from torch import nn


class ConvBlock(nn.Sequential):
    """Convolution, normalisation, activation."""

    def __init__(self, inputs, outputs, stride=1):
        super().__init__(
            nn.Conv2d(inputs, outputs, kernel_size=3, stride=stride, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
        )


class Residual(nn.Module):
    """Two convolutions with a skip connection."""

    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(ConvBlock(channels, channels), ConvBlock(channels, channels))

    def forward(self, x):
        return x + self.body(x)


class Classifier(nn.Module):
    """Three stages of residual blocks; each stage halves the size and doubles the width."""

    def __init__(self, classes=10, width=32, blocks=(2, 2, 2)):
        super().__init__()
        self.stem = ConvBlock(3, width)
        stages = []
        for stage, count in enumerate(blocks):
            channels = width * 2**stage
            if stage:
                stages.append(ConvBlock(channels // 2, channels, stride=2))
            stages.extend(Residual(channels) for _ in range(count))
        self.stages = nn.Sequential(*stages)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(channels, classes)

    def forward(self, images):
        x = self.stages(self.stem(images))
        return self.head(torch.flatten(self.pool(x), 1))
