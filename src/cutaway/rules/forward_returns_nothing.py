"""The forward pass of a network returns nothing.

It computes something and throws it away: the caller gets None. Usually the return statement is missing.

Fails:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def forward(self, x):
        x = self.layer(x)


output = Net()(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def forward(self, x):
        return self.layer(x)


output = Net()(torch.randn(4, 8))
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.use import classes_of

_FORWARD = ("forward", "call")


def _find(program: Program) -> Iterator[Found]:
    definitions = classes_of(program)
    for network in program.networks:
        root = network.modules[0] if network.modules else None
        definition = definitions.get(root.class_name) if root is not None else None
        if definition is None or root is None or not network.ops or not root.calls or root.calls[0].outputs != ():
            continue
        for method in definition.methods():
            if method.name in _FORWARD and not _ends_itself(method) and not network.diagnostics:
                text = f"{method.name} of {root.class_name} returns nothing: what it computes is lost"
                yield Found(text, Place(program.file, method.body[-1].lineno))


def _ends_itself(method: ast.FunctionDef) -> bool:
    """Tell whether a method returns a value, yields, raises, or keeps what it computes."""
    for node in ast.walk(method):
        if isinstance(node, ast.Return) and node.value is not None:
            return True
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Raise)):
            return True
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            return True
    return False


RULE = Rule("forward-returns-nothing", Severity.WARNING, _find)
