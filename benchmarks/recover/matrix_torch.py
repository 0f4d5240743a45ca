"""Eight small networks in PyTorch, one of each kind: what `benchmarks.recover.matrix` recovers from every format."""

import torch
import torch.nn.functional as F
from torch import nn


class Mlp(nn.Module):
    def __init__(self, width: int = 16):
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, width), nn.Tanh())
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        return self.head(self.hidden(x))


class ResidualBlock(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(out)) + x)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.blocks = nn.Sequential(*[ResidualBlock(8) for _ in range(3)])
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        x = self.blocks(F.max_pool2d(self.stem(x), 2))
        return self.head(torch.flatten(self.pool(x), 1))


class Recurrent(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.embedding = nn.Embedding(50, 12)
        self.rnn = layer(12, 10, batch_first=True)
        self.head = nn.Linear(10, 4)

    def forward(self, x):
        x, _ = self.rnn(self.embedding(x))
        return self.head(x[:, -1])


class Lstm(Recurrent):
    def __init__(self):
        super().__init__(nn.LSTM)


class Gru(Recurrent):
    def __init__(self):
        super().__init__(nn.GRU)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(16, 4, 32, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        return self.head(self.encoder(x).mean(dim=1))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2 = self.block(3, 8), self.block(8, 16)
        self.middle = self.block(16, 32)
        self.up2, self.up1 = nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)
        self.join2, self.join1 = self.block(32, 16), self.block(16, 8)
        self.head = nn.Conv2d(8, 2, 1)

    @staticmethod
    def block(ins: int, outs: int):
        return nn.Sequential(nn.Conv2d(ins, outs, 3, padding=1), nn.BatchNorm2d(outs), nn.ReLU())

    def forward(self, x):
        one = self.down1(x)
        two = self.down2(F.max_pool2d(one, 2))
        x = self.middle(F.max_pool2d(two, 2))
        x = self.join2(torch.cat([self.up2(x), two], 1))
        return self.head(self.join1(torch.cat([self.up1(x), one], 1)))


class TwoInputs(nn.Module):
    def __init__(self):
        super().__init__()
        self.image = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.table = nn.Sequential(nn.Linear(5, 8), nn.LayerNorm(8), nn.SiLU())
        self.head = nn.Linear(16, 3)

    def forward(self, image, table):
        return self.head(torch.cat([self.image(image), self.table(table)], dim=1))


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.tower = nn.Sequential(nn.Conv2d(3, 6, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(6, 1)

    def forward(self, left, right):
        return torch.sigmoid(self.head(torch.abs(self.tower(left) - self.tower(right))))
