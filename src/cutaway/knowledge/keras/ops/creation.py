"""Tensors from nothing: constants, ranges, random numbers."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import Dim, ceildiv, unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.values import Lazy
from cutaway.knowledge.keras.ops.binary import kind_of
from cutaway.knowledge.keras.tensors.dtypes import DTYPES, floatx, promote, standardize
from cutaway.knowledge.keras.tensors.op import Out, compute, op
from cutaway.knowledge.keras.tensors.shape import size_of, sizes_of
from cutaway.knowledge.keras.tensors.tensor import Tensor, convert
from cutaway.ops.reshape import unsqueeze


def filled(shape: Any, dtype: Any, number: Any) -> Out:
    """Make a tensor of one number."""
    sizes = sizes_of(shape)
    values = None
    if all(isinstance(s, int) for s in sizes) and isinstance(number, (int, float)):
        values = Lazy(lambda np: np.full(sizes, number))
    return Out(sizes, dtype, values)


@op("keras.ops.zeros")
def zeros(shape, dtype=None):
    return filled(shape, standardize(dtype), 0)


@op("keras.ops.ones")
def ones(shape, dtype=None):
    return filled(shape, standardize(dtype), 1)


@op("keras.ops.empty")
def empty(shape, dtype=None):
    return Out(sizes_of(shape), standardize(dtype))


@op("keras.ops.full")
def full(shape, fill_value, dtype=None):
    return filled(shape, standardize(dtype), fill_value)


def _like(name: str, number: Any) -> Any:
    def rule(x: Any, dtype: Any = None) -> Out:
        x = convert(x)
        kind = x._dtype if dtype is None else standardize(dtype)
        if number is None or isinstance(x._shape, Unknown):
            return Out(x._shape, kind)
        return filled(tuple(x._shape), kind, number)

    rule.__name__ = name
    return rule


for _name, _number in (("zeros_like", 0), ("ones_like", 1), ("empty_like", None)):
    op(f"keras.ops.{_name}")(_like(_name, _number))


@op("keras.ops.full_like")
def full_like(x, fill_value, dtype=None):
    x = convert(x)
    return Out(x._shape, x._dtype if dtype is None else standardize(dtype))


@op("keras.ops.eye")
def eye(N, M=None, k=0, dtype=None):
    rows = size_of(N)
    return Out((rows, rows if M is None else size_of(M)), standardize(dtype))


@op("keras.ops.identity")
def identity(n, dtype=None):
    return Out((size_of(n), size_of(n)), standardize(dtype))


@op("keras.ops.tri")
def tri(N, M=None, k=0, dtype=None):
    return Out((size_of(N), size_of(N if M is None else M)), standardize(dtype))


@op("keras.ops.arange")
def arange(start, stop=None, step=None, dtype=None):
    first, last = (0, start) if stop is None else (start, stop)
    step = 1 if step is None else step
    kinds = [kind_of(v) for v in (first, last, step)]
    kind = standardize(dtype) if dtype is not None else promote(*kinds)
    bounds = [v.sizes() if isinstance(v, Tensor) and v._dtype.is_integer else v for v in (first, last, step)]
    if all(isinstance(v, (int, float)) for v in bounds):
        import math

        count: Any = max(0, math.ceil((bounds[1] - bounds[0]) / bounds[2]))
        return Out((count,), kind, Lazy(lambda np: np.arange(*bounds)))
    if all(isinstance(v, (int, Dim)) for v in bounds) and isinstance(bounds[2], int) and bounds[2] > 0:
        return Out((ceildiv(bounds[1] - bounds[0], bounds[2]),), kind)
    return Out((unknown_size(),), kind)


@op("keras.ops.linspace")
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    shape = convert(start)._shape
    kind = standardize(dtype) if dtype is not None else promote(kind_of(start), kind_of(stop), float)
    values = None
    if not shape and isinstance(num, int):
        values = compute(lambda np, a, b: np.linspace(a, b, num, endpoint=endpoint), convert(start), convert(stop))
    return Out((size_of(num), *shape), kind, values)


@op("keras.ops.array")
def array(x, dtype=None):
    made = convert(x, dtype)
    return Out(made._shape, made._dtype, made._values, sizes=made._sizes)


@op("keras.ops.convert_to_tensor")
def convert_to_tensor(x, dtype=None, sparse=None, ragged=None):
    if isinstance(x, Tensor) and (dtype is None or standardize(dtype) == x._dtype):
        return x
    made = convert(x, dtype)
    return Out(made._shape, made._dtype, made._values, sizes=made._sizes)


@op("keras.ops.one_hot")
def one_hot(x, num_classes, axis=-1, dtype=None, sparse=False):
    x = convert(x)
    if isinstance(x._shape, Unknown):
        return Out(x._shape, standardize(dtype))
    return Out(unsqueeze(x._shape, [axis], size_of(num_classes))[1], standardize(dtype))


@op("keras.ops.multi_hot")
def multi_hot(inputs, num_classes=None, axis=-1, dtype=None, sparse=False, **kwargs):
    x = convert(inputs)
    lead = x._shape[:-1] if len(x._shape) > 1 else ()
    return Out((*lead, size_of(num_classes)), standardize(dtype))


def _random(name: str, first: tuple[str, ...]) -> Any:
    def rule(shape: Any, *parameters: Any, dtype: Any = None, seed: Any = None, **named: Any) -> Out:
        kind = standardize(dtype) if dtype is not None else DTYPES["int32"] if name == "randint" else floatx()
        return Out(sizes_of(shape), kind)

    rule.__name__ = name
    return rule


for _name in "normal uniform truncated_normal gamma beta binomial randint".split():
    _made = op(f"keras.random.{_name}", f"keras.src.random.{_name}", f"keras.src.backend.random.{_name}")(
        _random(_name, ())
    )


@op("keras.random.dropout", "keras.src.random.dropout")
def dropout(inputs, rate, noise_shape=None, seed=None):
    x = convert(inputs)
    return Out(x._shape, x._dtype)


@op("keras.random.shuffle", "keras.src.random.shuffle")
def shuffle(x, axis=0, seed=None):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.random.categorical", "keras.src.random.categorical")
def categorical(logits, num_samples, dtype="int32", seed=None):
    x = convert(logits)
    return Out((x._shape[0], size_of(num_samples)), standardize(dtype))
