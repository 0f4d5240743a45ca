"""All rows."""

from __future__ import annotations

from cutaway.formats.graph_def.operators import (
    arrangement,
    convolution,
    elementwise,
    gradients,
    linear_algebra,
    media,
    quantized,
    ragged,
    random,
    recurrent,
    reduction,
    selection,
    sources,
    sparse,
)
from cutaway.formats.graph_def.operators.registry import RULES

FAMILIES = (
    arrangement, convolution, elementwise, gradients, linear_algebra, media, quantized, ragged, random, recurrent, reduction,
    selection, sources, sparse,
)  # fmt: skip

__all__ = ["FAMILIES", "RULES"]
