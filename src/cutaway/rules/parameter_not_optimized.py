"""A layer is made after the optimizer that trains its network, so that the optimizer does not know it.

The optimizer keeps the parameters that it is given. A layer that is replaced or added later gets gradients, but no step
changes it, while the replaced layer is still updated. Make the optimizer when the network is complete.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model[2] = nn.Linear(16, 4)
loss = model(torch.randn(4, 8)).pow(2).mean()
loss.backward()
optimizer.step()
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 10))
model[2] = nn.Linear(16, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(torch.randn(4, 8)).pow(2).mean()
loss.backward()
optimizer.step()
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.training_code import method, uses


def _find(program: Program) -> Iterator[Found]:
    if not uses(program, "backward", "step") or uses(program, "add_param_group"):
        return
    for part in program.record.untrained:
        text = f"{part.text} ({part.class_name}) is made after the optimizer, which never changes it"
        yield Found(text, part.place, (part.class_name,), (("the optimizer is created here", part.other),))
    for part in program.record.unoptimized:
        if part.text.isidentifier() and not _is_meant(program, part.text):
            text = f"{part.text} ({part.class_name}) is called in training mode, but no optimizer gets its parameters"
            yield Found(text, part.place, (part.class_name,))


def _is_meant(program: Program, name: str) -> bool:
    """Tell whether a program does something to a network that says it is not to be trained, or that trains it otherwise."""
    for node in program.nodes(ast.Attribute):
        if node.attr not in ("train", "to", "cuda", "zero_grad", "forward", "apply") and _is_name(node.value, name):
            return True
    for call in program.nodes(ast.Call):
        if any(_is_name(each, name) for each in (*call.args, *(keyword.value for keyword in call.keywords))):
            return True
        is_detached = method(call) in ("detach", "item", "numpy") and isinstance(call.func, ast.Attribute)
        if is_detached and _mentions(call.func, name):
            return True
    blocks = [block for block in program.nodes(ast.With) if "grad" in "".join(ast.unparse(i) for i in block.items)]
    return any(_mentions(block, name) for block in blocks)


def _mentions(node: ast.AST, name: str) -> bool:
    return any(_is_name(each, name) for each in ast.walk(node))


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


RULE = Rule("parameter-not-optimized", Severity.WARNING, _find)
