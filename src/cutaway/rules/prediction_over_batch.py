"""A prediction is the position of the largest number over the samples of a batch, not over classes.

`argmax(0)` of an output with a row for each sample names a sample for each class. Compared with labels, it raises if there
are more or fewer classes than samples, and otherwise counts what means nothing.

Fails:

```python
import torch
from torch import nn

model = nn.Linear(8, 4)
labels = torch.randint(4, (4,))
prediction = model(torch.randn(4, 8)).argmax(dim=0)
correct = (prediction == labels).sum()
```

Works:

```python
import torch
from torch import nn

model = nn.Linear(8, 4)
labels = torch.randint(4, (4,))
prediction = model(torch.randn(4, 8)).argmax(dim=1)
correct = (prediction == labels).sum()
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.graph import Graph, calls_of, named, short
from cutaway.rules.rule import Found, Rule

_COMPARED = named("eq", "__eq__") | frozenset(("operator.eq",))
_LARGEST = named("argmax", "max")


def _find(program: Program) -> Iterator[Found]:
    graph = Graph(program)
    for operation in calls_of(program, _COMPARED):
        for value in operation.inputs:
            maker = graph.maker(value)
            if maker is None or maker.op not in _LARGEST or maker.attributes.get("dim") != 0 or not maker.inputs:
                continue
            source = graph.maker(maker.inputs[0])
            shape = maker.inputs[0].shape
            if source is not None and short(source) in ("linear", "softmax", "log_softmax") and len(shape) == 2:
                text = f"{short(maker)} over dimension 0 of {shape[0]}x{shape[1]} names a sample for each class, not a class"
                yield Found(text, maker.place, (short(maker),), (("it is compared here", operation.place),))


RULE = Rule("prediction-over-batch", Severity.WARNING, _find, _COMPARED | _LARGEST)
