"""A layer is made after the optimizer that trains its network, so that the optimizer does not know it.

The optimizer keeps the parameters that it is given. A layer that is replaced or added later gets gradients, but no step
changes it, while the replaced layer is still updated. Make the optimizer when the network is complete.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model[2] = nn.Linear(16, 4)
loss = model(torch.randn(4, 8)).pow(2).mean()
loss.backward()
optimizer.step()
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 10))
model[2] = nn.Linear(16, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(torch.randn(4, 8)).pow(2).mean()
loss.backward()
optimizer.step()
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.training_code import uses


def _find(program: Program) -> Iterator[Found]:
    if not uses(program, "backward", "step") or uses(program, "add_param_group"):
        return
    for part in program.record.untrained:
        text = f"{part.text} ({part.class_name}) is made after the optimizer, which never changes it"
        yield Found(text, part.place, (part.class_name,), (("the optimizer is made here", part.other),))


RULE = Rule("parameter-not-optimized", Severity.WARNING, _find)
