"""The result of a network is normalised over the samples of a batch, not over classes.

The numbers of one class add up to 1 over the batch, so that the prediction for a sample depends on the others in its batch.
With a batch of one, all are 1. Classes are the last dimension, or the second.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 3), nn.Softmax(dim=0))
output = model(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 3), nn.Softmax(dim=1))
output = model(torch.randn(4, 8))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule


def _find(program: Program) -> Iterator[Found]:
    seen: set[object] = set()
    for network in program.networks:
        read = {value.name for op in network.ops for value in op.inputs}
        inputs = [value.shape or () for value in network.inputs]
        makers = {value.name: op for op in network.ops for value in op.outputs}
        for op in network.ops:
            name = op.op.rpartition(".")[2]
            if name not in ("softmax", "log_softmax") or op.attributes.get("dim") != 0 or op.source in seen:
                continue
            shape = (op.inputs[0].shape if op.inputs else None) or ()
            maker = makers.get(op.inputs[0].name) if op.inputs else None
            is_result = not any(value.name in read for value in op.outputs)
            is_linear = maker is not None and maker.op.rpartition(".")[2] == "linear"
            is_batch = any(len(each) > 1 and shape and each[0] == shape[0] for each in inputs)
            if len(shape) == 2 and is_result and is_linear and is_batch and op.condition is None:
                seen.add(op.source)
                text = f"{name} over dimension 0 of {shape[0]}x{shape[1]}: that is the batch, not the classes"
                yield Found(text, op.source, (name,))


RULE = Rule("softmax-over-batch", Severity.WARNING, _find)
