"""A dropout layer drops everything in training.

With a probability of 1, all numbers are 0 while the network is trained, and what comes before it gets no gradient. Often the
share to keep was meant, as other libraries have it.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(1.0), nn.Linear(16, 4))
output = model(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 4))
output = model(torch.randn(4, 8))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule

_SHARE = {"Dropout": "p", "Dropout1d": "p", "Dropout2d": "p", "Dropout3d": "p", "AlphaDropout": "p"}


def _find(program: Program) -> Iterator[Found]:
    seen: set[object] = set()
    for network in program.networks:
        for module in network.modules:
            share = _SHARE.get(module.class_name, "rate")
            is_dropout = module.class_name.endswith(("Dropout", *_SHARE))
            dropped = module.config.get(share)
            is_certain = module.condition is None and not module.assumed
            if (
                is_dropout
                and type(dropped) in (int, float)
                and dropped == 1
                and is_certain
                and module.source not in seen
            ):
                seen.add(module.source)
                text = f"{module.class_name} with {share}={dropped} drops everything in training"
                yield Found(text, module.source, (module.class_name,))


RULE = Rule("dropout-of-everything", Severity.WARNING, _find)
