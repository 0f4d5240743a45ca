"""A running sum of losses keeps what each loss was computed from.

A loss refers to the operations that made it, and so does a sum of losses. Adding it up over an epoch keeps memory of every
batch. Add `loss.item()`, or `loss.detach()`.

Fails:

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for _ in range(10):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    optimizer.step()
    total += loss
```

Works:

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for _ in range(10):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    optimizer.step()
    total += loss.item()
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.training_code import method, method_calls, receiver


def _find(program: Program) -> Iterator[Found]:
    differentiated = {receiver(call) for call in method_calls(program, "backward")}
    for loop in program.nodes(ast.For, ast.While):
        own = {receiver(call) for call in method_calls(loop, "backward")}
        for node in ast.walk(loop):
            if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Add):
                continue
            name, target = ast.unparse(node.value), ast.unparse(node.target)
            if isinstance(node.value, ast.Name) and name in own and target not in differentiated:
                if not _is_detached(loop, name) and not _is_operand(program, target) and not _is_free(loop, node):
                    text = f"{target} keeps the operations that every {name} was computed from: add {name}.item()"
                    yield Found(text, Place(program.file, node.lineno), (f"name {name}",))


def _is_detached(loop: ast.AST, name: str) -> bool:
    """Tell whether a loop replaces a loss by its number before it is added."""
    values = [node.value for node in ast.walk(loop) if isinstance(node, ast.Assign) and _assigns(node, name)]
    return any(word in ast.unparse(value) for value in values for word in ("item", "detach", "float", ".data", "numpy"))


def _is_free(loop: ast.AST, addition: ast.AST) -> bool:
    """Tell whether an addition is made where no operations are remembered."""
    contexts = [node for node in ast.walk(loop) if isinstance(node, ast.With)]
    return any(
        any("no_grad" in ast.unparse(item) or "inference_mode" in ast.unparse(item) for item in context.items)
        and any(node is addition for node in ast.walk(context))
        for context in contexts
    )


def _assigns(node: ast.Assign, name: str) -> bool:
    return any(ast.unparse(target) == name for target in node.targets)


def _is_operand(program: Program, target: str) -> bool:
    """Tell whether a sum may be what is differentiated: it is part of another loss, or passed on."""
    for node in program.nodes(ast.Assign, ast.AugAssign, ast.Call):
        if isinstance(node, ast.Call):
            if method(node) == "backward" and target in ast.unparse(node.func):
                return True
        elif any(
            ast.unparse(each) == target for each in ast.walk(node.value) if isinstance(each, (ast.Name, ast.Attribute))
        ):
            if not any(word in ast.unparse(node.value) for word in ("item", "detach", "len(", "/")):
                return True
    return False


RULE = Rule("loss-kept-with-graph", Severity.WARNING, _find)
