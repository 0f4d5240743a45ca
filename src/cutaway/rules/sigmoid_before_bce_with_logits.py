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
from cutaway.rules.graph import Graph, short
from cutaway.rules.losses import BINARY_CROSS_ENTROPIES, NAMES, SIGMOID, SOFTMAX, losses_of, place_of
from cutaway.rules.rule import Found, Rule


def _find(program: Program) -> Iterator[Found]:
    graph = Graph(program)
    for loss, scores in losses_of(program, BINARY_CROSS_ENTROPIES, with_logits=True):
        maker = graph.maker(scores)
        if maker is not None and short(maker) in ("sigmoid", "softmax"):
            yield Found(
                f"the input of {short(loss)} is the output of {short(maker)}, and the loss applies a sigmoid itself",
                loss.place,
                (short(loss), *NAMES),
                ((f"{short(maker)} is applied here", place_of(maker, loss)),),
            )


RULE = Rule("sigmoid-before-bce-with-logits", Severity.WARNING, _find, SIGMOID | SOFTMAX | BINARY_CROSS_ENTROPIES)
