"""Recurrent layers."""

from __future__ import annotations

from cutaway.formats.graph.value import Call, Out, Shape, several
from cutaway.formats.onnx.operators.registry import operator
from cutaway.ops.recurrent import cell_macs

_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


@operator("RNN GRU LSTM")
def layer(call: Call) -> Out:
    """A layer in one direction or both: all states, the last one, and of an LSTM the last cell."""
    first, second, features = call.shape(0)
    batch_first = call.integer("layout") == 1
    length, batch = (second, first) if batch_first else (first, second)
    directions = 2 if call.text("direction", "forward") == "bidirectional" else 1
    hidden = call.integer("hidden_size") or call.shape(2)[-1]
    states: Shape = (batch, length, directions, hidden) if batch_first else (length, directions, batch, hidden)
    last = (batch, directions, hidden) if batch_first else (directions, batch, hidden)
    dtype = call.dtype()
    if call.version < 7 and call.name != "LSTM" and call.integer("output_sequence", 1) == 0:
        states = last
    macs = directions * cell_macs(length * batch, features, hidden, _GATES[call.name] * hidden)
    return several((states, dtype), (last, dtype), (last, dtype), macs=macs)
