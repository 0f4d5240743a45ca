"""The scores of a cross entropy are the output of an activation that cuts them off.

`CrossEntropyLoss` takes scores of any size, and needs large differences between them. After `relu` no score is below 0, and
classes that it cuts off are not trained; after `sigmoid` no probability can be near 1. Leave out the activation after the
last layer.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 3), nn.ReLU())
loss = nn.CrossEntropyLoss()(model(torch.randn(4, 8)), torch.tensor([0, 1, 2, 0]))
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 3))
loss = nn.CrossEntropyLoss()(model(torch.randn(4, 8)), torch.tensor([0, 1, 2, 0]))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.graph import Graph, calls_of, named, short
from cutaway.rules.rule import Found, Rule

_CUTTING = ("relu", "relu6", "sigmoid", "hardsigmoid")


def _find(program: Program) -> Iterator[Found]:
    graph = Graph(program)
    for loss in calls_of(program, named("cross_entropy")):
        maker = graph.maker(loss.inputs[0])
        if maker is not None and short(maker).rstrip("_") in _CUTTING:
            yield Found(
                f"the input of cross_entropy is the output of {short(maker)}, which cuts the scores off",
                loss.place,
                ("cross_entropy", "criterion", "loss_fn"),
                ((f"{short(maker)} is applied here", maker.place),),
            )


RULE = Rule(
    "activation-before-cross-entropy",
    Severity.WARNING,
    _find,
    named("cross_entropy", "relu", "relu_", "relu6", "sigmoid"),
)
