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

from collections.abc import Iterator, Mapping
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
        dense = {module.path: module for module in network.modules if module.class_name == "Dense"}
        for op in network.ops:
            maker = _maker(op, makers, dense) if _is_linear(op, dense) else None
            if maker is None or not _is_linear(maker, dense) or op.module == maker.module:
                continue
            value = op.inputs[0]
            inner, first, last = _size(value), _size(maker.inputs[0]), _size(op.outputs[0])
            is_wide = all(type(size) is int for size in (inner, first, last)) and inner >= min(first, last)
            is_certain = op.condition is None and maker.condition is None
            if is_wide and is_certain and readers[value.name] == 1 and value.name not in returned:
                text = f"{maker.module} ({first} to {inner}) and {op.module} ({inner} to {last})"
                name = op.module.rpartition(network.separator)[2]
                place = dense[op.module].source if op.module in dense else op.source
                yield Found(f"{text} are linear, with no activation in between", place, (name, "Dense"))


def _maker(op: Op, makers: dict[str, Op], dense: Mapping[str, object]) -> Op | None:
    """Return what makes the input of a linear operation; a bias of Keras is added by an operation of its own."""
    maker = makers.get(op.inputs[0].name)
    if maker is not None and maker.op == "keras.ops.add" and maker.module in dense:
        maker = makers.get(maker.inputs[0].name)
    return maker


def _is_linear(op: Op, dense: Mapping[str, object]) -> bool:
    is_dense = op.op == "keras.ops.matmul" and op.module in dense
    return bool(op.module) and bool(op.inputs) and (is_dense or op.op.endswith(".functional.linear"))


def _size(value: Any) -> Any:
    return value.shape[-1] if value.shape else None


RULE = Rule("stacked-linear-layers", Severity.WARNING, _find)
