"""The input of a negative log likelihood loss is not a logarithm of probabilities.

`NLLLoss` picks the number of the right class and changes its sign, nothing else. With scores or probabilities the loss is
negative and has no lower bound, or hardly depends on the prediction. Apply `log_softmax` first, or use `CrossEntropyLoss`.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 3), nn.Softmax(dim=1))
loss = nn.NLLLoss()(model(torch.randn(4, 8)), torch.tensor([0, 1, 2, 0]))
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 3), nn.LogSoftmax(dim=1))
loss = nn.NLLLoss()(model(torch.randn(4, 8)), torch.tensor([0, 1, 2, 0]))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.graph import Graph, calls_of, named, short
from cutaway.rules.rule import Found, Rule

_NOT_LOGARITHMS = ("softmax", "linear", "sigmoid", "relu", "conv1d", "conv2d", "conv3d")


def _find(program: Program) -> Iterator[Found]:
    graph = Graph(program)
    for loss in calls_of(program, named("nll_loss")):
        maker = graph.maker(loss.inputs[0])
        if maker is not None and short(maker) in _NOT_LOGARITHMS:
            yield Found(
                f"the input of nll_loss is the output of {short(maker)}, but has to be that of log_softmax",
                loss.place,
                ("nll_loss", "criterion", "loss_fn"),
                ((f"{short(maker)} is applied here", maker.place),),
            )


RULE = Rule("nll-loss-without-log-softmax", Severity.WARNING, _find, named("nll_loss", *_NOT_LOGARITHMS))
