"""A network whose depth, width and dropout are arguments, and one whose width comes from a missing package."""

import torch.nn as nn
import torch.nn.functional as F
from deployment_settings import CLASSES  # not installed: what depends on it is unknown


class Net(nn.Module):
    def __init__(self, width, num_layers, use_dropout):
        super().__init__()
        self.stem = nn.Linear(32, width)
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(num_layers)])
        self.dropout = nn.Dropout(0.1) if use_dropout else None

    def forward(self, x):
        x = F.relu(self.stem(x))
        for layer in self.layers:
            x = F.relu(layer(x))
        if self.dropout is not None:
            x = self.dropout(x)
        return x


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(32, CLASSES)

    def forward(self, x):
        return self.out(x)
