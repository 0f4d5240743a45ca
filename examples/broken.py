"""A network with a fault: the linear layer expects fewer features than flatten returns."""

from torch import nn


class Broken(nn.Module):
    """Pooling halves a 28 x 28 image twice, which leaves 64 channels of 7 x 7, not 5 x 5."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 32, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(32, 64, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.hidden = nn.Linear(64 * 5 * 5, 128)
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        x = self.features(x).flatten(1)
        return self.head(self.hidden(x).relu())
