"""Recurrent layers."""

from __future__ import annotations

from typing import Any

from cutaway.recover.sources.torch.table import row
from cutaway.recover.sources.traced import Call

_GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


@row("lstm gru rnn_tanh rnn_relu", "input")
def recurrent(call: Call) -> None:
    """A recurrent layer, with its weights in the order in which PyTorch flattens them."""
    states = 2 if call.key == "lstm" else 1
    both, layers = bool(call.get("bidirectional", False)), call.get("num_layers", 1)
    biased = bool(call.get("has_biases", True))
    if call.get("train") is True and call.get("dropout", 0.0):
        call.unsupported("it is in training mode")
    names = ["weight_ih", "weight_hh", *(("bias_ih", "bias_hh") if biased else ())]
    wanted = [
        f"{name}_l{layer}{way}" for layer in range(layers) for way in ("", "_reverse")[: 1 + both] for name in names
    ]
    given = call.rest[states:]
    if len(given) == len(wanted) + layers * (1 + both):
        call.unsupported("its outputs are projected")
    weights = {name: call.graph.tensors[own] for name, own in zip(wanted, given) if own in call.graph.tensors}
    if len(weights) != len(wanted) or len(given) != len(wanted):
        call.unsupported("its weights are computed")
    rows, width = weights["weight_ih_l0"].shape
    config: dict[str, Any] = {"input_size": width, "hidden_size": rows // _GATES[call.key]}
    if layers != 1:
        config["num_layers"] = layers
    config["bias"] = biased
    if call.get("batch_first", False):
        config["batch_first"] = True
    config["bidirectional"] = both
    if call.key == "rnn_relu":
        config["nonlinearity"] = "relu"
    kind = {"lstm": "LSTM", "gru": "GRU"}.get(call.key, "RNN")
    call.emit(f"nn.{kind}", call.name(), *call.rest[:states], weights=weights, **config)
    call.nodes[-1].outputs = list(call.outputs)
