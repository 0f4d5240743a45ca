"""A module keeps a tensor as a plain attribute, and computes with it.

`to`, `cuda` and `half` move parameters and buffers only, so that the network raises on another device: the tensor stays
where it was made. It is also missing from `state_dict()`. `register_buffer` keeps it with the network.

Fails:

```python
import torch
from torch import nn


class Normalise(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.tensor([0.1, 0.2, 0.3])

    def forward(self, x):
        return x - self.mean


output = Normalise()(torch.randn(4, 3))
```

Works:

```python
import torch
from torch import nn


class Normalise(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.1, 0.2, 0.3]))

    def forward(self, x):
        return x - self.mean


output = Normalise()(torch.randn(4, 3))
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.use import Definition, classes_of

_MOVES = frozenset("to cuda cpu type_as type device half float double is_cuda get_device _apply new_tensor".split())
"""What moves a tensor, or is asked where to."""


def _find(program: Program) -> Iterator[Found]:
    definitions = classes_of(program)
    for part in program.record.tensors:
        owner, _, name = part.text.rpartition(".")
        definition = definitions.get(owner)
        place = definition.assignment(name) if definition is not None else None
        if definition is None or place is None:
            continue
        if _is_moved(definition, name) or _is_set_elsewhere(program, definition, name):
            continue
        text = f"{name} of {owner} is a tensor that is not registered: it is neither moved nor saved with the network"
        yield Found(text, place, (f".{name}",), (("it is used here", part.place),))


def _is_moved(definition: Definition, name: str) -> bool:
    """Tell whether a class does something about the device of an attribute, or sets it outside of its constructor."""
    methods = {each.name for each in definition.methods()}
    if methods & {"to", "cuda", "_apply"}:
        return True
    for method in definition.methods():
        if any(isinstance(each, ast.Attribute) and each.attr in _MOVES for each in ast.walk(method)):
            return True
        for node in ast.walk(method):
            if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store):
                return True
    constructor = next((node for node in definition.node.body if getattr(node, "name", "") == "__init__"), None)
    return constructor is not None and any(
        getattr(each, "attr", getattr(each, "arg", "")) in ("device", "cuda", "to") for each in ast.walk(constructor)
    )


def _is_set_elsewhere(program: Program, definition: Definition, name: str) -> bool:
    """Tell whether the program sets such an attribute outside of the class: whoever does that may know the device."""
    own = {id(node) for node in ast.walk(definition.node)}
    return any(
        node.attr == name and isinstance(node.ctx, ast.Store) and id(node) not in own
        for node in program.nodes(ast.Attribute)
    )


RULE = Rule("unregistered-tensor", Severity.WARNING, _find)
