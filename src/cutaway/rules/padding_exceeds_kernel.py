"""The padding of a convolution is as large as its kernel, so that some outputs depend on padding alone.

The kernel lies completely outside of the input at the border. These outputs are the bias, or 0; they say nothing about the
input, and make the result larger than it needs to be. A kernel of 1 with a padding of 1 is the usual case.

Fails:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 8, kernel_size=1, padding=1), nn.ReLU())
output = model(torch.randn(1, 3, 8, 8))
```

Works:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 8, kernel_size=3, padding=1), nn.ReLU())
output = model(torch.randn(1, 3, 8, 8))
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule


def _find(program: Program) -> Iterator[Found]:
    seen: set[object] = set()
    for network in program.networks:
        for module in network.modules:
            is_plain = module.class_name in ("Conv1d", "Conv2d", "Conv3d") and module.condition is None
            if not is_plain or module.assumed or module.source in seen or module.source is None:
                continue
            if module.source.file != program.file:
                continue
            config = module.config
            padding, kernel = _each(config.get("padding")), _each(config.get("kernel_size"))
            spread = _each(config.get("dilation", 1))
            for pad, size, step in zip(*_aligned(padding, kernel, spread)):
                if pad >= step * (size - 1) + 1:
                    seen.add(module.source)
                    text = (
                        f"a padding of {pad} around a kernel of {size}: outputs at the border depend on padding alone"
                    )
                    yield Found(text, module.source, (module.class_name,))
                    break


def _each(value: Any) -> list[int]:
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    return values if all(type(each) is int for each in values) else []


def _aligned(*lists: list[int]) -> list[list[int]]:
    """Return lists of equal length; one number counts for all places."""
    length = max(map(len, lists))
    return [each * length if len(each) == 1 else each for each in lists]


RULE = Rule("padding-exceeds-kernel", Severity.WARNING, _find)
