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
from cutaway.rules.graph import Graph, short
from cutaway.rules.losses import CROSS_ENTROPIES, NAMES, SOFTMAX, losses_of, place_of
from cutaway.rules.rule import Found, Rule


def _find(program: Program) -> Iterator[Found]:
    graph = Graph(program)
    for loss, scores in losses_of(program, CROSS_ENTROPIES, with_logits=True):
        maker = graph.maker(scores)
        if maker is not None and short(maker) == "softmax":
            yield Found(
                f"the input of {short(loss)} is the output of softmax, and {short(loss)} applies log_softmax itself",
                loss.place,
                NAMES,
                (("softmax is applied here", place_of(maker, loss)),),
            )


RULE = Rule("softmax-before-cross-entropy", Severity.WARNING, _find, SOFTMAX | CROSS_ENTROPIES)
