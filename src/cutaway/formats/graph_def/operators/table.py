"""All rows."""

from __future__ import annotations

from cutaway.formats.graph_def.operators import arrangement, convolution, elementwise, reduction, sources
from cutaway.formats.graph_def.operators.registry import RULES

FAMILIES = (arrangement, convolution, elementwise, reduction, sources)

__all__ = ["FAMILIES", "RULES"]
