"""A network with a fault: the head expects another number of features than flattening gives."""

from torch import nn


class Broken(nn.Module):
    """For images of 28 x 28, whose size was halved twice: 64 channels of 7 x 7, not of 5 x 5."""

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
