"""An operation of the graph as a line of Python that does it again, with tensors as variables `t0`, `t1`, ..."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from cutaway.core.architecture import Op
from cutaway.core.size.dim import Dim
from cutaway.knowledge.base.describe import describe
from cutaway.knowledge.torch.tensor.op import RULES, Row


class Unwritable(ValueError):
    """An operation whose arguments can't be determined from what is recorded; the message says which."""


def call_of(op: Op) -> str:
    """Return the call of an operation, or raise `Unwritable`."""
    row: Row | None = getattr(RULES.get(op.op), "__row__", None)
    if row is None:
        raise Unwritable("its signature is not known")
    given = dict(op.attributes)
    names = [*row.positional, *([row.star] if row.star else []), *sorted(row.parameters - set(row.positional))]
    held = [name for name in dict.fromkeys(names) if name not in given]
    tensors = _placed(held, row, len(op.inputs))
    if op.op in ("torch.Tensor.__getitem__", "torch.Tensor.__setitem__"):
        key, value = (tensors.get(name) or _expression(given.get(name)) for name in ("key", "value"))
        item = f"{tensors['self']}[{key}]"
        return item if op.op.endswith("__getitem__") else f"{op.op}(t0, {key}, {value}) or t0"
    positional, named = [], []
    by_name = False
    for name in row.positional:
        text = tensors.get(name)
        if text is None:
            if name in row.defaults and describe(row.defaults[name]) == given.get(name):
                by_name = True
                continue
            text = _expression(given[name])
        if by_name:
            named.append(f"{name}={text}")
        else:
            positional.append(text)
    if row.star is not None:
        if row.star in tensors:
            positional.append(f"*{tensors[row.star]}")
        elif given.get(row.star):
            positional.extend(_expression(item) for item in _listed(given[row.star]))
    for name in sorted(row.parameters - set(row.positional)):
        if name in tensors:
            named.append(f"{name}={tensors[name]}")
        elif name in given and describe(row.defaults.get(name)) != given[name]:
            named.append(f"{name}={_expression(given[name])}")
    if op.op.startswith("torch.Tensor.") and positional:
        method = op.op.rpartition(".")[2]
        return f"{positional[0]}.{method}({', '.join([*positional[1:], *named])})"
    return f"{op.op}({', '.join([*positional, *named])})"


def _placed(held: list[str], row: Row, count: int) -> dict[str, str]:
    """Give the tensors of an operation to the parameters that hold them: one each, or all of them to one list."""
    held = [name for name in held if name not in row.defaults or count] if held else []
    if len(held) == count and not (len(held) == 1 and held[0] in _LISTS):
        return {name: f"t{at}" for at, name in enumerate(held)}
    lists = [name for name in held if name in _LISTS or name == row.star]
    if len(lists) == 1 and count >= len(held):
        placed, at = {}, 0
        for name in held:
            width = count - len(held) + 1 if name == lists[0] else 1
            group = [f"t{number}" for number in range(at, at + width)]
            placed[name] = f"[{', '.join(group)}]" if name == lists[0] else group[0]
            at += width
        return placed
    raise Unwritable(f"which of {', '.join(held) or 'its arguments'} the {count} tensors are is not recorded")


_LISTS = frozenset(["tensors", "operands", "arrays", "seq"])


def _listed(value: Any) -> list[Any]:
    """Return the items of a `*` parameter, which may have been given as one sequence."""
    return value if isinstance(value, list) else [value]


def _expression(value: Any) -> str:
    """Return the expression of a described value."""
    if isinstance(value, str):
        if value == "...":
            return "..."
        if value.startswith("device("):
            return f"torch.{value}"
        if value.startswith("<"):
            raise Unwritable(f"the argument {value} is not recorded")
        return value if value.startswith("torch.") else repr(value)
    if isinstance(value, Dim):
        raise Unwritable("a size is not a number")
    if isinstance(value, Mapping):
        if "slice" in value:
            return f"slice({', '.join(_expression(part) for part in value['slice'])})"
        if "float" in value:
            return f"float({value['float']!r})"
        raise Unwritable("an argument of it is unknown, or an object")
    if isinstance(value, list):
        items = ", ".join(_expression(item) for item in value)
        return f"({items},)" if len(value) == 1 else f"({items})"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    return repr(value)
