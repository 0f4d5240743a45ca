"""A training step with three problems: a softmax before a loss that applies one, an unused layer, sizes that differ."""

import torch
from torch import nn
from torch.nn import functional as F


class Classifier(nn.Module):
    """Makes probabilities, which the loss below makes again."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, kernel_size=3, padding=1)
        self.hidden = nn.Linear(16 * 16 * 16, 64)
        self.norm = nn.LayerNorm(64)
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x)), 2)
        x = F.relu(self.hidden(x.flatten(1)))
        return F.softmax(self.head(x), dim=1)


def main():
    model = Classifier()
    images, labels = torch.randn(8, 3, 32, 32), torch.randint(0, 10, (8,))
    loss = F.cross_entropy(model(images), labels)
    loss.backward()
    score = torch.stack([model(images[:4]), model(images)])
    print(loss.item(), score.shape)


if __name__ == "__main__":
    main()
