"""What is written in the boxes of pictures."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.core.architecture import Module, Setting
from cutaway.core.pattern import pattern
from cutaway.core.size.dim import Dim
from cutaway.passes.diagram import GROUP, INPUT, OPERATION, Box
from cutaway.report import figures
from cutaway.report.rows import grouped, label

_WIDTHS = (
    (("in_channels", "in_features"), ("out_channels", "out_features")),
    ((), ("filters", "units", "num_features", "normalized_shape", "embedding_dim", "output_dim")),
)

_DIMENSIONS = pattern(r"([123])[dD](?![a-z])")
"""Over how many dimensions a kernel moves, as the names of layers say it: `Conv1d`, `MaxPooling2D`."""


def title(box: Box) -> str:
    """Return the first line: `Bottleneck × 3`."""
    name = f"{len(box.parts)} modules" if box.kind == GROUP else box.title
    times = f" × {box.count}" if box.count > 1 else ""
    if box.repeat != 1:
        times += f" × {'?' if box.repeat is None else grouped(str(box.repeat))}"
    return name + times


def subtitle(box: Box) -> str:
    """Return the second line: the name and the settings that say most, or the shape of an input."""
    if box.kind == INPUT:
        return figures.shape(box.shape)
    if box.kind == OPERATION:
        return ""
    settings = "" if box.unfolded or box.kind == GROUP else brief(box.modules[0])
    return ", ".join(text for text in (label(box.names, "…"), settings) if text)


def condition(box: Box) -> str:
    """Return the condition under which it is there."""
    return "" if box.condition is None else f"if {box.condition}"


def brief(module: Module) -> str:
    """Return the settings of a module that say most about it: `64 → 128, 3x3, stride 2`."""
    config = module.config
    words: list[str] = []
    for before, after in _WIDTHS:
        ends = [_first(config, before), _first(config, after)]
        if ends[1]:
            words.append(" → ".join(end for end in ends if end))
            break
    kernel = _first(config, ("kernel_size", "pool_size"))
    if kernel:
        words.append(_kernel(module, kernel))
    stride = _first(config, ("stride", "strides"))
    if stride not in ("", "1", kernel):
        words.append(f"stride {stride}")
    heads = _first(config, ("num_heads", "nhead"))
    if heads:
        words.append(f"{heads} heads")
    return ", ".join(words)


def _kernel(module: Module, text: str) -> str:
    """Return a kernel as a size for each dimension that it moves over, as far as these are known."""
    size = module.config.get("kernel_size", module.config.get("pool_size"))
    dimensions = _DIMENSIONS.search(module.class_name)
    count = len(size) if isinstance(size, list) else int(dimensions[1]) if dimensions else 0
    if "x" in text:
        return text
    return "x".join([text] * count) if count > 1 else f"kernel {text}"


def _first(config: Mapping[str, Setting], names: tuple[str, ...]) -> str:
    """Return the first of some settings that is a size or sizes."""
    for name in names:
        value = config.get(name)
        if isinstance(value, (int, Dim)) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, list) and value and all(isinstance(each, int) for each in value):
            return str(value[0]) if len(set(map(str, value))) == 1 else "x".join(map(str, value))
    return ""
