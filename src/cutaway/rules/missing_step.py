"""A program computes gradients for an optimizer that never takes a step.

`backward` computes gradients and leaves the weights as they are. `optimizer.step()` changes them. Without it, nothing is
trained.

Fails:

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(10):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
```

Works:

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(10):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    optimizer.step()
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.training_code import method_calls, optimizers, receiver, uses

_ELSEWHERE = (
    "step",
    "fit",
    "minimize",
    "optimizer_step",
    "run",
    "train_step",
    "training_step",
    "prepare",
    "initialize",
)
"""What may take the step."""


def _find(program: Program) -> Iterator[Found]:
    backward = method_calls(program, "backward")
    if not backward or uses(program, *_ELSEWHERE):
        return
    for name, node in optimizers(program).items():
        others = [each for each in program.nodes(ast.Name, ast.Attribute) if ast.unparse(each) == name]
        passed = [call for call in program.nodes(ast.Call) if any(ast.unparse(arg) == name for arg in _arguments(call))]
        cleared = [call for call in method_calls(program, "zero_grad") if receiver(call) == name]
        if cleared and not passed and len(others) == len(cleared) + 1:
            text = f"{name} never takes a step: nothing calls {name}.step(), so nothing is trained"
            notes = (("gradients are computed here", Place(program.file, backward[0].lineno)),)
            yield Found(text, Place(program.file, node.lineno), (f"name {name}",), notes)


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


RULE = Rule("missing-step", Severity.WARNING, _find)
