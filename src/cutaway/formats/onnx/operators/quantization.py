"""Operators between floating-point numbers and quantized ones."""

from __future__ import annotations

from cutaway.formats.graph.value import Call, Out, one, several
from cutaway.formats.onnx.messages import dtype_name
from cutaway.formats.onnx.operators.registry import operator


@operator("QuantizeLinear")
@operator("QuantizeLinear", domain="com.microsoft")
def quantized(call: Call) -> Out:
    """Numbers divided by a scale and rounded."""
    stated = dtype_name(call.integer("output_dtype")) if call.integer("output_dtype") else None
    return one(call.input(0).shape, call.dtype(2) if call.has(2) else stated or "uint8")


@operator("DequantizeLinear")
@operator("DequantizeLinear", domain="com.microsoft")
def dequantized(call: Call) -> Out:
    """Quantized numbers multiplied by a scale."""
    stated = dtype_name(call.integer("output_dtype")) if call.integer("output_dtype") else None
    return one(call.input(0).shape, stated or call.dtype(1))


@operator("DynamicQuantizeLinear")
def quantized_by_range(call: Call) -> Out:
    """Numbers quantized by their own range, with the scale and the zero point that it gives."""
    return several((call.input(0).shape, "uint8"), ((), "float32"), ((), "uint8"))
