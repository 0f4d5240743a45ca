"""Normalisation: by batches, layers, groups, instances, neighbours."""

from __future__ import annotations

from typing import Any

from cutaway.recover.graph import Input, Literal
from cutaway.recover.sources.emission import shortest
from cutaway.recover.sources.torch.table import row
from cutaway.recover.sources.traced import Call


def _named(call: Call, *names: str) -> tuple[list[str], dict[str, Any]]:
    """Return the arguments that are tensors, and how they are given by name."""
    inputs, config = [call.name()], {}
    for name in names:
        if name in call.arguments:
            config[name] = Input(len(inputs))
            inputs.append(call.name(name))
    return inputs, config


def _batch_norm(call: Call) -> None:
    if call.get("training", False) or call.get("use_input_stats") or call.get("momentum") == "missing":
        call.unsupported("it is in training mode")
    call.outputs = call.outputs[:1]
    eps = shortest(call.get("eps", 1e-5))
    rank = call.rank
    weights = call.weighted(weight="weight", bias="bias", running_mean="running_mean", running_var="running_var")
    if weights is None or "running_mean" not in weights or rank not in (2, 3, 4, 5):
        inputs, config = _named(call, "running_mean", "running_var", "weight", "bias")
        call.emit("F.batch_norm", *inputs, **config, eps=eps)
        return
    if ("weight" in weights) != ("bias" in weights):
        inputs, config = _named(call, "running_mean", "running_var", "weight", "bias")
        call.emit("F.batch_norm", *inputs, **config, eps=eps)
        return
    kind = {2: "1d", 3: "1d", 4: "2d", 5: "3d"}[rank]
    settings: dict[str, Any] = {"num_features": weights["running_mean"].shape[0], "eps": eps}
    if "weight" not in weights:
        settings["affine"] = False
    call.emit(f"nn.BatchNorm{kind}", call.name(), weights=weights, **settings)


@row("batch_norm", "input running_mean running_var weight bias")
def batch_norm(call: Call) -> None:
    """A normalisation by means and variances that are stored."""
    if call.op.op in ("torch.batch_norm",) or call.op.op.startswith("aten."):
        # The function of C++ has its weights before the means.
        order = [
            name for name in ("input", "weight", "bias", "running_mean", "running_var") if name not in call.attributes
        ]
        call.arguments = dict(zip(order, call.inputs))
    _batch_norm(call)


@row(
    "_native_batch_norm_legit_no_training native_batch_norm cudnn_batch_norm",
    "input weight bias running_mean running_var",
)
def native_batch_norm(call: Call) -> None:
    """The same as exported programs call it."""
    _batch_norm(call)


@row("layer_norm native_layer_norm rms_norm", "input weight bias")
def layer_norm(call: Call) -> None:
    """A normalisation over the last dimensions."""
    call.outputs = call.outputs[:1]
    over = call.get("normalized_shape")
    over = tuple(over) if isinstance(over, list) else (over,)
    is_rms = call.key == "rms_norm"
    eps = call.get("eps", None if is_rms else 1e-5)
    weights = call.weighted(weight="weight", bias="bias")
    if not weights or "weight" not in weights or not all(isinstance(size, int) for size in over):
        inputs, config = _named(call, "weight", "bias")
        places: dict[str, Any] = {name: Input(value.place + 1) for name, value in config.items()}
        settings: dict[str, Any] = {} if eps is None else {"eps": shortest(eps)}
        call.emit("F.rms_norm" if is_rms else "F.layer_norm", inputs[0], Literal(list(over)), *inputs[1:],
                  **places, **settings)  # fmt: skip
        return
    shape: Any = over[0] if len(over) == 1 else over
    if is_rms:
        call.emit("nn.RMSNorm", call.name(), weights=weights, normalized_shape=shape,
                  **({} if eps is None else {"eps": shortest(eps)}))  # fmt: skip
        return
    settings = {"normalized_shape": shape, "eps": shortest(eps), "bias": "bias" in weights}
    call.emit("nn.LayerNorm", call.name(), weights=weights, **settings)


@row("group_norm native_group_norm", "input weight bias")
def group_norm(call: Call) -> None:
    """A normalisation of groups of channels."""
    call.outputs = call.outputs[:1]
    groups = call.get("num_groups", call.get("group"))
    eps = shortest(call.get("eps", 1e-5))
    weights = call.weighted(weight="weight", bias="bias")
    channels = call.known_shape()[1]
    if weights is None or len(weights) != 2:
        inputs, config = _named(call, "weight", "bias")
        call.emit("F.group_norm", inputs[0], *inputs[1:], num_groups=groups, **config, eps=eps)
        return
    call.emit("nn.GroupNorm", call.name(), weights=weights, num_groups=groups, num_channels=channels, eps=eps)


@row("instance_norm", "input running_mean running_var weight bias")
def instance_norm(call: Call) -> None:
    """A normalisation of each channel of each sample."""
    if call.op.op == "torch.instance_norm" or call.op.op.startswith("aten."):
        order = [
            name for name in ("input", "weight", "bias", "running_mean", "running_var") if name not in call.attributes
        ]
        call.arguments = dict(zip(order, call.inputs))
    rank, eps = call.rank, shortest(call.get("eps", 1e-5))
    if "running_mean" in call.arguments:
        call.unsupported("it has running means")
    weights = call.weighted(weight="weight", bias="bias")
    if weights is None or rank not in (3, 4, 5):
        inputs, config = _named(call, "weight", "bias")
        call.emit("F.instance_norm", *inputs, **config, eps=eps)
        return
    call.emit(f"nn.InstanceNorm{rank - 2}d", call.name(), weights=weights, num_features=call.known_shape()[1], eps=eps,
              affine=bool(weights))  # fmt: skip


@row("local_response_norm")
def response_norm(call: Call) -> None:
    """A normalisation by neighbouring channels."""
    settings = {name: call.get(name, default) for name, default in (("alpha", 1e-4), ("beta", 0.75), ("k", 1.0))}
    call.emit("nn.LocalResponseNorm", call.name(), size=call.get("size"), **settings)


@row("normalize")
def normalize(call: Call) -> None:
    """Vectors of length one."""
    config: dict[str, Any] = {"dim": call.get("dim", 1)}
    if call.get("p", 2.0) != 2.0:
        config["p"] = float(call.get("p"))
    if call.get("eps", 1e-12) != 1e-12:
        config["eps"] = call.get("eps")
    call.emit("F.normalize", call.name(), **config)
