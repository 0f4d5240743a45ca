"""Layers are kept in a plain list or dict, so the network does not know them.

Layers register themselves where they are assigned to an attribute, and lists and dicts do not tell the network what they
hold: `parameters()` leaves their weights out, so an optimizer does not train them, `state_dict()` does not save them, and
`to(device)` does not move them. Use `nn.ModuleList` or `nn.ModuleDict`.

Fails:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8) for _ in range(3)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return x


output = Net()(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return x


output = Net()(torch.randn(4, 8))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.problem import Severity
from cutaway.core.program import Part, Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.use import classes_of


def _find(program: Program) -> Iterator[Found]:
    definitions = classes_of(program)
    parts: dict[str, list[Part]] = {}
    for part in program.record.unregistered:
        parts.setdefault(part.text, []).append(part)
    for text, held in parts.items():
        owner, _, attribute = text.rpartition(".")
        definition = definitions.get(owner)
        if definition is None:
            continue
        lines = range(definition.node.lineno, (definition.node.end_lineno or 0) + 1)
        if not any(part.place is not None and part.place.line in lines for part in held):
            continue  # they are made elsewhere: someone may keep them there
        count = len({id(part) for part in held})
        kinds = ", ".join(dict.fromkeys(part.class_name for part in held))
        what = f"{count} layers" if count > 1 else "a layer"
        yield Found(
            f"{attribute} of {owner} holds {what} ({kinds}) in a plain container, which the network does not know",
            definition.assignment(attribute) or held[0].place,
            (f".{attribute}",),
        )


RULE = Rule("unregistered-module", Severity.WARNING, _find)
