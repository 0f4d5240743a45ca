"""Normalisation: by batches, layers, groups, instances."""

from __future__ import annotations

from typing import Any

from cutaway.recover.graph import Input, Literal, Tensor
from cutaway.recover.sources.emission import shortest
from cutaway.recover.sources.onnx.registry import Call, operator


def _batch_kind(call: Call) -> str:
    rank = call.rank()
    if rank not in (2, 3, 4, 5):
        call.unsupported(f"there is no layer for {rank} dimensions")
    return {2: "1d", 3: "1d", 4: "2d", 5: "3d"}[rank]


@operator("BatchNormalization")
def batch_norm(call: Call) -> None:
    """A normalisation by means and variances that are stored."""
    if call.get("training_mode", 0):
        call.unsupported("it is in training mode")
    names = ("weight", "bias", "running_mean", "running_var")
    tensors = {name: call.tensor(place) for place, name in enumerate(names, 1)}
    call.outputs = call.outputs[:1]
    eps = shortest(call.get("epsilon", 1e-5))
    known = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    if len(known) < 4:
        places = (3, 4, 1, 2)
        call.emit("F.batch_norm", call.name(), *(call.name(place) for place in places), eps=eps)
        return
    (size,) = known["weight"].shape
    call.emit(
        f"nn.BatchNorm{_batch_kind(call)}",
        call.name(),
        weights=known,
        num_features=size,
        eps=eps,
    )


@operator("LayerNormalization SimplifiedLayerNormalization RMSNormalization")
def layer_norm(call: Call) -> None:
    """A normalisation over the last dimensions."""
    if len([name for name in call.operation.outputs if name]) > 1:
        call.unsupported("its mean and deviation are used")
    rank, axis = call.known_rank(), call.get("axis", -1)
    shape = call.fact().shape or ()
    over: tuple[Any, ...] = tuple(shape[axis if axis < 0 else axis - rank :])
    eps = shortest(call.get("epsilon", 1e-5))
    kind, function = (
        ("nn.LayerNorm", "F.layer_norm") if call.op == "LayerNormalization" else ("nn.RMSNorm", "F.rms_norm")
    )
    weight, bias = call.tensor(1), call.tensor(2)
    if not all(isinstance(size, int) for size in over) or weight is None or (call.has(2) and bias is None):
        extra = [call.name(place) for place in (1, 2) if call.has(place)]
        call.emit(function, call.name(), Literal(list(over)), *extra, eps=eps)
        return
    layer_of(call, kind, over, eps, weight, bias)


def layer_of(call: Call, kind: str, over: tuple[int, ...], eps: Any, weight: Tensor, bias: Tensor | None) -> None:
    """Add a normalisation over the last dimensions, whose sizes are given."""
    weights = {"weight": weight.reshaped(*over)}
    if bias is not None:
        weights["bias"] = bias.reshaped(*over)
    config: dict[str, Any] = {"normalized_shape": over[0] if len(over) == 1 else over, "eps": eps}
    if kind == "nn.LayerNorm":
        config["bias"] = bias is not None
    call.emit(kind, call.name(), weights=weights, **config)


@operator("InstanceNormalization")
def instance_norm(call: Call) -> None:
    """A normalisation of each channel of each sample."""
    weight, bias, rank = call.tensor(1), call.tensor(2), call.known_rank()
    eps = shortest(call.get("epsilon", 1e-5))
    if weight is None or bias is None or rank not in (3, 4, 5):
        call.emit("F.instance_norm", call.name(), call.name(1), call.name(2), weight=Input(1), bias=Input(2), eps=eps)
        return
    call.emit(
        f"nn.InstanceNorm{rank - 2}d",
        call.name(),
        weights={"weight": weight, "bias": bias},
        num_features=weight.shape[0],
        eps=eps,
        affine=True,
    )


@operator("GroupNormalization")
def group_norm(call: Call) -> None:
    """A normalisation of groups of channels."""
    weight, bias, groups = call.tensor(1), call.tensor(2), call.get("num_groups", 1)
    channels = (call.fact().shape or (None, None))[1]
    if weight is None or bias is None or weight.shape != (channels,):
        call.unsupported("its weights are computed, or there is one for each group")
    call.emit(
        "nn.GroupNorm",
        call.name(),
        weights={"weight": weight, "bias": bias},
        num_groups=groups,
        num_channels=channels,
        eps=shortest(call.get("epsilon", 1e-5)),
    )


@operator("LRN")
def response_norm(call: Call) -> None:
    """A normalisation by neighbouring channels."""
    size = call.get("size", 1)
    call.emit(
        "nn.LocalResponseNorm",
        call.name(),
        size=size,
        alpha=shortest(call.get("alpha", 1e-4)),
        beta=shortest(call.get("beta", 0.75)),
        k=shortest(call.get("bias", 1.0)),
    )


@operator("LpNormalization")
def unit(call: Call) -> None:
    """Vectors of length one."""
    call.emit("F.normalize", call.name(), p=float(call.get("p", 2)), dim=call.get("axis", -1))


@operator("Softmax LogSoftmax")
def softmax(call: Call) -> None:
    """Probabilities that add up to one."""
    kind = f"nn.{call.op}"
    rank = call.rank()
    axis = call.get("axis", -1 if call.version >= 13 else 1)
    if call.version >= 13 or (rank is not None and axis in (rank - 1, -1)):
        call.emit(kind, call.name(), dim=call.axis(-1) if call.version >= 13 else -1)
        return
    # Older versions flatten all dimensions from the axis on.
    shape = call.fact().shape
    if shape is None or rank is None:
        call.unsupported("the number of dimensions of its input is not known")
    if all(size == 1 for size in shape[axis % rank + 1 :]):
        call.emit(kind, call.name(), dim=axis)
        return
    flat = call.temporary("torch.flatten", call.name(), shape=None, start_dim=axis % rank)
    done = call.temporary(kind, flat, dim=-1)
    call.emit(".reshape", done, sizes=shape)
