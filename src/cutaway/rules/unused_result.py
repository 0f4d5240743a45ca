"""A method returns a new tensor, and the statement throws it away.

`view`, `permute`, `unsqueeze` and the like leave the tensor as it is and return another one. Assign the result:
`x = x.unsqueeze(0)`.

Fails:

```python
import torch

x = torch.randn(8)
x.unsqueeze(0)
```

Works:

```python
import torch

x = torch.randn(8)
x = x.unsqueeze(0)
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.training_code import method, receiver

_METHODS = frozenset("view reshape permute unsqueeze squeeze contiguous masked_fill type_as view_as expand_as".split())

_WITHOUT_ARGUMENTS = ("squeeze", "contiguous")


def _find(program: Program) -> Iterator[Found]:
    if not program.file.endswith(".py"):
        return  # the last expression of a cell, or of an example, is shown
    for node in program.nodes(ast.Expr):
        call = node.value
        if (
            isinstance(call, ast.Call)
            and method(call) in _METHODS
            and (call.args or method(call) in _WITHOUT_ARGUMENTS)
        ):
            text = f"{receiver(call)}.{method(call)} returns a new tensor, which is not used: {receiver(call)} stays as it is"
            yield Found(text, Place(program.file, node.lineno), (method(call),))


RULE = Rule("unused-result", Severity.WARNING, _find)
