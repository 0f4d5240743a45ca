"""An LSTM over embedded words."""

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, vocabulary, width, hidden, classes):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm(hidden * 2)
        self.head = nn.Linear(hidden * 2, classes)

    def forward(self, tokens):
        x = self.embedding(tokens)
        x, _ = self.lstm(x)
        x = x.mean(dim=1)
        x = self.norm(x)
        return self.head(x)


def main():
    model = Classifier(1000, 32, 64, 5)
    tokens = torch.randint(0, 1000, (8, 20))
    labels = torch.randint(0, 5, (8,))
    logits = model(tokens)
    loss = nn.functional.cross_entropy(logits, labels)
    loss.backward()
    accuracy = (logits.argmax(dim=1) == labels).float().mean()
    print(loss.item(), accuracy.item())


if __name__ == "__main__":
    main()
