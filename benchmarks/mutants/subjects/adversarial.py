"""A generator and a discriminator, trained against each other for a step."""

import torch
from torch import nn

generator = nn.Sequential(
    nn.ConvTranspose2d(100, 64, 4, 1, 0, bias=False),
    nn.BatchNorm2d(64),
    nn.ReLU(True),
    nn.ConvTranspose2d(64, 32, 4, 2, 1, bias=False),
    nn.BatchNorm2d(32),
    nn.ReLU(True),
    nn.ConvTranspose2d(32, 3, 4, 2, 1, bias=False),
    nn.Tanh(),
)
discriminator = nn.Sequential(
    nn.Conv2d(3, 32, 4, 2, 1, bias=False),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(32, 64, 4, 2, 1, bias=False),
    nn.BatchNorm2d(64),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(64, 1, 4, 1, 0, bias=False),
    nn.Sigmoid(),
)
criterion = nn.BCELoss()
noise = torch.randn(8, 100, 1, 1)
real = torch.randn(8, 3, 16, 16)
label = torch.full((8,), 1.0)
fake = generator(noise)
loss = criterion(discriminator(real).view(-1), label) + criterion(discriminator(fake.detach()).view(-1), label)
loss.backward()
