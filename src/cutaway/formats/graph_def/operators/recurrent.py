"""Cells and layers of recurrent networks that are one operation."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.size.dim import Size, unknown_size
from cutaway.formats.graph_def.operators.registry import Call, Open, Out, rule
from cutaway.formats.graph_def.value import Shape


def _columns(*shapes: Shape) -> Size:
    """Return the last size of the first shape that is known."""
    return next((shape[-1] for shape in shapes if shape), unknown_size())


@rule("BlockLSTM", "BlockLSTMV2")
def lstm(call: Call) -> Sequence[Out]:
    """Run an LSTM over time: all gates and states of each step."""
    steps = call.shape(1)
    if len(steps) != 3:
        raise Open("an input has another number of dimensions")
    cells = _columns(call.value(2).shape, call.value(3).shape)
    macs = steps[0] * steps[1] * (steps[2] + cells) * cells * 4
    first = Out((steps[0], steps[1], cells), call.value(1).dtype, macs=macs)
    return [first, *(Out(first.shape, first.dtype) for _ in range(6))]


@rule("LSTMBlockCell", "GRUBlockCell")
def cell(call: Call) -> Sequence[Out]:
    """Take one step: all gates and states."""
    rows = call.shape(0)
    if len(rows) != 2:
        raise Open("an input has another number of dimensions")
    cells = _columns(call.value(1).shape)
    gates, count = (4, 7) if call.name == "LSTMBlockCell" else (3, 4)
    macs = rows[0] * (rows[1] + cells) * cells * gates
    first = Out((rows[0], cells), call.value(0).dtype, macs=macs)
    return [first, *(Out(first.shape, first.dtype) for _ in range(count - 1))]


@rule("CudnnRNN", "CudnnRNNV2", "CudnnRNNV3")
def layers(call: Call) -> Sequence[Out]:
    """Run layers over time: the outputs, and the last states."""
    steps, state = call.shape(0), call.shape(1)
    if len(steps) != 3 or len(state) != 3:
        raise Open("an input has another number of dimensions")
    both = 2 if call.node.string("direction") == "bidirectional" else 1
    kind = call.value(0).dtype
    is_lstm = call.node.string("rnn_mode", "lstm") == "lstm"
    last = Out(state if is_lstm else None, kind)
    made = [Out((steps[0], steps[1], state[2] * both), kind, macs=unknown_size()), Out(state, kind), last]
    return [*made, Out(None, kind), *([] if call.name == "CudnnRNN" else [Out(None, "int8")])]


@rule("CudnnRNNParamsSize")
def parameters(call: Call) -> Sequence[Out]:
    """Count parameters."""
    return [Out((1,), call.node.type("S") or "int32")]
