"""Random indices or labels are drawn from a range that is larger than what they index.

`randint(0, n)` draws from 0 to n - 1. An embedding of fewer rows, or a loss of fewer classes, fails as soon as one of the
numbers is too large. Make the range as large as the table, or the table as large as the range.

Fails:

```python
import torch
from torch import nn

embedding = nn.Embedding(1000, 16)
output = embedding(torch.randint(0, 2000, (8, 12)))
```

Works:

```python
import torch
from torch import nn

embedding = nn.Embedding(1000, 16)
output = embedding(torch.randint(0, 1000, (8, 12)))
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.core.problem import Severity
from cutaway.core.program import Program
from cutaway.core.session import Operation, Reference
from cutaway.core.unknown import Unknown
from cutaway.rules.graph import Graph, calls_of, named, short
from cutaway.rules.rule import Found, Rule

_LOSSES = named("cross_entropy", "nll_loss")
_LOOKUPS = named("embedding")
_ARRANGING = named("view", "reshape", "squeeze", "unsqueeze", "flatten", "long", "to", "contiguous", "clone", "permute")

_SELECTING = named(
    "__getitem__", "select", "narrow", "chunk", "split", "unbind", "index_select", "roll", "flip", "repeat"
)


def _find(program: Program) -> Iterator[Found]:
    graph = Graph(program)
    for operation in calls_of(program, _LOSSES | _LOOKUPS):
        numbers, count, what = _indexing(operation)
        maker = _origin(graph, numbers) if numbers is not None and type(count) is int else None
        drawn = _range(maker) if maker is not None else None
        if maker is None or drawn is None:
            continue
        low, high = drawn
        ignored = operation.attributes.get("ignore_index", -100)
        if low < 0 and not (low == -1 and ignored == -1):
            wrong = low
        elif high > count and ignored not in range(count, high):
            wrong = high - 1
        else:
            continue
        name = short(operation)
        yield Found(
            f"{name}: numbers from {low} to {high - 1} are drawn, but there are {count} {what}, 0 to {count - 1}: {wrong} fails",
            operation.place,
            (name, "criterion", "loss_fn"),
            (("the numbers are drawn here", maker.place),),
        )


def _indexing(operation: Operation) -> tuple[Any, Any, str]:
    """Return the numbers that an operation is given, how many there may be, and what they number."""
    if len(operation.inputs) < 2:
        return None, None, ""
    first, second = operation.inputs[0], operation.inputs[1]
    table = second.shape if operation.op in _LOOKUPS else first.shape
    if isinstance(table, Unknown) or not table:
        return None, None, ""
    if operation.op in _LOOKUPS:
        return first, table[0], "rows"
    same_rank = not isinstance(second.shape, Unknown) and len(second.shape) == len(table)
    return (None, None, "") if same_rank else (second, table[1] if len(table) > 1 else table[0], "classes")


def _origin(graph: Graph, numbers: Reference) -> Operation | None:
    """Return the operation that numbers come from, through all that only selects some of them."""
    maker = graph.maker(numbers)
    while maker is not None and maker.op in _SELECTING and maker.inputs:
        maker = graph.maker(maker.inputs[0])
    return maker


def _range(operation: Operation) -> tuple[int, int] | None:
    """Return the range that random integers are drawn from; None for another operation, or where nothing is drawn."""
    shape = operation.outputs[0].shape if operation.outputs else None
    if short(operation) not in ("randint", "drawn") or not isinstance(shape, (tuple, list)):
        return None
    if not all(type(size) is int and size > 0 for size in shape):
        return None
    low, high = operation.attributes.get("low", 0), operation.attributes.get("high")
    if type(high) is not int:
        low, high = 0, low
    return (low, high) if type(low) is int and type(high) is int and low < high else None


RULE = Rule(
    "random-index-out-of-range",
    Severity.ERROR,
    _find,
    _LOSSES | _LOOKUPS | _ARRANGING | _SELECTING | named("randint") | {"torch.utils.data.drawn"},
)
