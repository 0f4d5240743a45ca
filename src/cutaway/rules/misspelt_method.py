"""A class of modules has a method whose name is almost one that PyTorch calls.

`foward` is never called, and the network has no forward pass. A misspelt `__init__` is never called either, and the
network has no layers.

Fails:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def foward(self, x):
        return self.layer(x)
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
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.training_code import module_classes

_NEAR = {"forward": 2, "__init__": 1}
"""How many letters of a misspelt name may be added, missing or different."""


def _find(program: Program) -> Iterator[Found]:
    for cls in module_classes(program):
        methods = {node.name: node for node in cls.body if isinstance(node, ast.FunctionDef)}
        set_names = {target.id for node in cls.body if isinstance(node, ast.Assign) for target in _names(node)}
        for known, near in _NEAR.items():
            if known in methods or known in set_names or len(cls.bases) > 1:
                continue
            for name, node in methods.items():
                is_variant = name.strip("_0123456789") == known or name.startswith(known)  # of a pass that others call
                if _distance(name, known) <= near and not is_variant and not _is_used(program, name):
                    text = f"{cls.name} has a method {name}, which nothing calls, but no {known}"
                    yield Found(text, Place(program.file, node.lineno))


def _names(node: ast.Assign) -> list[ast.Name]:
    return [target for target in node.targets if isinstance(target, ast.Name)]


def _is_used(program: Program, name: str) -> bool:
    return any(node.attr == name for node in program.nodes(ast.Attribute))


def _distance(first: str, second: str) -> int:
    """Return how many letters have to be added, removed or replaced."""
    row = list(range(len(second) + 1))
    for at, letter in enumerate(first, 1):
        before, row[0] = row[0], at
        for column, other in enumerate(second, 1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (letter != other))
    return row[-1]


RULE = Rule("misspelt-method", Severity.WARNING, _find)
