"""Distributed training of a network of which a forward pass leaves parameters out.

`DistributedDataParallel` waits for the gradient of every parameter. A layer that an iteration does not use gets none, and
the next iteration raises "Expected to have finished reduction in the prior iteration". Use the layer in every pass, remove
it, or pass `find_unused_parameters=True`.

Fails:

```python
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.auxiliary = nn.Linear(8, 2)

    def forward(self, x, with_auxiliary=False):
        x = self.body(x)
        return (x, self.auxiliary(x)) if with_auxiliary else x


def train(rank):
    model = DistributedDataParallel(Net())
    model(torch.randn(4, 8)).sum().backward()


output = Net()(torch.randn(4, 8))
```

Works:

```python
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.auxiliary = nn.Linear(8, 2)

    def forward(self, x, with_auxiliary=False):
        x = self.body(x)
        return (x, self.auxiliary(x)) if with_auxiliary else x


def train(rank):
    model = DistributedDataParallel(Net(), find_unused_parameters=True)
    model(torch.randn(4, 8)).sum().backward()


output = Net()(torch.randn(4, 8))
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.rules.rule import Found, Rule
from cutaway.rules.training_code import uses
from cutaway.rules.use import classes_of, is_followed, is_read

_WRAPPER = "DistributedDataParallel"
_COPES = frozenset(("find_unused_parameters", "static_graph"))


def _find(program: Program) -> Iterator[Found]:
    wrapped = _wrapped(program)
    if not wrapped or uses(program, "requires_grad", "requires_grad_"):
        return
    definitions = classes_of(program)
    for network in program.networks:
        root = next((module for module in network.modules if not module.path), None)
        call = wrapped.get(root.class_name) or wrapped.get(network.name) if root is not None else None
        if root is None or call is None or not is_followed(network):
            continue
        read = {value.name for op in network.ops for value in op.inputs}
        definition = definitions.get(root.class_name)
        for module in network.modules:
            own = [each for each in network.weights if f"{each.module}.".startswith(f"{module.path}.")]
            is_used = bool(module.calls) or any(weight.name in read for weight in own)
            if "." in module.path or not module.path or is_used or not own or definition is None:
                continue
            if is_read(definition, program, module.path):  # what is never mentioned is reported as unused
                text = f"{module.path} ({module.class_name}) of {root.class_name} is left out in this forward pass"
                notes = ((f"{module.path} is made here", module.source),)
                place = Place(program.file, call.lineno)
                yield Found(f"{text}, so distributed training raises", place, (_WRAPPER, "DDP"), notes)


def _wrapped(program: Program) -> dict[str, ast.Call]:
    """Return the names of classes and variables that are wrapped for distributed training."""
    names = {_WRAPPER}
    for node in program.nodes(ast.ImportFrom):
        names.update(alias.asname for alias in node.names if alias.name == _WRAPPER and alias.asname)
    found: dict[str, ast.Call] = {}
    for call in program.nodes(ast.Call):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        copes = any(keyword.arg is None or keyword.arg in _COPES for keyword in call.keywords)
        if name in names and call.args and not copes:
            found.update((each.id, call) for each in ast.walk(call.args[0]) if isinstance(each, ast.Name))
    for node in program.nodes(ast.Assign):  # of a variable, the class that it is made of
        calls = [found[each.id] for each in node.targets if isinstance(each, ast.Name) and each.id in found]
        names_of_value = [each.id for each in ast.walk(node.value) if isinstance(each, ast.Name)]
        for call in calls:
            found.update((name, call) for name in names_of_value if name not in found)
    return found


RULE = Rule("unused-in-distributed-training", Severity.WARNING, _find)
