"""`tf.nn`: activations, convolutions, pooling, normalisation, losses."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import ceildiv, equal, product
from cutaway.core.unknown import Unknown
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.ops.conv import convolution, depthwise, transposed
from cutaway.knowledge.keras.ops.pool import pooled
from cutaway.knowledge.keras.tensors.dtypes import DTYPES
from cutaway.knowledge.keras.tensors.op import Out
from cutaway.knowledge.keras.tensors.shape import sizes_of, text
from cutaway.knowledge.keras.tensors.tensor import convert, new
from cutaway.knowledge.tensorflow.rows import tf
from cutaway.knowledge.tensorflow.types import require
from cutaway.ops.elementwise import broadcast
from cutaway.ops.norm import fits
from cutaway.ops.reduce import reduced


def _activation(name: str, types: str) -> Any:
    def rule(features: Any, name: Any = None, **_options: Any) -> Out:
        x = convert(features)
        require(label, x._dtype, types)
        return Out(x._shape, x._dtype)

    label = name
    return rule


_ACTIVATIONS = {"relu": "fiu", "relu6": "fiu", "silu": "fc", "swish": "fc", "sigmoid": "fc", "tanh": "fc"}
for _name in "elu selu gelu softsign softplus".split():
    _ACTIVATIONS[_name] = "f"
for _name, _types in _ACTIVATIONS.items():
    tf(f"nn.{_name}")(_activation(_name, _types))


@tf("nn.leaky_relu")
def leaky_relu(features, alpha=0.2, name=None):
    x = convert(features)
    require("leaky_relu", x._dtype, "fiu")
    return Out(x._shape, DTYPES["float32"] if x._dtype.is_integer else x._dtype)


@tf("nn.crelu")
def crelu(features, name=None, axis=-1):
    x = known_rank(features)
    place = axis % len(x._shape)
    return Out([2 * size if at == place else size for at, size in enumerate(x._shape)], x._dtype)


@tf("nn.softmax", "nn.log_softmax", "math.softmax")
def softmax(logits, axis=None, name=None, dim=None):
    x = convert(logits)
    require("softmax", x._dtype, "f")
    return Out(x._shape, x._dtype)


@tf("nn.dropout")
def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    x = convert(x)
    return Out(x._shape, x._dtype)


@tf("nn.l2_loss")
def l2_loss(t, name=None):
    x = convert(t)
    require("l2_loss", x._dtype, "f")
    return Out((), x._dtype)


@tf("nn.l2_normalize", "math.l2_normalize", "linalg.l2_normalize")
def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    x = convert(x)
    return Out(x._shape, x._dtype)


@tf("nn.local_response_normalization", "nn.lrn")
def lrn(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None):
    x = convert(input)
    return Out(x._shape, x._dtype)


@tf("nn.bias_add")
def bias_add(value, bias, data_format=None, name=None):
    x, b = known_rank(value), known_rank(bias)
    size = x._shape[1 if data_format is not None and data_format.startswith("NC") else -1]
    if len(b._shape) != 1 or equal(b._shape[0], size) is False:
        raise ArgumentFault(
            f"bias_add: the bias has shape {text(b._shape)}, but the value {text(x._shape)} has {size} channels",
            FaultCode.SHAPE_MISMATCH,
        )
    return Out(x._shape, x._dtype)


@tf("nn.moments")
def moments(x, axes, shift=None, keepdims=False, name=None, **_former):
    x = known_rank(x)
    gone = [a % len(x._shape) for a in (axes if isinstance(axes, (list, tuple)) else [axes])]
    shape = reduced(x._shape, gone, bool(keepdims))
    return (Out(shape, x._dtype), Out(shape, x._dtype))


@tf("nn.batch_normalization")
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    x = known_rank(x)
    return Out(broadcast("batch_normalization", x._shape, known_rank(mean)._shape), x._dtype)


def _format(data_format: Any) -> str:
    return (
        "channels_first" if isinstance(data_format, str) and data_format.upper().startswith("NC") else "channels_last"
    )


def _spatial(value: Any, rank: int, order: str, what: str) -> Any:
    """Return the numbers of the spatial axes among strides or sizes for all of them."""
    if value is None:
        return 1
    if not isinstance(value, (list, tuple)):
        return value
    if len(value) == rank + 2:
        return list(value[1:-1] if order == "channels_last" else value[2:])
    if len(value) not in (1, rank):
        raise ArgumentFault(f"{what} must have {rank + 2} numbers, but is {list(value)}", FaultCode.ARGUMENT_LENGTH)
    return list(value)


def _padding(padding: Any) -> Any:
    if isinstance(padding, str):
        return padding.lower()
    raise ArgumentFault(f"padding must be 'SAME' or 'VALID', but is {padding!r}", FaultCode.INVALID_ARGUMENT)


def _conv(n: int) -> Any:
    def rule(
        input: Any, filters: Any = None, strides: Any = None, padding: Any = "VALID", data_format: Any = None,
        dilations: Any = None, name: Any = None, filter: Any = None, use_cudnn_on_gpu: Any = None, stride: Any = None,
        value: Any = None,
    ) -> Out:  # fmt: skip
        x = known_rank(input if value is None else value)
        kernel = known_rank(filters if filter is None else filter)
        for what, tensor in (("input", x), ("filters", kernel)):
            if len(tensor._shape) != n + 2:
                raise ArgumentFault(
                    f"conv{n}d: {what} must have {n + 2} dimensions, but its shape is {text(tensor._shape)}",
                    FaultCode.WRONG_RANK,
                )
        order = _format(data_format)
        steps = _spatial(stride if strides is None else strides, n, order, f"conv{n}d: strides")
        spread = _spatial(dilations, n, order, f"conv{n}d: dilations")
        return convolution(f"conv{n}d", x, kernel, steps, _padding(padding), order, spread)

    return rule


for _n in (1, 2, 3):
    tf(f"nn.conv{_n}d")(_conv(_n))


@tf("nn.convolution")
def convolve(input, filters, strides=None, padding="VALID", data_format=None, dilations=None, name=None):
    n = len(known_rank(input)._shape) - 2
    return _conv(n)(input, filters, strides, padding, data_format, dilations)


@tf("nn.depthwise_conv2d")
def depthwise_conv2d(input, filter, strides, padding, data_format=None, dilations=None, name=None):
    order = _format(data_format)
    steps = _spatial(strides, 2, order, "depthwise_conv2d: strides")
    return depthwise("depthwise_conv2d", input, filter, steps, _padding(padding), order, dilations or 1)


@tf("nn.separable_conv2d")
def separable_conv2d(
    input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None, name=None
):
    order = _format(data_format)
    steps = _spatial(strides, 2, order, "separable_conv2d: strides")
    inner = depthwise("separable_conv2d", input, depthwise_filter, steps, _padding(padding), order, dilations or 1)
    outer = convolution("separable_conv2d", new(inner.shape, inner.dtype), pointwise_filter, 1, "valid", order, 1)
    return Out(outer.shape, outer.dtype, macs=inner.macs + outer.macs)


def _transposed(n: int) -> Any:
    def rule(
        input: Any, filters: Any = None, output_shape: Any = None, strides: Any = 1, padding: Any = "SAME",
        data_format: Any = None, dilations: Any = None, name: Any = None, value: Any = None, filter: Any = None,
    ) -> Out:  # fmt: skip
        x = input if value is None else value
        kernel = filters if filter is None else filter
        order = _format(data_format)
        steps = _spatial(strides, n, order, f"conv{n}d_transpose: strides")
        made = transposed(f"conv{n}d_transpose", x, kernel, steps, _padding(padding), None, order, 1)
        wanted = tuple(sizes_of(output_shape))
        if len(wanted) == len(made.shape):
            axis = -1 if order == "channels_last" else 1
            if equal(wanted[axis], made.shape[axis]) is False:
                raise ArgumentFault(
                    f"conv{n}d_transpose: output_shape {text(wanted)} has {wanted[axis]} channels, but the filters make {made.shape[axis]}",
                    FaultCode.SHAPE_MISMATCH,
                )
            _check_transposed(
                f"conv{n}d_transpose", known_rank(x), known_rank(kernel), wanted, steps, _padding(padding), order
            )
            return Out(wanted, made.dtype, macs=made.macs)
        return made

    return rule


def _check_transposed(name: str, x: Any, kernel: Any, wanted: Any, steps: Any, padding: str, order: str) -> None:
    """Require that convolving an output of the wanted shape would give back the input's sizes."""
    start = 1 if order == "channels_last" else 2
    count = len(wanted) - 2
    each = list(steps) if isinstance(steps, (list, tuple)) else [steps] * count
    each = each * count if len(each) == 1 else each
    for axis in range(count):
        size, step = wanted[start + axis], each[axis]
        back = ceildiv(size, step) if padding == "same" else ceildiv(size - kernel._shape[axis] + 1, step)
        if equal(back, x._shape[start + axis]) is False:
            raise ArgumentFault(
                f"{name}: output_shape {text(wanted)} needs an input of size {back} on axis {start + axis}, "
                f"but the input is {text(x._shape)}",
                FaultCode.SHAPE_MISMATCH,
            )
    if equal(wanted[0], x._shape[0]) is False:
        raise ArgumentFault(
            f"{name}: output_shape {text(wanted)} has a batch of {wanted[0]}, but the input of {x._shape[0]}",
            FaultCode.SHAPE_MISMATCH,
        )


for _n in (1, 2, 3):
    tf(f"nn.conv{_n}d_transpose")(_transposed(_n))


def _pool(name: str, n: int | None) -> Any:
    def rule(
        input: Any = None, ksize: Any = None, strides: Any = None, padding: Any = "VALID", data_format: Any = None,
        name: Any = None, value: Any = None, **_options: Any,
    ) -> Out:  # fmt: skip
        x = known_rank(input if value is None else value)
        order = _format(data_format)
        rank = len(x._shape) - 2 if n is None else n
        if len(x._shape) != rank + 2 or rank < 1:
            raise ArgumentFault(
                f"{label}: the input must have {(n or 2) + 2} dimensions, but its shape is {text(x._shape)}",
                FaultCode.WRONG_RANK,
            )
        sizes = _spatial(ksize, rank, order, f"{label}: ksize")
        steps = _spatial(strides, rank, order, f"{label}: strides")
        return pooled(label, x, sizes, steps, _padding(padding), order)

    label = name
    return rule


for _kind in ("max", "avg"):
    for _rank, _suffix in ((None, ""), (1, "1d"), (2, "2d"), (3, "3d")):
        tf(f"nn.{_kind}_pool{_suffix}")(_pool(f"{_kind}_pool{_suffix}", _rank))


def _losses(name: str, labels: Any, logits: Any, sparse: bool, reduce: bool) -> Out:
    t, y = known_rank(labels), known_rank(logits)
    wanted = y._shape[:-1] if sparse else y._shape
    if sparse and len(t._shape) != len(wanted):
        raise ArgumentFault(
            f"{name}: labels must have one dimension less than logits, but are {text(t._shape)} and {text(y._shape)}",
            FaultCode.WRONG_RANK,
        )
    if not sparse and reduce and not isinstance(t._shape, Unknown) and len(t._shape) != len(wanted):
        return _flattened(name, t, y)
    if not isinstance(t._shape, Unknown) and not fits(tuple(t._shape), tuple(wanted)):
        if sparse or not reduce or len(t._shape) != len(wanted):
            raise ArgumentFault(
                f"{name}: labels are {text(t._shape)}, but logits are {text(y._shape)}", FaultCode.SHAPE_MISMATCH
            )
        broadcast(name, t._shape, wanted)
    return Out(y._shape[:-1] if reduce else y._shape, y._dtype)


def _flattened(name: str, labels: Any, logits: Any) -> Out:
    """Return losses of labels and logits of different ranks: both are made matrices first."""
    if labels._shape and logits._shape:
        broadcast(name, *((product(each._shape[:-1]), each._shape[-1]) for each in (labels, logits)))
    return Out(logits._shape[:-1], logits._dtype)


@tf("nn.softmax_cross_entropy_with_logits", "nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy(labels=None, logits=None, axis=-1, name=None, dim=None, _sentinel=None):
    return _losses("softmax_cross_entropy_with_logits", labels, logits, False, True)


@tf("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_cross_entropy(labels=None, logits=None, name=None, _sentinel=None):
    return _losses("sparse_softmax_cross_entropy_with_logits", labels, logits, True, True)


@tf("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy(labels=None, logits=None, name=None, _sentinel=None):
    return _losses("sigmoid_cross_entropy_with_logits", labels, logits, False, False)


@tf("nn.in_top_k")
def in_top_k(predictions, targets, k, name=None):
    """Of TensorFlow 1: the predictions come first; since TensorFlow 2, where the first is a vector, the targets do."""
    first, second = known_rank(predictions), known_rank(targets)
    return Out((first if len(first._shape) == 1 else second)._shape, "bool")


@tf("math.in_top_k")
def math_in_top_k(targets, predictions, k, name=None):
    return Out(known_rank(targets)._shape, "bool")
