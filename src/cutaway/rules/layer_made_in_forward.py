"""A layer with weights is made in the forward pass, so it has new random weights in each call.

What it computes changes from call to call, nothing of it is trained or saved, and evaluation gives random results. Make the
layer in the constructor.

Fails:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)

    def forward(self, x):
        x = self.first(x).relu()
        return nn.Linear(8, 2)(x)


output = Net()(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.second = nn.Linear(8, 2)

    def forward(self, x):
        x = self.first(x).relu()
        return self.second(x)


output = Net()(torch.randn(4, 8))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule


def _find(program: Program) -> Iterator[Found]:
    seen: set[object] = set()
    for part in program.record.transient:
        if part.place is not None and part.place not in seen:
            seen.add(part.place)
            text = f"{part.class_name} is made in the forward pass: its weights are new in each call, and never trained"
            yield Found(text, part.place, (part.class_name,))


RULE = Rule("layer-made-in-forward", Severity.WARNING, _find)
