"""A network that has a second output in training."""

from torch import nn


class Auxiliary(nn.Module):
    """The auxiliary head helps to train the first stage; it is left out when the network is used."""

    def __init__(self, classes=10):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU())
        self.second = nn.Sequential(nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.BatchNorm2d(32), nn.ReLU())
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.dropout = nn.Dropout(0.2)
        self.head = nn.Linear(32, classes)
        self.auxiliary = nn.Linear(16, classes)

    def forward(self, x):
        x = self.first(x)
        results = {}
        if self.training:
            results["auxiliary"] = self.auxiliary(self.pool(x).flatten(1))
        x = self.dropout(self.pool(self.second(x)).flatten(1))
        results["logits"] = self.head(x)
        return results
