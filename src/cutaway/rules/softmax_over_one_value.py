"""A softmax is taken over a dimension of size 1, so its result is always 1.

The numbers of a softmax sum to 1, so a single one is 1 whatever goes in: nothing can be learned. With one output for two
classes, use a sigmoid; with two outputs, a softmax.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 1), nn.Softmax(dim=1))
probabilities = model(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())
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

_NAMES = named("softmax", "log_softmax") | {"keras.ops.softmax", "keras.ops.log_softmax", "tensorflow.nn.softmax"}


def _find(program: Program) -> Iterator[Found]:
    seen: set[object] = set()
    for operation in calls_of(program, _NAMES):
        shape = operation.inputs[0].shape
        dimension = operation.attributes.get("dim", operation.attributes.get("axis"))
        if isinstance(shape, Unknown) or type(dimension) is not int or not -len(shape) <= dimension < len(shape):
            continue
        layer = getattr(operation.module, "__dict__", {}).get(
            "_construction"
        )  # a model runs where it is made, and fitted
        if shape[dimension] == 1 and (layer is None or id(layer) not in seen):
            seen.add(id(layer))
            text = f"{short(operation)} over dimension {dimension} of {shape_text(operation.inputs[0])}"
            yield Found(
                f"{text}, which has one value: the result is always the same", operation.place, (short(operation),)
            )


RULE = Rule("softmax-over-one-value", Severity.WARNING, _find, _NAMES)
