"""A constructor sets an attribute to a layer, and then to another one, before anything has used the first.

The first layer is lost: it is made, and never part of the network. Most often a line was copied and its name left as it was,
so that another attribute is missing.

Fails:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.conv = nn.Conv2d(3, 16, 3)

    def forward(self, x):
        return self.conv(x)


output = Net()(torch.randn(1, 3, 8, 8))
```

Works:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3)
        self.conv2 = nn.Conv2d(8, 16, 3)

    def forward(self, x):
        return self.conv2(self.conv1(x))


output = Net()(torch.randn(1, 3, 8, 8))
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
    made = {
        (part.source.line, part.class_name) for network in program.networks for part in network.modules if part.source
    }
    for cls in module_classes(program):
        constructor = next((node for node in cls.body if getattr(node, "name", "") == "__init__"), None)
        if isinstance(constructor, ast.FunctionDef):
            yield from _overwritten(program, cls, constructor, made)


def _overwritten(
    program: Program, cls: ast.ClassDef, constructor: ast.FunctionDef, made: set[tuple[int, str]]
) -> Iterator[Found]:
    held: dict[str, ast.stmt] = {}
    for statement in constructor.body:
        target = _layer_target(statement)
        reads = {
            ast.unparse(node) for node in ast.walk(statement) if isinstance(node, ast.Attribute) and _is_load(node)
        }
        methods = {name for name in reads if name.startswith("self.") and f"{name}(" in ast.unparse(statement)}
        calls_itself = (
            any(isinstance(node, ast.Name) and node.id == "self" for node in _arguments(statement)) or methods
        )
        if target is not None and target in held and target not in reads:
            first = held[target]
            if any(first.lineno <= line <= (first.end_lineno or 0) for line, _ in made) is False and made:
                name = target.rpartition(".")[2]
                text = (
                    f"the layer that {name} of {cls.name} is set to is lost: it is set to another one before it is used"
                )
                notes = (("it is set again here", Place(program.file, statement.lineno)),)
                yield Found(text, Place(program.file, first.lineno), (f".{name}",), notes)
        for name in [name for name in held if name in reads or calls_itself]:
            del held[name]
        if target is not None:
            held[target] = statement


def _layer_target(statement: ast.stmt) -> str | None:
    """Return the attribute that a statement sets to what a class with a capital letter makes."""
    if (
        not isinstance(statement, ast.Assign)
        or len(statement.targets) != 1
        or not isinstance(statement.value, ast.Call)
    ):
        return None
    target, function = statement.targets[0], ast.unparse(statement.value.func).rpartition(".")[2]
    is_own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    return ast.unparse(target) if is_own and function[:1].isupper() else None


def _arguments(statement: ast.stmt) -> Iterator[ast.AST]:
    for call in ast.walk(statement):
        if isinstance(call, ast.Call):
            yield from (*call.args, *(keyword.value for keyword in call.keywords))


def _is_load(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


RULE = Rule("overwritten-module", Severity.WARNING, _find)
