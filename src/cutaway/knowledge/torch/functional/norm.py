"""Normalisations; all keep the shape and dtype of their input."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault, NotImplementedFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, product
from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.functional.argument import axis, empty, floating, forget, same_dtype, shape_of
from cutaway.knowledge.torch.tensor.op import Out, op, temporary
from cutaway.knowledge.torch.tensor.promote import float_type, promote_types
from cutaway.knowledge.torch.tensor.types import bfloat16, float16, float32
from cutaway.ops.norm import check_channels, check_groups, check_trailing
from cutaway.ops.window import shown, size_of

_F = "torch.nn.functional."


def _mixed_dtype(name: str, input: Any, **weights: Any) -> Any:
    """A half-precision input also goes with float32 weights, as long as those are alike."""
    given = {key: weight for key, weight in weights.items() if weight is not None}
    if empty(input.shape):
        return input.dtype
    dtype = floating(name, input)
    if given and dtype in (float16, bfloat16) and next(iter(given.values())).dtype is float32:
        same_dtype(name, **given)
        return dtype
    return same_dtype(name, input=input, **given)


def _statistics(count: int, *shape: Any) -> list[Any]:
    """Return numbers that are computed of each group of elements, and kept for the gradients."""
    return [temporary(shape, "float32")] * count


def _batch_norm(name: str, input: Any, weight: Any, bias: Any, mean: Any, var: Any, training: Any) -> Out:
    weights = {"running_mean": mean, "running_var": var, "weight": weight, "bias": bias}
    check_channels(name, input.shape, {key: shape_of(value) for key, value in weights.items()})
    if not isinstance(training, Unknown) and not training and (mean is None or var is None):
        raise Fault(
            f"{name}: running_mean and running_var must be given in evaluation mode", FaultCode.MISSING_ARGUMENT
        )
    dtype = _mixed_dtype(name, input, **weights)
    if training is not False:
        forget(mean)
        forget(var)
    return Out(input.shape, dtype, temporaries=_statistics(2, *input.shape[1:2]) if training is True else ())


def _check_batch(name: str, shape: Any, training: Any) -> None:
    if isinstance(training, Unknown) or not training:
        return
    if equal(product((shape[0], *shape[2:])), 1) is True:
        raise ArgumentFault(
            f"{name}: expected more than 1 value per channel when training, but the input is {shown(shape)}",
            FaultCode.ONE_VALUE_PER_CHANNEL,
        )


@op(f"{_F}batch_norm")
def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    if isinstance(input.shape, Unknown):
        return Out(input.shape, input.dtype)
    if input.shape:
        _check_batch("batch_norm", input.shape, training)
    if isinstance(eps, (int, float)) and (eps < 0 or (eps == 0 and training is True)):
        raise ArgumentFault(f"batch_norm: eps must be positive, but is {eps}", FaultCode.INVALID_ARGUMENT)
    return _batch_norm("batch_norm", input, weight, bias, running_mean, running_var, training)


@op("torch.batch_norm")
def torch_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled):
    return _batch_norm("batch_norm", input, weight, bias, running_mean, running_var, training)


def _instance_norm(input: Any, weight: Any, bias: Any, mean: Any, var: Any, use_input_stats: Any) -> Out:
    weights = {"running_mean": mean, "running_var": var, "weight": weight, "bias": bias}
    check_channels("instance_norm", input.shape, {key: shape_of(value) for key, value in weights.items()})
    if (mean is None) is not (var is None):
        raise ArgumentFault(
            "instance_norm: only one of running_mean and running_var is given", FaultCode.MISSING_ARGUMENT
        )
    if not isinstance(use_input_stats, Unknown) and not use_input_stats and (mean is None or var is None):
        raise Fault(
            "instance_norm: running_mean and running_var must be given without input stats", FaultCode.MISSING_ARGUMENT
        )
    dtype = _mixed_dtype("instance_norm", input, **weights)
    if use_input_stats is not False:
        forget(mean)
        forget(var)
    return Out(input.shape, dtype, temporaries=_statistics(2, *input.shape[:2]) if use_input_stats is True else ())


@op(f"{_F}instance_norm")
def instance_norm(
    input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05
):
    if isinstance(input.shape, Unknown):
        return Out(input.shape, input.dtype)
    if not isinstance(use_input_stats, Unknown) and use_input_stats and equal(product(input.shape[2:]), 1) is True:
        raise ArgumentFault(
            f"instance_norm: expected more than 1 spatial element when training, but the input is {shown(input.shape)}",
            FaultCode.ONE_VALUE_PER_CHANNEL,
        )
    return _instance_norm(input, weight, bias, running_mean, running_var, use_input_stats)


@op("torch.instance_norm")
def torch_instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled):
    return _instance_norm(input, weight, bias, running_mean, running_var, use_input_stats)


def _layer_norm(input: Any, normalized_shape: Any, weight: Any, bias: Any) -> Out:
    if isinstance(input.shape, Unknown) or isinstance(normalized_shape, Unknown):
        return Out(input.shape, input.dtype)
    normalized = _sizes("layer_norm", normalized_shape)
    weights = {"weight": shape_of(weight), "bias": shape_of(bias)}
    check_trailing("layer_norm", input.shape, normalized, weights)
    rows = input.shape[: len(input.shape) - len(normalized)]
    dtype = _mixed_dtype("layer_norm", input, weight=weight, bias=bias)
    return Out(input.shape, dtype, temporaries=_statistics(2, *rows))


def _sizes(name: str, normalized_shape: Any) -> tuple[Any, ...]:
    if not isinstance(normalized_shape, (tuple, list)):
        normalized_shape = (normalized_shape,)
    return tuple(size_of(size, f"{name}: normalized_shape") for size in normalized_shape)


@op(f"{_F}layer_norm")
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    return _layer_norm(input, normalized_shape, weight, bias)


@op("torch.layer_norm")
def torch_layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    return _layer_norm(input, normalized_shape, weight, bias)


@op("torch.native_layer_norm")
def native_layer_norm(input, normalized_shape, weight, bias, eps):
    out = _layer_norm(input, normalized_shape, weight, bias)
    count = len(_sizes("layer_norm", normalized_shape))
    statistics = (*input.shape[: len(input.shape) - count], *(1 for _ in range(count)))
    return out, Out(statistics, out.dtype), Out(statistics, out.dtype)


@op(f"{_F}rms_norm", "torch.rms_norm")
def rms_norm(input, normalized_shape, weight=None, eps=None):
    if isinstance(input.shape, Unknown) or isinstance(normalized_shape, Unknown):
        return Out(input.shape, input.dtype)
    normalized = _sizes("rms_norm", normalized_shape)
    check_trailing("rms_norm", input.shape, normalized, {"weight": shape_of(weight)})
    dtype = floating("rms_norm", input, complex=True)
    if weight is not None and weight.dtype is not dtype:
        dtype = promote_types(dtype, weight.dtype)
    rows = input.shape[: len(input.shape) - len(normalized)]
    return Out(input.shape, dtype, temporaries=_statistics(1, *rows))


def _group_norm(input: Any, num_groups: Any, weight: Any, bias: Any) -> Out:
    if isinstance(input.shape, Unknown):
        return Out(input.shape, input.dtype)
    check_channels("group_norm", input.shape, {"weight": shape_of(weight), "bias": shape_of(bias)})
    groups = size_of(num_groups, "group_norm: num_groups")
    check_groups("group_norm", input.shape, groups)
    dtype = _mixed_dtype("group_norm", input, weight=weight, bias=bias)
    return Out(input.shape, dtype, temporaries=_statistics(2, input.shape[0], groups))


@op(f"{_F}group_norm")
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
    if isinstance(num_groups, int) and num_groups > 0 and isinstance(input.shape, tuple) and len(input.shape) >= 2:
        grouped = (input.shape[0] * input.shape[1] // num_groups, num_groups, *input.shape[2:])
        _check_batch("group_norm", grouped, True)
    return _group_norm(input, num_groups, weight, bias)


@op("torch.group_norm")
def torch_group_norm(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    return _group_norm(input, num_groups, weight, bias)


@op(f"{_F}local_response_norm")
def local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0):
    if len(input.shape) < 3:
        raise ArgumentFault(
            f"local_response_norm: input must have at least 3 dimensions, but its shape is {shown(input.shape)}",
            FaultCode.WRONG_RANK,
        )
    if empty(input.shape):
        return Out(input.shape, input.dtype, view=True)
    return Out(input.shape, float_type(input.dtype))


@op(f"{_F}normalize")
def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    statistics = []
    if not isinstance(input.shape, Unknown) and not isinstance(dim, (tuple, list)):
        along = axis("normalize", dim, input.shape)
        rows = [size for at, size in enumerate(input.shape) if at != along]
        count = 2 if session.current().train else 1  # what is divided by; the norms before that are kept for gradients
        statistics = [temporary(rows, input.dtype.name)] * count
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise NotImplementedFault(
            f"normalize: input must be floating, but is {input.dtype}", FaultCode.UNSUPPORTED_DTYPE
        )
    return Out(input.shape, input.dtype, temporaries=statistics)
