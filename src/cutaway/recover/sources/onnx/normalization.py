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
    rank, axis = call.known_rank(), call.get("axis", -1)
    shape = call.fact().shape or ()
    over: tuple[Any, ...] = tuple(shape[axis if axis < 0 else axis - rank :])
    eps = shortest(call.get("epsilon", 1e-5))
    _statistics(call, tuple(range(-len(over), 0)), eps)
    kind, function = (
        ("nn.LayerNorm", "F.layer_norm") if call.op == "LayerNormalization" else ("nn.RMSNorm", "F.rms_norm")
    )
    weight, bias = call.tensor(1), call.tensor(2)
    is_layer = weight is not None and (bias is not None or not call.has(2))
    if not is_layer or any(each is not None and each.shape[-len(over) :] != over for each in (weight, bias)):
        if any(call.has(place) and call.fact(place).shape != over for place in (1, 2)):
            _scaled_norm(call, function, over, eps)
            return
        extra = [call.name(place) for place in (1, 2) if call.has(place)]
        call.emit(function, call.name(), Literal(list(over)), *extra, eps=eps)
        return
    assert weight is not None
    layer_of(call, kind, over, eps, weight, bias)


def _statistics(call: Call, axes: tuple[int, ...], eps: Any) -> None:
    """Add the mean and the reciprocal of the deviation, where the file has them as outputs."""
    outputs = [*call.operation.outputs, "", ""]
    if call.op != "LayerNormalization" and any(outputs[1:]):
        call.unsupported("its statistics are used")
    for name, function in ((outputs[1], ".mean"), (outputs[2], "torch.var")):
        if not name:
            continue
        call.outputs = [name]
        if function == ".mean":
            call.emit(function, call.name(), dim=axes, keepdim=True)
        else:
            spread = call.temporary(function, call.name(), dim=axes, unbiased=False, keepdim=True)
            call.emit("torch.rsqrt", call.temporary("+", spread, Literal(eps)))
    call.outputs = call.operation.outputs[:1]  # type: ignore[assignment]


def _scaled_norm(call: Call, function: str, over: tuple[Any, ...], eps: Any) -> None:
    """Add a normalisation whose weights are of another shape than what is normalised."""
    shape = call.fact().shape
    value = call.temporary(function, call.name(), Literal(list(over)), shape=shape, eps=eps)
    if call.has(2):
        call.emit("+", call.temporary("*", value, call.operand(1, 0), shape=shape), call.operand(2, 0))
    else:
        call.emit("*", value, call.operand(1, 0))


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
        if call.fact(1).shape != (channels,):
            call.unsupported("there is a weight for each group")
        names = call.name(0), call.name(1), call.name(2)
        eps = shortest(call.get("epsilon", 1e-5))
        call.emit("F.group_norm", *names, num_groups=groups, weight=Input(1), bias=Input(2), eps=eps)
        return
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


@operator("Softmax LogSoftmax Hardmax")
def softmax(call: Call) -> None:
    """Probabilities that add up to one, or a one where the largest number is."""
    rank = call.rank()
    axis = call.get("axis", -1 if call.version >= 13 else 1)
    shape = call.fact().shape
    if call.version >= 13 or (rank is not None and axis in (rank - 1, -1)):
        _along(call, call.name(), call.axis(-1) if call.version >= 13 else -1, shape)
        return
    # Older versions flatten all dimensions from the axis on.
    if shape is None or rank is None:
        call.unsupported("the number of dimensions of its input is not known")
    if all(size == 1 for size in shape[axis % rank + 1 :]):
        _along(call, call.name(), axis, shape)
        return
    flat = call.temporary("torch.flatten", call.name(), shape=None, start_dim=axis % rank)
    outputs, call.outputs = call.outputs, [f"{call.outputs[0]}:flat"]
    call.graph.facts[call.outputs[0]] = type(call.fact())(None, call.fact().dtype)
    _along(call, flat, -1, None)
    done, call.outputs = call.outputs[0], outputs
    call.emit(".reshape", done, sizes=shape)


def _along(call: Call, source: str, axis: int, shape: Any) -> None:
    if call.op != "Hardmax":
        call.emit(f"nn.{call.op}", source, dim=axis)
        return
    zeros = call.temporary("torch.zeros_like", source, shape=shape)
    largest = call.temporary(".argmax", source, dim=axis, keepdim=True)
    call.emit("torch.scatter", zeros, largest, dim=axis, index=Input(1), value=1.0)
