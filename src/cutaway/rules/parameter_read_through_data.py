"""Forward reads a parameter through `data`, so that no gradient reaches it.

`data` is the tensor without its history. The result of forward is the same, but the parameter is never trained. Where
that is meant, `detach()` says so.

Fails:

```python
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8))

    def forward(self, x):
        return x * self.weight.data


output = Scale()(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8))

    def forward(self, x):
        return x * self.weight


output = Scale()(torch.randn(4, 8))
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


def _find(program: Program) -> Iterator[Found]:
    for cls in module_classes(program):
        own = _parameters(cls)
        methods = [node for node in cls.body if isinstance(node, ast.FunctionDef) and node.name != "__init__"]
        forward = next((node for node in methods if node.name == "forward"), None)
        if forward is None:
            continue
        uses = {name: _uses(methods, name) for name in own}
        parents = {child: node for node in ast.walk(forward) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(forward):
            if not isinstance(node, ast.Attribute) or node.attr != "data" or not isinstance(node.ctx, ast.Load):
                continue
            name = ast.unparse(node.value).removeprefix("self.")
            is_changed = isinstance(parents.get(node), (ast.Attribute, ast.Subscript))
            if name in own and uses[name] == 1 and not is_changed:
                text = f"forward reads the parameter {name} of {cls.name} through data, so that it gets no gradient"
                yield Found(text, Place(program.file, node.lineno), (".data",))


def _parameters(cls: ast.ClassDef) -> set[str]:
    """Return the attributes that a class sets to a parameter that is trained."""
    names = set()
    for node in ast.walk(cls):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            is_parameter = ast.unparse(node.value.func).rpartition(".")[2] == "Parameter"
            is_frozen = (
                any(keyword.arg == "requires_grad" for keyword in node.value.keywords) or len(node.value.args) > 1
            )
            if is_parameter and not is_frozen:
                names |= {target.attr for target in node.targets if isinstance(target, ast.Attribute)}
    return names


def _uses(methods: list[ast.FunctionDef], name: str) -> int:
    return sum(isinstance(node, ast.Attribute) and node.attr == name for method in methods for node in ast.walk(method))


RULE = Rule("parameter-read-through-data", Severity.WARNING, _find)
