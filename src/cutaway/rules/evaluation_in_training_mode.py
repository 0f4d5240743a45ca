"""A network with dropout or batch normalisation is evaluated in training mode.

In training mode dropout makes predictions random, and batch normalisation uses the batch at hand and changes its running
statistics. Call `model.eval()` before an evaluation, and `model.train()` before training goes on.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(10):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    optimizer.step()

with torch.no_grad():
    score = model(torch.randn(4, 8)).pow(2).mean()
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(10):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    optimizer.step()

model.eval()
with torch.no_grad():
    score = model(torch.randn(4, 8)).pow(2).mean()
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.training_code import method_calls, receiver, uses

_DEPENDENT = ("Dropout", "BatchNorm", "AlphaDropout", "FeatureAlphaDropout")


def _find(program: Program) -> Iterator[Found]:
    if not method_calls(program, "backward"):
        return
    if uses(program, "eval", "training", "fit", "requires_grad_"):
        return
    if method_calls(program, "train"):
        yield from _in_functions(program)
        return
    for network in program.networks:
        part = next((each for each in network.modules if each.class_name.startswith(_DEPENDENT)), None)
        if part is None or (part.class_name.startswith("Dropout") and part.config.get("p") == 0):
            continue
        for block in program.nodes(ast.With):
            if not any(_is_without_gradients(item.context_expr) for item in block.items):
                continue
            for call in ast.walk(block):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == network.name:
                    text = (
                        f"{network.name} is evaluated in training mode, but has {part.class_name}: nothing calls eval()"
                    )
                    notes = ((f"{part.class_name} is created here", part.source),)
                    yield Found(text, Place(program.file, call.lineno), (network.name,), notes)
                    return


def _in_functions(program: Program) -> Iterator[Found]:
    """Yield the functions that evaluate a network after another function has put it into training mode, and nothing undoes it."""
    if any(call.args or call.keywords for call in method_calls(program, "train")) or not _has_dependent(program):
        return
    for function in program.nodes(ast.FunctionDef):
        if method_calls(function, "train", "backward", "step"):
            continue
        parameters = {each.arg for each in function.args.args}
        blocks = [
            block
            for block in ast.walk(function)
            if isinstance(block, ast.With) and any(_is_without_gradients(item.context_expr) for item in block.items)
        ]
        calls = [node for block in blocks for node in ast.walk(block) if isinstance(node, ast.Call)]
        trained = {receiver(call) for call in method_calls(program, "train")}
        for call in calls:
            name = ast.unparse(call.func)
            if name in parameters and name in trained:
                text = (
                    f"{name} is evaluated in training mode, in which dropout and batch normalisation behave differently"
                )
                yield Found(f"{text}: nothing calls eval()", Place(program.file, call.lineno), (name,))
                break


def _has_dependent(program: Program) -> bool:
    return any(each.class_name.startswith(_DEPENDENT) for network in program.networks for each in network.modules)


def _is_without_gradients(context: ast.expr) -> bool:
    function = context.func if isinstance(context, ast.Call) else context
    return isinstance(function, ast.Attribute) and function.attr in ("no_grad", "inference_mode")


RULE = Rule("evaluation-in-training-mode", Severity.WARNING, _find)
