"""The input of a binary cross entropy with logits is a sigmoid already.

The loss applies a sigmoid to its input itself. Applied twice, the probabilities that it sees lie between 0.5 and 0.73, so
that no example can be classified as negative with confidence. Pass the scores of the last layer, or use the loss without
logits.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())
loss = nn.BCEWithLogitsLoss()(model(torch.randn(4, 8)), torch.ones(4, 1))
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 1))
loss = nn.BCEWithLogitsLoss()(model(torch.randn(4, 8)), torch.ones(4, 1))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.graph import Graph, calls_of, named, short
from cutaway.rules.rule import Found, Rule

_LOSS = "binary_cross_entropy_with_logits"


def _find(program: Program) -> Iterator[Found]:
    graph = Graph(program)
    for loss in calls_of(program, named(_LOSS)):
        maker = graph.maker(loss.inputs[0])
        if maker is not None and short(maker) in ("sigmoid", "softmax"):
            yield Found(
                f"the input of {_LOSS} is the output of {short(maker)}, and the loss applies a sigmoid itself",
                loss.place,
                (_LOSS, "criterion", "loss_fn"),
                ((f"{short(maker)} is applied here", maker.place),),
            )


RULE = Rule("sigmoid-before-bce-with-logits", Severity.WARNING, _find, named("sigmoid", "expit", "softmax", _LOSS))
