"""Operations and layers as others write them: the usual name of an operation, a layer's settings as it keeps them."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.core.architecture import Setting
from cutaway.knowledge.base import registry
from cutaway.knowledge.torch.tensor.op import RULES

_EXPANDED = ("kernel_size", "stride", "padding", "dilation", "output_padding")
_CONVOLUTIONS = "torch.nn.modules.conv."


def public_name(name: str) -> str:
    """Return the name that an operation has directly in `torch`, if it has one there: `torch.conv2d`."""
    row = getattr(RULES.get(name), "__row__", None)
    short = f"torch.{name.rpartition('.')[2]}"
    return short if row is not None and getattr(RULES.get(short), "__row__", None) is row else name


def as_attributes(qualified_name: str, config: Mapping[str, Setting]) -> Mapping[str, Setting]:
    """Return a layer's settings as its attributes hold them: a convolution has a size for each dimension."""
    dimensions = qualified_name[-2:-1]
    if not qualified_name.startswith(_CONVOLUTIONS) or not dimensions.isdigit():
        return config
    return {
        name: [value] * int(dimensions) if name in _EXPANDED and isinstance(value, int) else value
        for name, value in config.items()
    }


def load() -> None:
    """Bring the rows of all operations."""
    registry.load("torch")
    registry.load_rest()
