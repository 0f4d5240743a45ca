"""Activations, normalisations and losses that act on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal
from cutaway.core.unknown import Unknown
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.ops.reduction import over
from cutaway.knowledge.keras.tensors.dtypes import promote, to_float
from cutaway.knowledge.keras.tensors.op import Out, compute, op
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.knowledge.keras.tensors.tensor import convert
from cutaway.ops.attention import attention
from cutaway.ops.reduce import reduced


def _elementwise(name: str) -> Callable[..., Any]:
    def rule(x: Any) -> Out:
        x = convert(x)
        return Out(x._shape, x._dtype)

    rule.__name__ = name
    return rule


for _name in """relu relu6 sigmoid softplus softsign silu log_sigmoid hard_sigmoid hard_silu hard_tanh selu
sparse_plus sparse_sigmoid squareplus tanh_shrink""".split():
    op(f"keras.ops.{_name}")(_elementwise(_name))
op("keras.ops.swish", node="silu")(_elementwise("swish"))
op("keras.ops.hard_swish", node="hard_silu")(_elementwise("hard_swish"))


@op("keras.ops.leaky_relu")
def leaky_relu(x, negative_slope=0.2):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.ops.elu")
def elu(x, alpha=1.0):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.ops.celu")
def celu(x, alpha=1.0):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.ops.gelu")
def gelu(x, approximate=True):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.ops.threshold")
def threshold(x, threshold, default_value):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.ops.soft_shrink")
def soft_shrink(x, threshold=0.5):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.ops.hard_shrink")
def hard_shrink(x, threshold=0.5):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.ops.glu")
def glu(x, axis=-1):
    x = known_rank(x)
    place = axis % len(x._shape)
    if equal(x._shape[place] % 2, 0) is False:
        raise ArgumentFault(
            f"glu: the size {x._shape[place]} of dimension {axis} is not even", FaultCode.SHAPE_MISMATCH
        )
    return Out((*x._shape[:place], x._shape[place] // 2, *x._shape[place + 1 :]), x._dtype)


def _along(name: str) -> Any:
    def rule(x: Any, axis: Any = -1) -> Out:
        x = convert(x)
        if not isinstance(x._shape, Unknown) and axis is not None:
            over(name, x, axis)
        return Out(x._shape, x._dtype)

    rule.__name__ = name
    return rule


for _name in ("softmax", "log_softmax", "sparsemax"):
    op(f"keras.ops.{_name}")(_along(_name))


@op("keras.ops.normalize")
def normalize(x, axis=-1, order=2, epsilon=None):
    x = convert(x)
    return Out(x._shape, to_float(x._dtype))


@op("keras.ops.moments")
def moments(x, axes, keepdims=False, synchronized=False):
    x = known_rank(x)
    shape = reduced(x._shape, over("moments", x, axes), bool(keepdims))
    return (Out(shape, x._dtype), Out(shape, x._dtype))


@op("keras.ops.batch_normalization")
def batch_normalization(x, mean, variance, axis, offset=None, scale=None, epsilon=1e-3):
    x = known_rank(x)
    size = x._shape[axis]
    for what, given in (("mean", mean), ("variance", variance), ("offset", offset), ("scale", scale)):
        if given is not None:
            held = known_rank(given)._shape
            if len(held) == 1 and equal(held[0], size) is False:
                raise ArgumentFault(
                    f"batch_normalization: {what} has {held[0]} numbers, but dimension {axis} of "
                    f"{text(x._shape)} has size {size}",
                    FaultCode.SHAPE_MISMATCH,
                )
    return Out(x._shape, x._dtype)


@op("keras.ops.layer_normalization")
def layer_normalization(x, gamma=None, beta=None, axis=-1, epsilon=None, **kwargs):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.ops.rms_normalization")
def rms_normalization(x, scale=None, axis=-1, epsilon=None):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.ops.dot_product_attention")
def dot_product_attention(
    query,
    key,
    value,
    bias=None,
    mask=None,
    scale=None,
    is_causal=False,
    flash_attention=None,
    attn_logits_soft_cap=None,
):
    q, k, v = known_rank(query), known_rank(key), known_rank(value)
    first, second, third = ((t._shape[0], t._shape[2], t._shape[1], t._shape[3]) for t in (q, k, v))
    shape, macs = attention(first, second, third, grouped=True, name="dot_product_attention")
    return Out((shape[0], shape[2], shape[1], shape[3]), promote(q._dtype, k._dtype, v._dtype), macs=macs)


def _crossed(name: str, target: Any, output: Any, axis: int | None, classes: bool) -> Out:
    t, y = known_rank(target), known_rank(output)
    if classes:
        if len(t._shape) == len(y._shape) and equal(t._shape[-1], 1) is True:
            t_shape = t._shape[:-1]
        else:
            t_shape = t._shape
        wanted = tuple(y._shape[:-1])
        if len(t_shape) != len(wanted) or any(equal(a, b) is False for a, b in zip(t_shape, wanted)):
            raise ArgumentFault(
                f"{name}: the target {text(t._shape)} must be the output {text(y._shape)} without its last dimension",
                FaultCode.SHAPE_MISMATCH,
            )
        return Out(wanted, y._dtype)
    if len(t._shape) != len(y._shape) or any(equal(a, b) is False for a, b in zip(t._shape, y._shape)):
        raise ArgumentFault(
            f"{name}: the target is {text(t._shape)}, but the output is {text(y._shape)}", FaultCode.SHAPE_MISMATCH
        )
    return Out(y._shape if axis is None else reduced(y._shape, [axis % len(y._shape)], False), y._dtype)


@op("keras.ops.categorical_crossentropy")
def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    return _crossed("categorical_crossentropy", target, output, axis, False)


@op("keras.ops.sparse_categorical_crossentropy")
def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    return _crossed("sparse_categorical_crossentropy", target, output, axis, True)


@op("keras.ops.binary_crossentropy")
def binary_crossentropy(target, output, from_logits=False):
    return _crossed("binary_crossentropy", target, output, None, False)


@op("keras.ops.polar")
def polar(abs_, angle):
    return Out(convert(abs_)._shape, "complex64", compute(lambda np, a, b: a * np.exp(1j * b), abs_, angle))
