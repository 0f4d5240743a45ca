"""Weights are scaled for another activation than the one that follows them.

The gain of an initialisation makes up for what the activation does to the size of numbers: rectifiers halve their variance,
`tanh` keeps small numbers as they are. With the gain of another activation, numbers grow or shrink from layer to layer, and
with them gradients. It is reported where a program names the activation, and another one follows directly.

Fails:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 16)
        self.output = nn.Linear(16, 4)
        nn.init.kaiming_normal_(self.hidden.weight, nonlinearity="relu")

    def forward(self, x):
        return self.output(torch.tanh(self.hidden(x)))


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
        nn.init.kaiming_normal_(self.hidden.weight, nonlinearity="tanh")

    def forward(self, x):
        return self.output(torch.tanh(self.hidden(x)))


output = Net()(torch.randn(4, 8))
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.core.session import Operation
from cutaway.rules.graph import short
from cutaway.rules.initialisation import FILLS, Weights
from cutaway.rules.rule import Found, Rule

_RECTIFIERS = frozenset("relu relu_ leaky_relu leaky_relu_ relu6".split())
_FITS = {
    "relu": _RECTIFIERS,
    "leaky_relu": _RECTIFIERS,
    "tanh": frozenset(("tanh", "tanh_")),
    "selu": frozenset(("selu", "selu_")),
}
_ACTIVATIONS = frozenset().union(*_FITS.values())
_STARTS = ("kaiming_", "xavier_", "orthogonal_")


def _find(program: Program) -> Iterator[Found]:
    weights = Weights(program)
    followers: dict[object, list[tuple[str, Operation, str]]] = {}
    for layer, fill in weights.layers():
        intended = _intended(program, fill)
        readers = weights.readers(layer)
        following = short(readers[0]) if len(readers) == 1 else ""
        if intended in _FITS and weights.readers(readers[0] if readers else layer):  # not at the end of a network
            followers.setdefault(fill.place, []).append((intended, layer, following))
    for place, uses in followers.items():
        if all(following in _ACTIVATIONS - _FITS[intended] for intended, _, following in uses):
            intended, layer, following = uses[0]
            text = f"the weights are scaled for {intended}, but {following.rstrip('_')} follows"
            yield Found(text, place, (), (("the layer is used here", layer.place),))  # type: ignore[arg-type]


def _intended(program: Program, fill: Operation) -> str:
    """Return the activation that an initialisation is said to be for: in its own arguments, or as its gain."""
    if fill.place is None or not short(fill).startswith(_STARTS):
        return ""
    for call in program.nodes(ast.Call):
        if not call.lineno <= fill.place.line <= (call.end_lineno or call.lineno):
            continue
        function = ast.unparse(call.func).rpartition(".")[2]
        stated = [keyword.value for keyword in call.keywords if keyword.arg == "nonlinearity"]
        if function == "calculate_gain":
            stated += call.args[:1]
        for value in stated:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                return value.value
    return ""


RULE = Rule("gain-contradicts-activation", Severity.WARNING, _find, FILLS)
