"""The gradients are cleared between `backward` and `step`, so nothing is trained.

`step` uses the gradients that `backward` has computed. If `zero_grad` comes in between, there are none, and the weights
stay as they are. Call `zero_grad` before `backward`, or after `step`.

Fails:

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(10):
    loss = model(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
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
from cutaway.rules.training_code import blocks, called, method, receiver, uses


def _find(program: Program) -> Iterator[Found]:
    if not uses(program, "zero_grad"):
        return
    for block in blocks(program):
        cleared: dict[str, ast.Call] = {}
        computed = False
        for statement in block:
            call = called(statement)
            name = "" if call is None else method(call)
            if name == "backward":
                computed = True
                cleared.clear()
            elif call is not None and name == "zero_grad" and computed:
                cleared[receiver(call)] = call
            elif call is not None and name == "step" and receiver(call) in cleared:
                at = cleared[receiver(call)]
                text = f"{receiver(call)}.zero_grad() removes the gradients that {receiver(call)}.step() needs"
                notes = (("the step is taken here", Place(program.file, call.lineno)),)
                yield Found(text, Place(program.file, at.lineno), ("zero_grad",), notes)
                return
            elif _may_compute(statement):
                computed = False
                cleared.clear()


def _may_compute(statement: ast.stmt) -> bool:
    """Tell whether a statement may compute gradients, or take a step: it calls something."""
    return any(isinstance(node, ast.Call) and ast.unparse(node.func) != "print" for node in ast.walk(statement))


RULE = Rule("zero-grad-before-step", Severity.WARNING, _find)
