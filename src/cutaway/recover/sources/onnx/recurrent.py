"""Recurrent layers: LSTM, GRU and plain recurrence, with the gates in the order of PyTorch."""

from __future__ import annotations

from typing import Any

from cutaway.recover.graph import Tensor
from cutaway.recover.sources.onnx.registry import Call, operator

_ORDER = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2), "RNN": (0,)}
"""For each gate of PyTorch's layer, the place of it in the file."""
_USUAL = {
    "LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"],
}  # fmt: skip


@operator("LSTM GRU RNN")
def recurrent(call: Call) -> None:
    """A recurrent layer of one level, in one or both directions."""
    gates = len(_ORDER[call.op])
    direction = call.get("direction", "forward")
    both = direction == "bidirectional"
    hidden = call.get("hidden_size")
    weight, recurrence, bias = call.tensor(1), call.tensor(2), call.tensor(3)
    activations = call.get("activations", _USUAL[call.op] * (1 + both))
    usual = activations == _USUAL[call.op] * (1 + both)
    relu = call.op == "RNN" and activations == ["Relu"] * (1 + both)
    if weight is None or recurrence is None or (call.has(3) and bias is None):
        call.unsupported("its weights are computed")
    if (call.has(4) and _lengths(call)) or call.get("layout", 0) or call.get("clip"):
        call.unsupported("it has lengths of its own, clips, or has another order of dimensions")
    if call.op == "LSTM" and call.has(5) != call.has(6):
        call.unsupported("only one of its two states is given")
    if not (usual or relu) or call.has(7) or call.get("input_forget", 0):
        call.unsupported("its activations are others than PyTorch's")
    if call.op == "GRU" and not call.get("linear_before_reset", 0):
        call.unsupported("it resets before its linear map, as PyTorch never does")
    size = weight.shape[-1]
    weights: dict[str, Tensor] = {}
    for way in range(1 + both):
        suffix = "_l0" + ("_reverse" if way else "")
        weights[f"weight_ih{suffix}"] = _gates(weight, way, hidden, _ORDER[call.op])
        weights[f"weight_hh{suffix}"] = _gates(recurrence, way, hidden, _ORDER[call.op])
        if bias is not None:
            weights[f"bias_ih{suffix}"] = _gates(bias, way, hidden, _ORDER[call.op])
            weights[f"bias_hh{suffix}"] = _gates(bias, way, hidden, _ORDER[call.op], offset=gates * hidden)
    config: dict[str, Any] = {
        "input_size": size,
        "hidden_size": hidden,
        "bias": bias is not None,
        "bidirectional": both,
    }
    if relu:
        config["nonlinearity"] = "relu"
    _outputs(call, weights, config, both, hidden, direction == "reverse")


def _lengths(call: Call) -> bool:
    """Tell whether sequences have lengths that are not all that of the tensor."""
    numbers, shape = call.numbers(4), call.fact(0).shape
    return numbers is None or shape is None or any(number != shape[0] for number in numbers)


def _gates(tensor: Tensor, way: int, hidden: int, order: tuple[int, ...], offset: int = 0) -> Tensor:
    """Return the part of a tensor for one direction, with its gates in another order."""
    inner = tensor.changed("slice", 0, way, way + 1)
    inner = inner.reshaped(*inner.shape[1:])
    if len(order) == 1:
        return inner.changed("slice", 0, offset, offset + hidden)
    return inner.changed("pick", tuple((offset + place * hidden, offset + (place + 1) * hidden) for place in order))


def _outputs(
    call: Call, weights: dict[str, Tensor], config: dict[str, Any], both: bool, hidden: int, backwards: bool
) -> None:
    """Add the layer; the file has the direction as a dimension of its own, PyTorch beside the channels."""
    names = [*call.operation.outputs, "", "", ""][:3]
    states = [call.name(place) for place in (5, 6) if call.has(place)]
    shape = call.fact().shape
    whole = None if shape is None else (shape[0], shape[1], hidden * (1 + both))
    call.outputs = [f"{names[0] or call.operation.outputs[-1]}:y", names[1], names[2]]
    call.graph.facts[call.outputs[0]] = type(call.fact())(whole, call.fact().dtype)
    source = call.name()
    if backwards:
        source = call.temporary("torch.flip", source, shape=shape, dims=(0,))
    call.emit(f"nn.{call.op}", source, *states, weights=weights, **config)
    layer = call.nodes[-1]
    layer.outputs = list(call.outputs)
    if names[0]:
        out = layer.outputs[0]
        call.outputs = [names[0]]
        if both and whole is None:
            call.unsupported("the shape of its input is not known")
        if both and whole is not None:
            apart = call.temporary(".reshape", out, shape=(*whole[:2], 2, hidden), sizes=(*whole[:2], 2, hidden))
            call.emit(".transpose", apart, dims=(1, 2))
        else:
            if backwards:
                out = call.temporary("torch.flip", out, shape=whole, dims=(0,))
            call.emit(".unsqueeze", out, dim=1)
