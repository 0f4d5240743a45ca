"""A parameter of a module is never used by its forward pass.

It has no influence on the result, gets no gradient, and is saved, counted and sent around all the same. Distributed
training raises because of it. Often a line that uses it is missing.

Fails:

```python
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(8))
        self.bias = nn.Parameter(torch.zeros(8))

    def forward(self, x):
        return x + self.bias


output = Scale()(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(8))
        self.bias = nn.Parameter(torch.zeros(8))

    def forward(self, x):
        return x * self.weight + self.bias


output = Scale()(torch.randn(4, 8))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.architecture import Weight
from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.use import classes_of, is_followed, is_read


def _find(program: Program) -> Iterator[Found]:
    definitions = classes_of(program)
    for network in program.networks:
        if not is_followed(network):
            continue
        read = {value.name for op in network.ops for value in op.inputs}
        called = {module.path: module for module in network.modules if module.calls}
        tied = {weight.tied_to for weight in network.weights}
        for weight in network.weights:
            module = called.get(weight.module or "")
            name = weight.name.rpartition(network.separator)[2]
            if not _counts(weight) or weight.name in read or weight.name in tied or module is None:
                continue
            definition = definitions.get(module.class_name)
            if definition is not None and not is_read(definition, program, name):
                place = definition.assignment(name)
                text = f"the parameter {name} of {module.class_name} is never used in its forward pass"
                yield Found(text, place, (f".{name}",))


def _counts(weight: Weight) -> bool:
    return weight.kind == "parameter" and weight.tied_to is None and weight.condition is None and not weight.assumed


RULE = Rule("unused-parameter", Severity.WARNING, _find)
