"""A decoder that is unrolled step by step, with attention over the encoder."""

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 24)
        self.rnn = nn.GRU(24, 32, batch_first=True)

    def forward(self, x):
        return self.rnn(self.embed(x))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(60, 24)
        self.cell = nn.GRUCell(24 + 32, 32)
        self.attention = nn.Linear(32 + 32, 1)
        self.out = nn.Linear(32, 60)

    def forward(self, tokens, memory, hidden):
        outputs = []
        for step in range(tokens.size(1)):
            query = hidden.unsqueeze(1).expand(-1, memory.size(1), -1)
            scores = self.attention(torch.cat([query, memory], dim=2)).squeeze(2)
            weights = torch.softmax(scores, dim=1)
            context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
            hidden = self.cell(torch.cat([self.embed(tokens[:, step]), context], dim=1), hidden)
            outputs.append(self.out(hidden))
        return torch.stack(outputs, dim=1)


encoder, decoder = Encoder(), Decoder()
source = torch.randint(0, 50, (4, 9))
target = torch.randint(0, 60, (4, 7))
memory, state = encoder(source)
logits = decoder(target, memory, state[0])
loss = nn.functional.cross_entropy(logits.reshape(-1, 60), target.reshape(-1))
loss.backward()
