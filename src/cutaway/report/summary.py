"""The summary that `model.summary()` has made familiar: a line for each layer, its output shape and its parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cutaway.core.architecture import Architecture, Module, Shape, Weight
from cutaway.report.page import fit, remarks
from cutaway.report.terminal import Terminal, columns, printable

_SIZES = {"float64": 8, "int64": 8, "float16": 2, "bfloat16": 2, "int16": 2, "int8": 1, "uint8": 1, "bool": 1}
_GAP = "  "


def render(
    architectures: Sequence[Architecture],
    *,
    width: int,
    colour: bool,
    unicode: bool,
    depth: int | None = None,
    fold: bool = True,
) -> str:
    """Return a summary of each architecture; layers inside of layers are listed from the second level on."""
    terminal = Terminal(fit(width), colour, unicode)
    pages = ["\n".join(_page(architecture, terminal, depth or 1)) for architecture in architectures]
    return "\n\n".join(pages) + "\n" if pages else ""


def _page(architecture: Architecture, terminal: Terminal, depth: int) -> list[str]:
    layers = [module for module in architecture.modules if 0 < _level(module, architecture) <= depth]
    rows = [("Layer (type)", "Output Shape", "Param #")]
    for module in layers:
        inner = "  " * (_level(module, architecture) - 1)
        name = module.path.rpartition(architecture.separator)[2]
        label = printable(f"{inner}{name} ({module.class_name})", terminal)
        rows.append((label, _output(module, architecture), _count(_below(module, architecture))))
    wide = [max(columns(row[at]) for row in rows) for at in range(3)]
    lines = [_row(row, wide) for row in rows]
    rule = ("─" if terminal.unicode else "-") * sum(wide, 2 * len(_GAP))
    double = ("═" if terminal.unicode else "=") * len(rule)
    weights = [weight for weight in architecture.weights if weight.tied_to is None]
    return [
        printable(f'Model: "{architecture.name}"', terminal),
        rule,
        lines[0],
        double,
        *lines[1:],
        double,
        f"Total params: {_count(weights)}{_memory(weights)}",
        f"Trainable params: {_count([w for w in weights if w.trainable])}",
        f"Non-trainable params: {_count([w for w in weights if not w.trainable])}",
        *remarks(architecture, terminal),
    ]


def _row(row: tuple[str, str, str], wide: list[int]) -> str:
    cells = [cell + " " * (size - columns(cell)) for cell, size in zip(row[:2], wide)]
    return _GAP.join([*cells, row[2].rjust(wide[2])])


def _level(module: Module, architecture: Architecture) -> int:
    return 0 if not module.path else module.path.count(architecture.separator) + 1


def _output(module: Module, architecture: Architecture) -> str:
    """Return the shapes of a layer's first call; sizes that are left open are None, as Keras writes them."""
    if module.calls:
        outputs = module.calls[0].outputs
        shapes = [None] if outputs is None else list(outputs)
    else:
        named = [value for value in architecture.inputs if value.name == module.path]
        if not named:
            return "not called"
        shapes = [named[0].shape]
    texts = [_shape(shape) for shape in shapes]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _shape(shape: Shape) -> str:
    if shape is None:
        return "?"
    sizes = [str(size) if isinstance(size, int) else "None" if isinstance(size, str) else "?" for size in shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def _below(module: Module, architecture: Architecture) -> list[Weight]:
    start = f"{module.path}{architecture.separator}"
    return [
        weight
        for weight in architecture.weights
        if (held := weight.module if weight.module is not None else weight.name.rpartition(".")[0]) == module.path
        or held.startswith(start)
    ]


def _number(weight: Weight) -> int | None:
    if weight.shape is None or not all(isinstance(size, int) for size in weight.shape):
        return None
    return math.prod(size for size in weight.shape if isinstance(size, int))


def _count(weights: list[Weight]) -> str:
    numbers = [_number(weight) for weight in weights]
    known = sum(number for number in numbers if number is not None)
    return f"{known:,}" if None not in numbers else f"at least {known:,}"


def _memory(weights: list[Weight]) -> str:
    numbers = [_number(weight) for weight in weights]
    if None in numbers:
        return ""
    size = float(sum((n or 0) * _SIZES.get(w.dtype or "float32", 4) for n, w in zip(numbers, weights)))
    for unit in ("B", "KB", "MB"):
        if size < 1024:
            return f" ({size:.2f} {unit})"
        size /= 1024
    return f" ({size:.2f} GB)"
