"""All rules of operators, of every family."""

from __future__ import annotations

from cutaway.formats.onnx.operators import (
    classical,
    contraction,
    control,
    convolution,
    creation,
    elementwise,
    extensions,
    indexing,
    layout,
    microsoft,
    normalization,
    quantization,
    recurrent,
    reduction,
    resampling,
    sequences,
    signal,
    text,
)
from cutaway.formats.onnx.operators.registry import RULES

__all__ = ["RULES"]

FAMILIES = (
    classical,
    contraction,
    control,
    convolution,
    creation,
    elementwise,
    extensions,
    indexing,
    layout,
    microsoft,
    normalization,
    quantization,
    recurrent,
    reduction,
    resampling,
    sequences,
    signal,
    text,
)
"""The files that enter rules."""
