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

from collections.abc import Iterator, Mapping

from cutaway.core.architecture import Architecture, Module
from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.use import Definition, classes_of, is_followed, is_read

_WEIGHTED = """Dense EinsumDense Conv SeparableConv DepthwiseConv LSTM GRU SimpleRNN Bidirectional Embedding BatchNorm LayerNorm
GroupNorm MultiHeadAttention""".split()
"""How the names of layers of Keras begin that have weights, which are made when one is called first."""


def _find(program: Program) -> Iterator[Found]:
    definitions = classes_of(program)
    for network in program.networks:
        if not is_followed(network):
            continue
        called = {module.path: module for module in network.modules if module.calls}
        for module in network.modules:
            owner = called.get(module.path.rpartition(network.separator)[0])
            definition = definitions.get(owner.class_name) if owner is not None else None
            if owner is None or definition is None or not _is_left_out(module, network, called):
                continue
            name = _attribute(module, network, definition)
            if name and not module.condition and not is_read(definition, program, name):
                text = f"the layer {name} ({module.class_name}) of {owner.class_name} is never used in its forward pass"
                yield Found(text, definition.assignment(name) or module.source, (f".{name}",))


def _is_left_out(module: Module, network: Architecture, called: Mapping[str, Module]) -> bool:
    """Tell whether a module that has weights, or will have some, is not used, and no part of it is."""
    start = f"{module.path}{network.separator}"
    if module.calls or any(path.startswith(start) for path in called):
        return False
    own = [
        weight.name
        for weight in network.weights
        if weight.kind == "parameter"
        and weight.tied_to is None
        and f"{weight.module}{network.separator}".startswith(start)
    ]
    read = {value.name for op in network.ops for value in op.inputs}
    return read.isdisjoint(own) and (bool(own) or _is_unbuilt(module, network))


def _is_unbuilt(module: Module, network: Architecture) -> bool:
    return network.separator != "." and module.class_name.startswith(tuple(_WEIGHTED))


def _attribute(module: Module, network: Architecture, definition: Definition) -> str:
    """Return the attribute that holds a module; of a layer of Keras, where it is made tells that."""
    if _is_unbuilt(module, network):
        return definition.attribute(module.source.line) if module.source is not None else ""
    return module.path.rpartition(network.separator)[2]


RULE = Rule("unused-module", Severity.WARNING, _find)
