"""A layer of a network is never called by its forward pass.

Its weights have no influence on the result and get no gradient, but are saved and counted. Often a line of the forward pass
is missing, or calls another layer twice.

Fails:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.second = nn.Linear(8, 8)

    def forward(self, x):
        x = self.first(x).relu()
        return self.first(x)


output = Net()(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.second = nn.Linear(8, 8)

    def forward(self, x):
        x = self.first(x).relu()
        return self.second(x)


output = Net()(torch.randn(4, 8))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.use import classes_of, is_followed, is_read

_WEIGHTED = """Dense EinsumDense Conv SeparableConv DepthwiseConv LSTM GRU SimpleRNN Bidirectional Embedding BatchNorm LayerNorm
GroupNorm MultiHeadAttention""".split()
"""How the names of layers of Keras begin that have weights, which are made when one is called first."""


def _find(program: Program) -> Iterator[Found]:
    definitions = classes_of(program)
    for network in program.networks:
        if not is_followed(network):
            continue
        read = {value.name for op in network.ops for value in op.inputs}
        called = {module.path: module for module in network.modules if module.calls}
        weights = [weight for weight in network.weights if weight.kind == "parameter" and weight.tied_to is None]
        for module in network.modules:
            path, _, name = module.path.rpartition(network.separator)
            owner = called.get(path)
            definition = definitions.get(owner.class_name) if owner is not None else None
            is_unbuilt = network.separator != "." and module.class_name.startswith(tuple(_WEIGHTED))
            if is_unbuilt and definition is not None and module.source is not None:
                name = definition.attribute(module.source.line)
            own = [
                w for w in weights if f"{w.module}{network.separator}".startswith(f"{module.path}{network.separator}")
            ]
            if owner is None or module.calls or not (own or is_unbuilt) or any(weight.name in read for weight in own):
                continue
            if any(other.startswith(f"{module.path}{network.separator}") for other in called):
                continue  # a container, of which parts are called
            if definition is not None and name and not module.condition and not is_read(definition, program, name):
                text = f"the layer {name} ({module.class_name}) of {owner.class_name} is never used in its forward pass"
                yield Found(text, definition.assignment(name) or module.source, (f".{name}",))


RULE = Rule("unused-module", Severity.WARNING, _find)
