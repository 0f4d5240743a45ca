"""Two networks that train each other, on batches of a data set."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Generator(nn.Module):
    def __init__(self, noise=16, width=8):
        super().__init__()
        self.noise = noise
        self.project = nn.Linear(noise, width * 4 * 4)
        self.grow = nn.Sequential(
            nn.BatchNorm2d(width),
            nn.ConvTranspose2d(width, width, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(width, 1, 3, padding=1),
            nn.Tanh(),
        )

    def forward(self, z):
        x = self.project(z)
        return self.grow(x.view(z.size(0), -1, 4, 4))


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(8, 16, 4, 2, 1), nn.InstanceNorm2d(16, affine=True)
        )
        self.score = nn.Linear(16 * 4 * 4, 1)

    def forward(self, x):
        x = torch.flatten(self.features(x), start_dim=1)
        return self.score(x).squeeze(1)


def main():
    images = TensorDataset(torch.rand(20, 1, 16, 16), torch.arange(20) % 10)
    loader = DataLoader(images, batch_size=8, shuffle=True, drop_last=False)
    generator, discriminator = Generator(), Discriminator()
    criterion = nn.BCEWithLogitsLoss()
    first = torch.optim.Adam(generator.parameters(), lr=0.0002, betas=(0.5, 0.999))
    second = torch.optim.Adam(discriminator.parameters(), lr=0.0002)
    for real, _ in loader:
        size = real.size(0)
        second.zero_grad()
        fake = generator(torch.randn(size, 16))
        both = torch.cat([real, fake.detach()], dim=0)
        wanted = torch.cat([torch.ones(size), torch.zeros(size)])
        criterion(discriminator(both), wanted).backward()
        second.step()
        first.zero_grad()
        criterion(discriminator(fake), torch.ones(size)).backward()
        first.step()


if __name__ == "__main__":
    main()
