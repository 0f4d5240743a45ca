"""The input of a binary cross entropy is not a probability.

`BCELoss` takes the logarithm of its input and raises if a number is below 0 or above 1, which the output of a linear layer
or a convolution soon is. Apply `sigmoid` first, or better, use `BCEWithLogitsLoss`.

Fails:

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
loss = nn.BCELoss()(model(torch.randn(4, 8)), torch.ones(4, 1))
```

Works:

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
loss = nn.BCEWithLogitsLoss()(model(torch.randn(4, 8)), torch.ones(4, 1))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.graph import Graph, calls_of, named, short
from cutaway.rules.rule import Found, Rule

_UNBOUNDED = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose2d", "batch_norm", "layer_norm", "relu", "tanh")


def _find(program: Program) -> Iterator[Found]:
    graph = Graph(program)
    for loss in calls_of(program, named("binary_cross_entropy")):
        maker = graph.maker(loss.inputs[0])
        if maker is not None and short(maker) in _UNBOUNDED:
            yield Found(
                f"the input of binary_cross_entropy is the output of {short(maker)}: a number outside of 0 to 1 raises",
                loss.place,
                ("binary_cross_entropy", "criterion", "loss_fn"),
                ((f"{short(maker)} is applied here", maker.place),),
            )


RULE = Rule(
    "bce-without-sigmoid", Severity.ERROR, _find, named("binary_cross_entropy", "linear", "relu", "tanh", "sigmoid")
)
