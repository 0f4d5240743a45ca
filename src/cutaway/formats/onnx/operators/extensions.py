"""Operators of ONNX Runtime's extensions, which read and write images and work on strings."""

from __future__ import annotations

from cutaway.formats.graph.value import Call, Out, one
from cutaway.formats.onnx.operators.registry import operator

_IMAGES, _STRINGS = "com.microsoft.extensions", "ai.onnx.contrib"


@operator("DecodeImage", domain=_IMAGES)
def decoded(call: Call) -> Out:
    """The pixels of an image in three colours, whose size depends on the image."""
    return one((call.fresh("height"), call.fresh("width"), 3), "uint8")


@operator("EncodeImage", domain=_IMAGES)
def encoded(call: Call) -> Out:
    """The bytes of an image."""
    return one((call.fresh("count"),), "uint8")


@operator("DrawBoundingBoxes", domain=_IMAGES)
def marked(call: Call) -> Out:
    """An image with boxes in it."""
    return one(call.input(0).shape, call.dtype())


@operator("StringUpper StringLower", domain=_STRINGS)
def cased(call: Call) -> Out:
    """Strings in another case."""
    return one(call.input(0).shape, "string")
