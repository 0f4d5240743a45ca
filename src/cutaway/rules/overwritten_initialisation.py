"""Weights are initialised, and then initialised again by something more general.

The first initialisation has no effect. Typically a layer gets special weights where it is made, and a function that is
applied to all layers afterwards overwrites them. Where all layers are initialised first, and some of them get something
special then, that is meant and not reported.

Fails:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 16)
        self.output = nn.Linear(16, 4)
        nn.init.orthogonal_(self.output.weight)
        for layer in (self.hidden, self.output):
            nn.init.normal_(layer.weight, std=0.02)

    def forward(self, x):
        return self.output(torch.relu(self.hidden(x)))


output = Net()(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 16)
        self.output = nn.Linear(16, 4)
        for layer in (self.hidden, self.output):
            nn.init.normal_(layer.weight, std=0.02)
        nn.init.orthogonal_(self.output.weight)

    def forward(self, x):
        return self.output(torch.relu(self.hidden(x)))


output = Net()(torch.randn(4, 8))
```
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.graph import short
from cutaway.rules.initialisation import FILLS, Weights
from cutaway.rules.rule import Found, Rule


def _find(program: Program) -> Iterator[Found]:
    fills = Counter(op.place for op in program.record.operations if op.op in FILLS)
    overwritten: dict[tuple[Place | None, Place | None], list[str]] = {}
    for earlier, later in Weights(program).pairs():
        overwritten.setdefault((earlier.place, later.place), []).append(short(earlier))
    for (first, second), names in overwritten.items():
        is_whole = len(names) == fills[first]  # nothing of the first is left
        if first != second and is_whole and fills[second] >= fills[first]:
            others = f", with {fills[second] - 1} others" if fills[second] > 1 else ""
            text = f"{names[0]} has no effect: the weight is initialised again{others}"
            yield Found(text, first, (names[0],), (("it is overwritten here", second),))


RULE = Rule("overwritten-initialisation", Severity.WARNING, _find, FILLS)
