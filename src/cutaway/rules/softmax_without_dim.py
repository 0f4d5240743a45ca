"""A softmax does not say over which dimension its results sum to 1.

PyTorch then chooses dimension 0 for tensors of 0, 1 or 3 dimensions, and 1 for others, and warns at run time that this will
be removed. For a batch of sequences the choice is the batch, which mixes samples. Pass `dim`.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 3), nn.Softmax())
probabilities = model(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 3), nn.Softmax(dim=-1))
probabilities = model(torch.randn(4, 8))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.core.unknown import Unknown
from cutaway.rules.graph import calls_of, named, shape_text, short
from cutaway.rules.rule import Found, Rule

_FUNCTIONS = ("softmax", "log_softmax", "softmin")


def _find(program: Program) -> Iterator[Found]:
    for operation in calls_of(program, named(*_FUNCTIONS)):
        shape = operation.inputs[0].shape
        if "dim" in operation.attributes and operation.attributes["dim"] is None and not isinstance(shape, Unknown):
            chosen = 0 if len(shape) in (0, 1, 3) else 1
            name = short(operation)
            text = f"{name} has no dim: PyTorch chooses {chosen} for {shape_text(operation.inputs[0])}, and warns"
            yield Found(text, operation.place, (name,))


RULE = Rule("softmax-without-dim", Severity.WARNING, _find, named(*_FUNCTIONS))
