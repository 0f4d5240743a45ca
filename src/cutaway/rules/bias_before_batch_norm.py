"""A layer has a bias, and a batch normalisation that follows takes it away again.

A batch normalisation subtracts the mean of each channel, and with it any constant that was added before. The bias costs
memory and has no effect. Pass `bias=False`. This is a hint: select it to see it.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))
output = model(torch.randn(4, 3, 16, 16))
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8))
output = model(torch.randn(4, 3, 16, 16))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule

_LAYERS = ("linear", "conv1d", "conv2d", "conv3d")


def _find(program: Program) -> Iterator[Found]:
    for network in program.networks:
        makers = {value.name: op for op in network.ops for value in op.outputs}
        readers: dict[str, int] = {}
        for op in network.ops:
            for value in op.inputs:
                readers[value.name] = readers.get(value.name, 0) + 1
        sources = {module.path: module for module in network.modules}
        for op in network.ops:
            maker = makers.get(op.inputs[0].name) if op.op.endswith(".batch_norm") and op.inputs else None
            if maker is None or maker.op.rpartition(".")[2] not in _LAYERS or readers[op.inputs[0].name] != 1:
                continue
            layer = sources.get(maker.module)
            if layer is not None and layer.config.get("bias") is True:
                text = f"{layer.path} ({layer.class_name}) has a bias, which the batch normalisation after it removes"
                yield Found(text, layer.source, (layer.class_name,))


RULE = Rule("bias-before-batch-norm", Severity.HINT, _find)
