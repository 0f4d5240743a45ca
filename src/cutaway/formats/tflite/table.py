"""All rules of TFLite's operators, of every family."""

from __future__ import annotations

from cutaway.formats.tflite import control, elementwise, layers, layout, selection
from cutaway.formats.tflite.registry import RULES

__all__ = ["RULES"]

FAMILIES = (control, elementwise, layers, layout, selection)
"""The files that enter rules."""
