"""Recurrent layers: one of Keras for each layer of PyTorch's."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

from cutaway.core.contents import Stored
from cutaway.recover.graph import Tensor
from cutaway.recover.targets.keras.table import Rewriting, row
from cutaway.recover.weights import tensor_bytes

_ORDER = {"nn.LSTM": (0, 1, 2, 3), "nn.GRU": (1, 0, 2), "nn.RNN": (0,)}
_NAMES = {"nn.LSTM": "layers.LSTM", "nn.GRU": "layers.GRU", "nn.RNN": "layers.SimpleRNN"}


@row("nn.LSTM nn.GRU nn.RNN")
def recurrent(call: Rewriting) -> None:
    """Layers one after another; the last states are taken from what they return."""
    out, *states = [*call.outputs, "", ""][:3]
    if len(call.node.inputs) - call.node.sized > 1:
        call.unsupported("its initial states are given")
    if len(states) > 1 and states[1] and _is_read(call, states[1]):
        call.unsupported("the state of its cells is used")
    both, layers, hidden = bool(call.get("bidirectional")), call.get("num_layers", 1), call.get("hidden_size")
    shape = call.shape()
    source = call.name()
    batch_first = bool(call.get("batch_first"))
    batch, steps = (shape[0], shape[1]) if batch_first else (shape[1], shape[0])
    if not batch_first:
        source = call.temporary("ops.swapaxes", source, shape=(batch, steps, shape[2]), axes=(0, 1))
    lasts: list[str] = []
    width = hidden * (1 + both)
    for layer in range(layers):
        source = _layer(call, source, layer, both, hidden, (batch, steps, width))
        lasts += _lasts(call, source, both, hidden, batch)
    if out and not batch_first:
        call.outputs = [out]
        call.emit("ops.swapaxes", source, axes=(0, 1))
    elif out:
        call.outputs = [out]
        call.alias(source)
    if states[0] and _is_read(call, states[0]):
        call.outputs = [states[0]]
        call.emit("ops.stack", *lasts, axis=0)


def _is_read(call: Rewriting, name: str) -> bool:
    return name in call.graph.outputs or any(name in node.inputs for node in call.graph.nodes)


def _lasts(call: Rewriting, source: str, both: bool, hidden: int, batch: Any) -> list[str]:
    """Return the last state of each direction, from the sequence that a layer returns."""
    ends: list[tuple[Any, ...]] = [(slice(None), -1)]
    if both:
        ends = [(slice(None), -1, slice(None, hidden)), (slice(None), 0, slice(hidden, None))]
    return [call.temporary("getitem", source, shape=(batch, hidden), index=end) for end in ends]


def _layer(call: Rewriting, source: str, layer: int, both: bool, hidden: int, shape: Any) -> str:
    weights: dict[str, Tensor] = {}
    ways = [("", "forward_layer."), ("_reverse", "backward_layer.")] if both else [("", "")]
    for way, prefix in ways:
        own = {
            name: call.weights.get(f"{name}_l{layer}{way}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        }
        _enter(call, weights, own, hidden, prefix)
    relu = call.get("nonlinearity") == "relu"
    config: dict[str, Any] = {"units": hidden, "use_bias": bool(call.get("bias", True)), "return_sequences": True}
    if relu:
        config["activation"] = "relu"
    name = _NAMES[call.op]
    if not both:
        return call.temporary(name, source, shape=shape, weights=weights, **config)
    return call.temporary("layers.Bidirectional", source, shape=shape, weights=weights, layer=Inner(name, config))


class Inner:
    """A layer that is an argument of another."""

    def __init__(self, op: str, config: dict[str, Any]) -> None:
        self.op, self.config = op, config

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inner) and (self.op, self.config) == (other.op, other.config)

    def __hash__(self) -> int:
        return hash((self.op, tuple(self.config.items())))

    def __repr__(self) -> str:
        units = self.config["units"]
        rest = [
            f"{key}={value!r}"
            for key, value in self.config.items()
            if key != "units" and (key, value) != ("use_bias", True)
        ]
        return f"{self.op}({', '.join([str(units), *rest])})".replace("'", '"')


def _enter(
    call: Rewriting, weights: dict[str, Tensor], own: dict[str, Tensor | None], hidden: int, prefix: str
) -> None:
    """Enter the weights of one direction, with gates in the order of Keras."""
    order = _ORDER[call.op]
    kernel, again = own["weight_ih"], own["weight_hh"]
    if kernel is None or again is None:
        call.unsupported("its weights are computed")
    weights[f"{prefix}cell.kernel"] = _picked(kernel, order, hidden).permuted(1, 0)
    weights[f"{prefix}cell.recurrent_kernel"] = _picked(again, order, hidden).permuted(1, 0)
    first, second = own["bias_ih"], own["bias_hh"]
    if first is None or second is None:
        return
    if call.op == "nn.GRU":
        one, other = _picked(first, order, hidden), _picked(second, order, hidden)
        weights[f"{prefix}cell.bias"] = _stacked(one, other)
    else:
        weights[f"{prefix}cell.bias"] = _summed(first, second)


def _picked(tensor: Tensor, order: tuple[int, ...], hidden: int) -> Tensor:
    if order == tuple(range(len(order))):
        return tensor
    return tensor.changed("pick", tuple((place * hidden, (place + 1) * hidden) for place in order))


def _stacked(one: Tensor, other: Tensor) -> Tensor:
    def pieces() -> Iterator[bytes]:
        yield from tensor_bytes(one)
        yield from tensor_bytes(other)

    return _made(one, other, (2, *one.shape), pieces)


def _summed(one: Tensor, other: Tensor) -> Tensor:
    code = {"float32": "f", "float64": "d"}.get(one.dtype, "f")

    def pieces() -> Iterator[bytes]:
        left, right = array(code), array(code)
        left.frombytes(b"".join(tensor_bytes(one)))
        right.frombytes(b"".join(tensor_bytes(other)))
        yield array(code, [a + b for a, b in zip(left, right)]).tobytes()

    return _made(one, other, one.shape, pieces)


def _made(one: Tensor, other: Tensor, shape: tuple[int, ...], pieces: Any) -> Tensor:
    problem = one.stored.problem or other.stored.problem
    readable = one.stored.pieces is not None and other.stored.pieces is not None
    return Tensor(Stored(f"{one.stored.name}::sum", one.dtype, shape, pieces if readable else None, problem))
