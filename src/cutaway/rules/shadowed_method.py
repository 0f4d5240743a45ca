"""A module sets an attribute that has the name of one of its methods.

The attribute hides the method on the instance, so that a call of it raises: after `self.train = True`, `model.train()` is
a call of True.

Fails:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 4)
        self.eval = False

    def forward(self, x):
        return self.layer(x)


output = Net()(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 4)
        self.is_evaluated = False

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
from cutaway.rules.training_code import module_classes

_METHODS = frozenset(
    """train eval parameters named_parameters buffers named_buffers modules named_modules children named_children
    state_dict load_state_dict to cuda cpu half float double bfloat16 apply zero_grad requires_grad_ forward
    register_buffer register_parameter add_module""".split()
)
_DATA = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp, ast.Compare, ast.BinOp, ast.JoinedStr)


def _find(program: Program) -> Iterator[Found]:
    for cls in module_classes(program):
        own = {node.name for node in cls.body if isinstance(node, ast.FunctionDef)}
        for node in ast.walk(cls):
            if not isinstance(node, ast.Assign) or not isinstance(node.value, _DATA):
                continue
            for target in node.targets:
                name = target.attr if isinstance(target, ast.Attribute) and _is_self(target.value) else ""
                if name in _METHODS or name in own:
                    text = f"{name} of {cls.name} is a method, and this hides it: a call of {name}() raises"
                    yield Found(text, Place(program.file, node.lineno), (f".{name}",))


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


RULE = Rule("shadowed-method", Severity.WARNING, _find)
