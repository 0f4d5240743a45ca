"""A layer's weights all start with the same number, so that its outputs are all the same.

Every output of the layer is the same function of its input. What differs between outputs can only come from what follows,
and where that starts with equal numbers, too, all outputs get the same gradients and stay equal for ever: the layer has
the power of a single output. Zeros in two layers after each other are worse: none of the two gets a gradient. Zeros in a
single layer are often meant, as at the end of a residual branch, and are not reported.

Fails:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 16)
        self.output = nn.Linear(16, 4)
        nn.init.constant_(self.hidden.weight, 0.5)

    def forward(self, x):
        return self.output(torch.relu(self.hidden(x)))


output = Net()(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 16)
        self.output = nn.Linear(16, 4)
        nn.init.kaiming_normal_(self.hidden.weight, nonlinearity="relu")
        nn.init.constant_(self.hidden.bias, 0.5)

    def forward(self, x):
        return self.output(torch.relu(self.hidden(x)))


output = Net()(torch.randn(4, 8))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.core.session import Operation
from cutaway.rules.graph import Graph, shape_text
from cutaway.rules.initialisation import CREATIONS, FILLS, Weights, constant, is_layer
from cutaway.rules.rule import Found, Rule

_ZERO_AT_ZERO = frozenset("relu relu_ tanh tanh_ gelu silu leaky_relu elu dropout hardtanh relu6".split())
"""Functions of one number that map 0 to 0."""


def _find(program: Program) -> Iterator[Found]:
    weights, graph = Weights(program), Graph(program)
    seen: set[object] = set()
    for layer, fill in weights.layers():
        number = constant(fill)
        shape = layer.inputs[1].shape
        if number is None or fill.place in seen or not _has_several_outputs(layer):
            continue
        if number:
            seen.add(fill.place)
            text = f"the weights of a layer ({shape_text(layer.inputs[1])}) are all {number:g}, so its {shape[0]} outputs are equal"
            yield Found(text, fill.place, (fill.op.rpartition(".")[2],), (("the layer is used here", layer.place),))
            continue
        before = _layer_before(layer, graph)
        earlier = weights.fill_of(before) if before is not None else None
        if before is not None and earlier is not None and weights.is_own(earlier) and constant(earlier) == 0:
            if all(_has_no_offset(each, graph) for each in (before, layer)):
                seen.add(fill.place)
                text = "the weights of two layers after each other are all 0, so that neither gets a gradient"
                notes = (("the first layer is used here", before.place), ("the second layer is used here", layer.place))
                yield Found(text, fill.place, (fill.op.rpartition(".")[2],), notes)


def _has_several_outputs(layer: Operation) -> bool:
    """Tell whether a layer computes more than one number from more than one, each output from all inputs."""
    shape = layer.inputs[1].shape
    sizes = list(shape) if isinstance(shape, tuple) else []
    return len(sizes) > 1 and all(type(size) is int and size > 1 for size in sizes[:2])


def _layer_before(layer: Operation, graph: Graph) -> Operation | None:
    operation = graph.maker(layer.inputs[0])
    while operation is not None and operation.inputs and operation.op.rpartition(".")[2] in _ZERO_AT_ZERO:
        operation = graph.maker(operation.inputs[0])
    return operation if operation is not None and is_layer(operation) else None


def _has_no_offset(layer: Operation, graph: Graph) -> bool:
    """Tell whether a layer adds nothing to its products."""
    if len(layer.inputs) < 3:
        return True
    maker = graph.maker(layer.inputs[2])
    return maker is not None and constant(maker) == 0


RULE = Rule("constant-weights", Severity.WARNING, _find, FILLS | CREATIONS)
