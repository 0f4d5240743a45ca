"""Normalisation, linear layers, embeddings."""

from __future__ import annotations

from typing import Any

from cutaway.recover.targets.keras.table import Rewriting, row


@row("nn.BatchNorm1d nn.BatchNorm2d nn.BatchNorm3d")
def batch_norm(call: Rewriting) -> None:
    """A normalisation by means and variances that are stored."""
    names = {"weight": "gamma", "bias": "beta", "running_mean": "moving_mean", "running_var": "moving_variance"}
    weights = {names[name]: tensor for name, tensor in call.weights.items()}
    has = "gamma" in weights
    call.emit(
        "layers.BatchNormalization", call.name(), weights=weights, epsilon=call.get("eps", 1e-5), center=has, scale=has
    )


@row("nn.LayerNorm")
def layer_norm(call: Rewriting) -> None:
    """A normalisation over the last dimensions."""
    over = call.get("normalized_shape")
    axis: Any = -1 if isinstance(over, int) else tuple(range(-len(over), 0))
    weights = {"gamma": call.weights["weight"]}
    if "bias" in call.weights:
        weights["beta"] = call.weights["bias"]
    call.emit("layers.LayerNormalization", call.name(), weights=weights, axis=axis, epsilon=call.get("eps", 1e-5),
              center="beta" in weights)  # fmt: skip


@row("nn.RMSNorm")
def rms_norm(call: Rewriting) -> None:
    """A normalisation by the mean of squares."""
    over = call.get("normalized_shape")
    if not isinstance(over, int):
        call.unsupported("it is over several dimensions")
    weights = {"scale": call.weights["weight"]}
    call.emit(
        "layers.RMSNormalization", call.name(), weights=weights, axis=-1, epsilon=call.get("eps") or 1.1920929e-07
    )


@row("nn.GroupNorm nn.InstanceNorm1d nn.InstanceNorm2d nn.InstanceNorm3d")
def group_norm(call: Rewriting) -> None:
    """A normalisation of groups of channels, or of each channel."""
    groups = call.get("num_groups", -1)
    names = {"weight": "gamma", "bias": "beta"}
    weights = {names[name]: tensor for name, tensor in call.weights.items()}
    has = "gamma" in weights
    call.emit("layers.GroupNormalization", call.name(), weights=weights, groups=groups, epsilon=call.get("eps", 1e-5),
              center=has, scale=has)  # fmt: skip


@row("nn.Linear")
def linear(call: Rewriting) -> None:
    """A linear layer."""
    weights = {"kernel": call.weights["weight"].permuted(1, 0)}
    if "bias" in call.weights:
        weights["bias"] = call.weights["bias"]
    call.emit("layers.Dense", call.name(), weights=weights, units=call.get("out_features"), use_bias="bias" in weights)


@row("nn.Embedding")
def embedding(call: Rewriting) -> None:
    """Rows of a table by their numbers."""
    call.emit("layers.Embedding", call.name(), weights={"embeddings": call.weights["weight"]},
              input_dim=call.get("num_embeddings"), output_dim=call.get("embedding_dim"))  # fmt: skip


@row("F.normalize")
def normalize(call: Rewriting) -> None:
    """Vectors of length one."""
    order = call.get("p", 2)
    call.emit("ops.normalize", call.name(), axis=call.get("dim", 1), order=int(order), epsilon=call.get("eps", 1e-12))


@row("F.layer_norm")
def plain_layer_norm(call: Rewriting) -> None:
    """A normalisation without weights."""
    shape, over = call.shape(), call.node.inputs[1]
    count = len(getattr(over, "value", []))
    if len(call.node.inputs) != 2 or not count:
        call.unsupported("its weights are computed")
    axes: Any = -1 if count == 1 else tuple(range(-count, 0))
    lead = (*shape[:-count], *[1] * count)
    mean = call.temporary("ops.mean", call.name(), shape=lead, axis=axes, keepdims=True)
    from cutaway.recover.graph import Literal  # late: only this row needs it

    variance = call.temporary("ops.var", call.name(), shape=lead, axis=axes, keepdims=True)
    safe = call.temporary("+", variance, Literal(call.get("eps", 1e-5)), shape=lead)
    root = call.temporary("ops.rsqrt", safe, shape=lead)
    centred = call.temporary("-", call.name(), mean, shape=shape)
    call.emit("*", centred, root)
