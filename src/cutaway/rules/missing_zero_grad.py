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

_CLEARING = frozenset(
    (
        "zero_grad",
        "grad",
        "zero_",
    )
)
_OPTIMIZERS = frozenset("Adadelta Adagrad Adam AdamW SparseAdam Adamax ASGD NAdam RAdam RMSprop Rprop SGD".split())


def _find(program: Program) -> Iterator[Found]:
    if any(node.attr in _CLEARING for node in program.nodes(ast.Attribute)):
        return
    optimizers = _optimizers(program)
    loops = list(program.nodes(ast.For, ast.While))
    inner = [loop for loop in loops if not any(other is not loop and _holds(loop, other) for other in loops)]
    for loop in inner:
        calls = [node for node in ast.walk(loop) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        backward = [call for call in calls if _method(call) == "backward"]
        steps = [call for call in calls if _method(call) == "step" and ast.unparse(call.func.value) in optimizers]  # type: ignore[attr-defined]
        if backward and steps:
            place = Place(program.file, backward[0].lineno)
            name = ast.unparse(steps[0].func.value)  # type: ignore[attr-defined]
            text = f"gradients are added up over all iterations: nothing calls {name}.zero_grad()"
            yield Found(
                text, place, ("backward",), ((f"{name} takes a step here", Place(program.file, steps[0].lineno)),)
            )


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _holds(loop: ast.AST, other: ast.AST) -> bool:
    return any(node is other for node in ast.walk(loop))


def _optimizers(program: Program) -> set[str]:
    """Return the variables that are bound to an optimizer of PyTorch."""
    names: set[str] = set()
    for node in program.nodes(ast.Assign):
        call = node.value
        if isinstance(call, ast.Call):
            function = call.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name in _OPTIMIZERS:
                names.update(ast.unparse(target) for target in node.targets)
    return names


RULE = Rule("missing-zero-grad", Severity.WARNING, _find)
