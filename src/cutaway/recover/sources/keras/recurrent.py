"""Recurrent layers: all operations of one are its layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutaway.core.architecture import Architecture, Module, Op
from cutaway.core.record import replace
from cutaway.recover.graph import Tensor
from cutaway.recover.sources.channels_last import zeros_like
from cutaway.recover.sources.keras.table import row
from cutaway.recover.sources.traced import Call

_KINDS = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1}
_ORDER = {"LSTM": (0, 1, 2, 3), "GRU": (1, 0, 2), "SimpleRNN": (0,)}
_LAYER = "recurrent"


def collapse_recurrent(architecture: Architecture) -> tuple[Architecture, Mapping[str, Module]]:
    """Return a network with one operation for each call of a recurrent layer, and these layers by path."""
    modules = {module.path: module for module in architecture.modules}
    layers: dict[str, Module] = {}
    for path, module in modules.items():
        inside = any(path.startswith(f"{other}{architecture.separator}") for other in layers)
        if (
            module.class_name in (*_KINDS, "Bidirectional")
            and not inside
            and module.qualified_name.startswith("keras.")
        ):
            layers[path] = module
    if not layers:
        return architecture, layers
    weights = {weight.name for weight in architecture.weights}
    home = {path: _home(path, layers, architecture.separator) for path in {op.module for op in architecture.ops}}
    ops: list[Op] = []
    at = 0
    while at < len(architecture.ops):
        op = architecture.ops[at]
        path = home[op.module]
        if not path:
            ops.append(op)
            at += 1
            continue
        end = at
        while end < len(architecture.ops) and home[architecture.ops[end].module] == path:
            end += 1
        ops.append(_call(architecture, architecture.ops[at:end], path, weights, architecture.ops[end:]))
        at = end
    return replace(architecture, ops=tuple(ops)), layers


def _home(path: str, layers: Mapping[str, Module], separator: str) -> str:
    return next((each for each in layers if path == each or path.startswith(f"{each}{separator}")), "")


def _call(architecture: Architecture, ops: Any, path: str, weights: set[str], rest: Any) -> Op:
    """Return the call of a layer: it reads what its operations read from outside, and makes what is read later."""
    made = {value.name for op in ops for value in op.outputs}
    read = {
        value.name: value for op in ops for value in op.inputs if value.name not in made and value.name not in weights
    }
    later = {value.name for op in rest for value in op.inputs} | set(architecture.results)
    outputs = {value.name: value for op in ops for value in op.outputs if value.name in later}
    last = ops[-1].outputs if not outputs else tuple(outputs.values())
    return Op(_LAYER, {}, tuple(read.values()), tuple(last), path)


@row(_LAYER, "input")
def recurrent(call: Call) -> None:
    """A recurrent layer of Keras: sequences come second, gates in an order of their own."""
    module = call.layers[call.op.module]
    separator = call.separator
    both = module.class_name == "Bidirectional"
    paths = [module.path]
    if both:
        inner = [
            each
            for each in call.modules
            if each.startswith(f"{module.path}{separator}") and call.modules[each].class_name in _KINDS
        ]
        paths = sorted(inner, key=lambda each: "backward" in each.rpartition(separator)[2])
    if both and len(paths) != 2:
        call.unsupported("its directions are not known")
    first = call.modules[paths[0]]
    kind, config = first.class_name, first.config
    _require_usual(call, kind, config)
    if len(call.inputs) != 1 or len(call.outputs) != 1:
        call.unsupported("its states are given or returned")
    units: Any = config["units"]
    source = call.name()
    batch, steps, width = call.known_shape()
    weights: dict[str, Tensor] = {}
    for path, way in zip(paths, ("", "_reverse")):
        _enter(call, weights, path, kind, units, way)
    backwards = bool(config.get("go_backwards", False)) and not both
    if backwards:
        source = call.temporary("torch.flip", source, shape=(batch, steps, width), dims=(1,))
    settings: dict[str, Any] = {
        "input_size": width, "hidden_size": units, "bias": bool(config.get("use_bias", True)), "batch_first": True,
        "bidirectional": both,
    }  # fmt: skip
    name = {"SimpleRNN": "nn.RNN"}.get(kind, f"nn.{kind}")
    whole = (batch, steps, units * (1 + both))
    out = call.temporary(name, source, shape=whole, weights=weights, **settings)
    layer = call.nodes[-1]
    states = [f"{out}:h", f"{out}:c"][: 2 if kind == "LSTM" else 1]
    layer.outputs = [out, *states]
    call.graph.facts[states[0]] = replace(call.graph.fact(out), shape=(1 + both, batch, units))
    mode = module.config.get("merge_mode", "concat") if both else "concat"
    if mode != "concat":
        call.unsupported(f"its merge mode is {mode}")
    if config.get("return_sequences", False):
        call.alias(out)
    elif both:
        ways = [call.temporary("getitem", states[0], shape=(batch, units), index=(at,)) for at in (0, 1)]
        call.emit("torch.cat", *ways, dim=-1)
    else:
        call.emit("getitem", out, index=(slice(None), -1))


def _require_usual(call: Call, kind: str, config: Mapping[str, Any]) -> None:
    """Give up where a layer computes something else than PyTorch's."""
    usual = {"activation": "tanh", "recurrent_activation": "sigmoid"}
    for name, expected in usual.items():
        if config.get(name, expected) != expected and not (kind == "SimpleRNN" and name == "recurrent_activation"):
            call.unsupported(f"its {name} is {config[name]}")
    if kind == "GRU" and not config.get("reset_after", True):
        call.unsupported("it resets before the product")
    if config.get("return_state", False) or config.get("stateful", False):
        call.unsupported("it returns or keeps its state")


def _enter(call: Call, weights: dict[str, Tensor], path: str, kind: str, units: int, way: str) -> None:
    """Enter the weights of one direction."""
    own = {
        name.rpartition("/")[2]: call.graph.tensors[name]
        for name, home in call.homes.items()
        if name in call.graph.tensors and (home == path or str(home).startswith(f"{path}{call.separator}"))
    }
    order = _ORDER[kind]
    kernel, again = own["kernel"].permuted(1, 0), own["recurrent_kernel"].permuted(1, 0)
    weights[f"weight_ih_l0{way}"] = _picked(kernel, order, units)
    weights[f"weight_hh_l0{way}"] = _picked(again, order, units)
    bias = own.get("bias")
    if bias is None:
        return
    if kind == "GRU":
        for at, side in enumerate(("ih", "hh")):
            part = bias.changed("slice", 0, at, at + 1).reshaped(len(order) * units)
            weights[f"bias_{side}_l0{way}"] = _picked(part, order, units)
        return
    weights[f"bias_ih_l0{way}"] = bias
    weights[f"bias_hh_l0{way}"] = zeros_like(bias, *bias.shape)


def _picked(tensor: Tensor, order: tuple[int, ...], units: int) -> Tensor:
    if order == tuple(range(len(order))):
        return tensor
    return tensor.changed("pick", tuple((place * units, (place + 1) * units) for place in order))
