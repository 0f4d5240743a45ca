"""A training loop never clears the gradients.

`backward` adds to the gradients that are there. Without `zero_grad` each step uses the sum of the gradients of all batches
so far, and training diverges or wanders. Call `optimizer.zero_grad()` once in each iteration.

Fails:

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(10):
    loss = model(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
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
from cutaway.rules.training_code import method_calls, optimizers, receiver, uses

_CLEARING = ("zero_grad", "grad", "zero_")


def _find(program: Program) -> Iterator[Found]:
    if uses(program, *_CLEARING):
        return
    known = optimizers(program)
    loops = list(program.nodes(ast.For, ast.While))
    inner = [loop for loop in loops if not any(other is not loop and _holds(loop, other) for other in loops)]
    for loop in inner:
        backward = method_calls(loop, "backward")
        steps = [call for call in method_calls(loop, "step") if receiver(call) in known]
        if backward and steps:
            name = receiver(steps[0])
            text = f"gradients are added up over all iterations: nothing calls {name}.zero_grad()"
            notes = ((f"{name} takes a step here", Place(program.file, steps[0].lineno)),)
            yield Found(text, Place(program.file, backward[0].lineno), ("backward",), notes)


def _holds(loop: ast.AST, other: ast.AST) -> bool:
    return any(node is other for node in ast.walk(loop))


RULE = Rule("missing-zero-grad", Severity.WARNING, _find)
