"""The summary that `model.summary()` has made familiar: a line for each layer, its output shape and its parameters."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.architecture import Architecture, Module, Shape, Weight
from cutaway.core.size.dim import Dim, symbols
from cutaway.passes.cost import counted
from cutaway.passes.hierarchy import ancestors
from cutaway.report.rows import declared_input, several
from cutaway.report.sections import fit, remarks
from cutaway.report.terminal import Terminal, columns, printable

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
    held = _held(architecture)
    left_open = {
        one.name
        for value in architecture.inputs
        for size in value.shape or ()
        if isinstance(size, Dim)
        for one in symbols(size)
    }
    rows = [("Layer (type)", "Output Shape", "Param #")]
    for module in layers:
        inner = "  " * (_level(module, architecture) - 1)
        name = module.path.rpartition(architecture.separator)[2]
        label = printable(f"{inner}{name} ({module.class_name})", terminal) + several(module, terminal)
        rows.append((label, _output(module, architecture, left_open), _count(held.get(module.path, []))))
    wide = [max(columns(row[at]) for row in rows) for at in range(3)]
    lines = [_row(row, wide) for row in rows]
    rule = ("─" if terminal.unicode else "-") * sum(wide, 2 * len(_GAP))
    double = ("═" if terminal.unicode else "=") * len(rule)
    weights = [weight for weight in architecture.weights if weight.tied_to is None and weight.kind != "buffer"]
    return [
        printable(f'Model: "{architecture.name}"', terminal),
        rule,
        lines[0],
        double,
        *lines[1:],
        double,
        f"Total params: {_count(weights)}{_memory(weights)}",
        f"Trainable params: {_trainable(weights, True)}",
        f"Non-trainable params: {_trainable(weights, False)}",
        *remarks(architecture, terminal),
    ]


def _trainable(weights: list[Weight], trainable: bool) -> str:
    """Count the weights that are trained, or those that are not."""
    return (
        "?" if any(w.trainable is None for w in weights) else _count([w for w in weights if w.trainable is trainable])
    )


def _row(row: tuple[str, str, str], wide: list[int]) -> str:
    cells = [cell + " " * (size - columns(cell)) for cell, size in zip(row[:2], wide)]
    return _GAP.join([*cells, row[2].rjust(wide[2])])


def _level(module: Module, architecture: Architecture) -> int:
    return 0 if not module.path else module.path.count(architecture.separator) + 1


def _output(module: Module, architecture: Architecture, left_open: set[str]) -> str:
    """Return the shapes of a layer's first call; sizes that are left open are None, as Keras writes them."""
    if module.calls:
        outputs = module.calls[0].outputs
        shapes = [None] if outputs is None else list(outputs)
    else:
        entry = declared_input(module, architecture)
        if entry is None:
            return "not called"
        shapes = [entry.shape]
    strings = [_shape(shape, left_open) for shape in shapes]
    return strings[0] if len(strings) == 1 else f"[{', '.join(strings)}]"


def _shape(shape: Shape, left_open: set[str]) -> str:
    if shape is None:
        return "?"
    sizes = ["?" if size is None else str(size) for size in shape]
    for at, size in enumerate(shape):
        if isinstance(size, Dim) and left_open & {one.name for one in symbols(size)}:
            sizes[at] = "None"
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def _held(architecture: Architecture) -> dict[str, list[Weight]]:
    """Return the weights in each module and below it, by path."""
    by_path: dict[str, list[Weight]] = {}
    for weight in architecture.weights:
        if weight.kind != "buffer":
            home = weight.module if weight.module is not None else weight.name.rpartition(".")[0]
            for path in ancestors(home, architecture.separator):
                by_path.setdefault(path, []).append(weight)
    return by_path


def _count(weights: list[Weight]) -> str:
    figure, _ = counted(weights)
    number = figure.quantity
    if isinstance(number, int):
        return f"{number:,}"
    if isinstance(number, Dim):
        return str(number)
    return f"at least {figure.least:,}" if isinstance(figure.least, int) else "?"


def _memory(weights: list[Weight]) -> str:
    _, figure = counted(weights)
    size = figure.quantity
    if not isinstance(size, int):
        return ""
    amount = float(size)
    for unit in ("B", "KB", "MB"):
        if amount < 1024:
            return f" ({amount:.2f} {unit})"
        amount /= 1024
    return f" ({amount:.2f} GB)"
