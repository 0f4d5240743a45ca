"""Operators on signals: Fourier transforms, windows, filters."""

from __future__ import annotations

from cutaway.core.size.dim import Dim, Size, floordiv
from cutaway.formats.graph.value import Call, Out, one, several
from cutaway.formats.onnx.messages import dtype_name
from cutaway.formats.onnx.operators.registry import operator
from cutaway.ops.reshape import axis


@operator("DFT")
def fourier(call: Call) -> Out:
    """A Fourier transform along a dimension; the last dimension has real and imaginary parts."""
    shape = list(call.shape(0))
    stated = call.integer("axis", 1) if call.version < 20 else call.number(2) if call.has(2) else -2
    if stated is None:
        real = call.integer("inverse") == 1 and call.integer("onesided") == 1
        return one((*call.fresh_shape(len(shape) - 1), 1 if real else 2), call.dtype())
    place = axis(stated, len(shape))
    if call.has(1):
        length = call.number(1)
        shape[place] = length if isinstance(length, (int, Dim)) else call.fresh(f"dim{place}")
    inverse = call.integer("inverse") == 1
    if call.integer("onesided") == 1:
        if inverse:
            shape[place] = shape[place] if call.has(1) else 2 * (shape[place] - 1)
            return one((*shape[:-1], 1), call.dtype())
        shape[place] = floordiv(shape[place], 2) + 1
    return one((*shape[:-1], 2), call.dtype())


@operator("STFT")
def short_time_fourier(call: Call) -> Out:
    """Fourier transforms of frames of a signal."""
    batch, length, *_ = call.shape(0)
    step = call.number(1)
    frame: Size | None = call.number(3) if call.has(3) else None
    if frame is None and call.has(2):
        window = call.input(2).shape
        frame = window[0] if window else None
    if not isinstance(frame, (int, Dim)) or not isinstance(step, int) or step < 1:
        return one((batch, call.fresh("frames"), call.fresh("bins"), 2), call.dtype())
    bins = floordiv(frame, 2) + 1 if call.integer("onesided", 1) == 1 else frame
    return one((batch, floordiv(length - frame, step) + 1, bins, 2), call.dtype())


@operator("HannWindow HammingWindow BlackmanWindow")
def window(call: Call) -> Out:
    """A window of a length."""
    length = call.number(0)
    size = length if isinstance(length, (int, Dim)) else call.fresh("dim0")
    return one((size,), dtype_name(call.integer("output_datatype", 1)))


@operator("MelWeightMatrix")
def mel(call: Call) -> Out:
    """Weights from frequencies to the mel scale."""
    bins, length = call.number(0), call.number(1)
    rows = floordiv(length, 2) + 1 if isinstance(length, (int, Dim)) else call.fresh("dim0")
    columns = bins if isinstance(bins, (int, Dim)) else call.fresh("dim1")
    return one((rows, columns), dtype_name(call.integer("output_datatype", 1)))


_PARAMETERS = {"Adagrad": 1, "Adam": 2, "Momentum": 1}


@operator("Adagrad Adam Momentum", domain="ai.onnx.preview.training")
def optimizer(call: Call) -> Out:
    """New parameters and new states of an optimizer, of the shapes of the old ones."""
    values = call.inputs[2:]
    kinds = 2 + _PARAMETERS[call.name]
    count = len(values) // kinds
    kept = [*values[:count], *values[2 * count :]]
    shapes = [(None, None) if value is None else (value.shape, value.dtype) for value in kept]
    return several(*shapes)
