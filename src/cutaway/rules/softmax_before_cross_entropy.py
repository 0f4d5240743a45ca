"""The input of a cross entropy loss is a softmax already.

The loss applies a log-softmax to its input itself. Applied twice, the largest probability that it can see is
e / (e + n - 1) for n classes: the loss stays far above 0, gradients are small, and training is slow or stalls. Pass the
scores of the last layer, and apply the softmax only where probabilities are needed.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 3), nn.Softmax(dim=1))
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


def _find(program: Program) -> Iterator[Found]:
    graph = Graph(program)
    for loss in calls_of(program, named("cross_entropy")):
        maker = graph.maker(loss.inputs[0])
        if maker is not None and short(maker) == "softmax":
            yield Found(
                "the input of cross_entropy is the output of softmax, and cross_entropy applies log_softmax itself",
                loss.place,
                ("cross_entropy", "criterion", "loss_fn"),
                (("softmax is applied here", maker.place),),
            )


RULE = Rule("softmax-before-cross-entropy", Severity.WARNING, _find, named("softmax", "cross_entropy"))
