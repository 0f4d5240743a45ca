"""A perceptron for regression, over batches of a data set."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

features = torch.randn(100, 12)
targets = torch.randn(100, 1)
loader = DataLoader(TensorDataset(features, targets), batch_size=20)
model = nn.Sequential(
    nn.Linear(12, 64),
    nn.BatchNorm1d(64),
    nn.ReLU(),
    nn.Dropout(0.1),
    nn.Linear(64, 32),
    nn.ReLU(),
    nn.Linear(32, 1),
)
loss_fn = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
