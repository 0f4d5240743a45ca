"""Operators on whole numbers that stand for real ones: made real, computed, and made whole again."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from cutaway.core.contents import Fact, Operation, Stored
from cutaway.recover.graph import Tensor
from cutaway.recover.sources.onnx.quantization import numbers_of
from cutaway.recover.sources.onnx.registry import ROWS, Call, operator

_UNARY = {
    "QLinearSigmoid": "onnx.Sigmoid", "QLinearLeakyRelu": "onnx.LeakyRelu", "QLinearSoftmax": "onnx.Softmax",
    "QLinearAveragePool": "onnx.AveragePool", "QLinearGlobalAveragePool": "onnx.GlobalAveragePool",
}  # fmt: skip
_BINARY = {"QLinearAdd": "onnx.Add", "QLinearMul": "onnx.Mul"}
_PLAIN_VERSION = 13


def _step(call: Call, op: str, inputs: list[str], output: str, shape: Any, dtype: str, **attributes: Any) -> str:
    """Add the nodes of another operator, and return the name of its output."""
    version = call.get("opset", _PLAIN_VERSION)
    if output not in call.operation.outputs:
        call.graph.facts[output] = Fact(shape, dtype)
    inner = Call(Operation(op, tuple(inputs), (output,), attributes, version=version), call.graph, call.path)
    ROWS[op](inner)
    call.nodes += inner.nodes
    return output


def _real(call: Call, place: int, axis: int = 1) -> str:
    """Return an input as real numbers; its scale and its offset are the next two."""
    inputs = [call.operation.inputs[at] for at in range(place, place + 3) if call.has(at)]
    name = f"{call.operation.outputs[0]}:real{place}"
    return _step(call, "onnx.DequantizeLinear", inputs, name, call.fact(place).shape, "float32", axis=axis)


def _whole(call: Call, real: str, place: int) -> None:
    """Add the output as whole numbers; its scale and its offset are the inputs from a place on."""
    output = call.operation.outputs[0]
    inputs = [real, *(call.operation.inputs[at] for at in (place, place + 1) if call.has(at))]
    _step(call, "onnx.QuantizeLinear", inputs, output, None, call.fact(place + 1).dtype or "uint8")


def _result(call: Call, op: str, inputs: list[str], **attributes: Any) -> str:
    output = call.operation.outputs[0]
    return _step(call, op, inputs, f"{output}:real", call.graph.shape(output), "float32", **attributes)


def _settings(call: Call) -> dict[str, Any]:
    if call.get("channels_last", 0):
        call.unsupported("its channels come last")
    return dict(call.operation.attributes)


@operator(" ".join(_UNARY), "com.microsoft")
def unary(call: Call) -> None:
    """A function of one tensor."""
    _whole(call, _result(call, _UNARY[call.op], [_real(call, 0)], **_settings(call)), 3)


@operator(" ".join(_BINARY), "com.microsoft")
def binary(call: Call) -> None:
    """An operator between two tensors."""
    _whole(call, _result(call, _BINARY[call.op], [_real(call, 0), _real(call, 3)]), 6)


@operator("QLinearConcat", "com.microsoft")
def joined(call: Call) -> None:
    """Tensors one after another."""
    parts = [_real(call, place) for place in range(2, len(call.operation.inputs), 3)]
    _whole(call, _result(call, "onnx.Concat", parts, **_settings(call)), 0)


@operator("QLinearConv")
def convolution(call: Call) -> None:
    """A convolution, whose weights become real."""
    inputs = [_real(call, 0), _real(call, 3, axis=0)]
    if call.has(8):
        inputs.append(_bias(call, 8))
    _whole(call, _result(call, "onnx.Conv", inputs, **_settings(call)), 6)


@operator("QLinearMatMul")
def product(call: Call) -> None:
    """A product of matrices."""
    axis = call.known_rank(3) - 1
    if (call.fact(1).shape or ()) not in ((), (1,)):
        call.unsupported("its first matrix has a scale for each row")
    _whole(call, _result(call, "onnx.MatMul", [_real(call, 0), _real(call, 3, axis)]), 6)


@operator("QGemm", "com.microsoft")
def linear(call: Call) -> None:
    """A product of matrices plus a tensor; without a scale, the output is real."""
    inputs = [_real(call, 0), _real(call, 3, axis=0 if call.get("transB", 0) else 1)]
    if call.has(6):
        inputs.append(_bias(call, 6))
    if call.has(7):
        _whole(call, _result(call, "onnx.Gemm", inputs, **_settings(call)), 7)
    else:
        _step(call, "onnx.Gemm", inputs, call.operation.outputs[0], None, "float32", **_settings(call))


def _bias(call: Call, place: int) -> str:
    """Return what is added, whose scale is the product of those of the two factors."""
    bias, inner, outer = call.tensor(place), call.tensor(1), call.tensor(4)
    if bias is None or inner is None or outer is None or {inner.dtype, outer.dtype} != {"float32"}:
        call.unsupported("what it adds is computed")

    def pieces() -> Iterator[bytes]:
        (first,), scales = numbers_of(inner.stored), numbers_of(outer.stored)
        values = numbers_of(bias.stored)
        real = [value * first * scales[at % len(scales)] for at, value in enumerate(values)]
        yield struct.pack(f"<{len(real)}f", *real)

    name = f"{call.name(place)}:{call.operation.outputs[0]}"
    stored = Stored(bias.stored.name or name, "float32", bias.shape, pieces)
    call.graph.tensors[name] = Tensor(stored, constant=bias.constant)
    call.graph.facts[name] = Fact(bias.shape, "float32")
    return name
