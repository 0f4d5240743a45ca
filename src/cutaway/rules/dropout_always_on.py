"""A call of `F.dropout` in a forward pass drops values in evaluation, too.

The function does not know whether the network is in training mode: `training` is True unless it is passed. Predictions are
then random. Pass `training=self.training`, or use `nn.Dropout`.

Fails:

```python
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def forward(self, x):
        return F.dropout(self.layer(x), p=0.5)


output = Net()(torch.randn(4, 8))
```

Works:

```python
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def forward(self, x):
        return F.dropout(self.layer(x), p=0.5, training=self.training)


output = Net()(torch.randn(4, 8))
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.problem import Edit, Fix, Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.training_code import method, method_calls, module_classes, receiver

_DROPOUTS = frozenset("dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split())


def _find(program: Program) -> Iterator[Found]:
    for cls in module_classes(program):
        for function in cls.body:
            if not isinstance(function, ast.FunctionDef) or not function.args.args:
                continue
            owner = function.args.args[0].arg
            guarded = [
                node for node in ast.walk(function) if isinstance(node, ast.If) and "training" in ast.unparse(node.test)
            ]
            for call in method_calls(function, *_DROPOUTS):
                if receiver(call) not in ("F", "nn.functional", "torch.nn.functional") or _says(call, function):
                    continue
                if not any(node is call for branch in guarded for node in ast.walk(branch)):
                    name = f"{receiver(call)}.{method(call)}"
                    text = f"{name} drops values in evaluation, too: pass training={owner}.training"
                    end = Edit(call.end_lineno or 0, (call.end_col_offset or 1) - 1, f", training={owner}.training")
                    fix = Fix(f"pass training={owner}.training", (end,)) if call.args and owner == "self" else None
                    yield Found(text, Place(program.file, call.lineno), (method(call),), fix=fix)


def _says(call: ast.Call, function: ast.FunctionDef) -> bool:
    """Tell whether a call says when to drop values, or uses a variable that depends on the mode."""
    chosen = [node for node in ast.walk(function) if isinstance(node, ast.Assign) and "training" in ast.unparse(node)]
    names = {ast.unparse(target) for node in chosen for target in node.targets}
    if any("training" in ast.unparse(each) or ast.unparse(each) in names for each in (*call.args[1:], *_values(call))):
        return True
    is_starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return len(call.args) > 2 or is_starred or any(keyword.arg in (None, "training") for keyword in call.keywords)


def _values(call: ast.Call) -> list[ast.expr]:
    return [keyword.value for keyword in call.keywords]


RULE = Rule("dropout-always-on", Severity.WARNING, _find)
