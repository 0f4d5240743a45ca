"""A method is named, but not called: the parentheses are missing.

`model.eval` is the method itself, and the statement does nothing. The network stays in training mode, no step is taken, or
no gradient is computed. Write `model.eval()`.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
model.eval
output = model(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
model.eval()
output = model(torch.randn(4, 8))
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.problem import Edit, Fix, Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule

_METHODS = frozenset("eval train step zero_grad backward cuda cpu half requires_grad_ share_memory".split())


def _find(program: Program) -> Iterator[Found]:
    if not program.file.endswith(".py"):
        return  # the last expression of a cell, or of an example, is shown
    for node in program.nodes(ast.Expr):
        if isinstance(node.value, ast.Attribute) and node.value.attr in _METHODS:
            text = ast.unparse(node.value)
            place = Place(program.file, node.lineno)
            fix = Fix(
                f"call {node.value.attr}", (Edit(node.value.end_lineno or 0, node.value.end_col_offset or 0, "()"),)
            )
            yield Found(f"{text} is named, but not called: write {text}()", place, (f".{node.value.attr}",), fix=fix)


RULE = Rule("method-not-called", Severity.WARNING, _find)
