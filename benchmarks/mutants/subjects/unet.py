"""A small U-Net with skip connections."""

import torch
from torch import nn


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, classes=2):
        super().__init__()
        self.down1 = block(3, 16)
        self.down2 = block(16, 32)
        self.middle = block(32, 64)
        self.pool = nn.MaxPool2d(2)
        self.up2 = nn.ConvTranspose2d(64, 32, 2, stride=2)
        self.dec2 = block(64, 32)
        self.up1 = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.dec1 = block(32, 16)
        self.out = nn.Conv2d(16, classes, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(self.pool(a))
        c = self.middle(self.pool(b))
        x = self.up2(c)
        x = self.dec2(torch.cat([x, b], dim=1))
        x = self.up1(x)
        x = self.dec1(torch.cat([x, a], dim=1))
        return self.out(x)


model = UNet()
images = torch.randn(2, 3, 32, 32)
masks = torch.randint(0, 2, (2, 32, 32))
loss = nn.CrossEntropyLoss()(model(images), masks)
loss.backward()
