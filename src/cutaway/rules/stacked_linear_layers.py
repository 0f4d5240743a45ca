"""Two linear layers follow each other with nothing in between.

Their product is a linear layer again: together they can represent no more than one of them. Usually an activation is
missing. Where the size in between is smaller than those on both sides, the two are a factorisation, and that is not
reported.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 32), nn.Linear(32, 2))
output = model(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
output = model(torch.randn(4, 8))
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.core.architecture import Op
from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule


def _find(program: Program) -> Iterator[Found]:
    for network in program.networks:
        if network.diagnostics:
            continue
        makers = {value.name: op for op in network.ops for value in op.outputs}
        readers: dict[str, int] = {}
        for op in network.ops:
            for value in op.inputs:
                readers[value.name] = readers.get(value.name, 0) + 1
        returned = {value.name for value in network.outputs}
        for op in network.ops:
            maker = makers.get(op.inputs[0].name) if _is_linear(op) else None
            if maker is None or not _is_linear(maker) or readers[op.inputs[0].name] != 1 or op.module == maker.module:
                continue
            inner, first, last = _width(op, 0), _width(maker, 0), _size(op.outputs[0])
            is_wide = all(type(size) is int for size in (inner, first, last)) and inner >= min(first, last)
            if is_wide and op.inputs[0].name not in returned and op.condition is None and maker.condition is None:
                text = f"{maker.module} ({first} to {inner}) and {op.module} ({inner} to {last})"
                yield Found(
                    f"{text} are linear, with no activation in between", op.source, (op.module.rpartition(".")[2],)
                )


def _is_linear(op: Op) -> bool:
    return op.op.endswith(".functional.linear") and bool(op.module) and bool(op.inputs)


def _width(op: Op, at: int) -> Any:
    return _size(op.inputs[at])


def _size(value: Any) -> Any:
    return value.shape[-1] if value.shape else None


RULE = Rule("stacked-linear-layers", Severity.WARNING, _find)
