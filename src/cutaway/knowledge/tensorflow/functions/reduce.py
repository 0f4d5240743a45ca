"""Reductions, under their names of TensorFlow 2 and 1."""

from __future__ import annotations

from typing import Any

from cutaway.core.unknown import Unknown
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.ops.reduction import over
from cutaway.knowledge.keras.tensors.dtypes import DTYPES, standardize
from cutaway.knowledge.keras.tensors.op import Out, compute
from cutaway.knowledge.keras.tensors.tensor import convert
from cutaway.knowledge.tensorflow.rows import tf
from cutaway.ops.reduce import reduced

_NUMBERS = {"sum": "sum", "mean": "mean", "max": "max", "min": "min", "prod": "prod", "any": "any", "all": "all"}


def _reduction(name: str) -> Any:
    numbers = _NUMBERS.get(name)

    def rule(
        input_tensor: Any, axis: Any = None, keepdims: Any = None, name: Any = None, reduction_indices: Any = None,
        keep_dims: Any = None, **_former: Any,
    ) -> Out:  # fmt: skip
        x = convert(input_tensor)
        axis = reduction_indices if axis is None else axis
        kept = bool(keepdims or keep_dims)
        if isinstance(x._shape, Unknown):
            return Out(() if axis is None and not kept else x._shape, x._dtype)
        gone = over(f"reduce_{label}", x, axis)
        values = (
            None if numbers is None else compute(lambda np, a: getattr(np, numbers)(a, axis=gone, keepdims=kept), x)
        )
        return Out(reduced(x._shape, gone, kept), DTYPES["bool"] if label in ("any", "all") else x._dtype, values)

    label = name
    return rule


for _name in "sum mean max min prod any all logsumexp std variance euclidean_norm".split():
    tf(f"reduce_{_name}", f"math.reduce_{_name}")(_reduction(_name))


def _arg(label: str) -> Any:
    def rule(input: Any, axis: Any = None, output_type: Any = "int64", name: Any = None, dimension: Any = None) -> Out:
        x = known_rank(input)
        axis = dimension if axis is None else axis
        return Out(reduced(x._shape, over(label, x, 0 if axis is None else axis), False), standardize(output_type))

    return rule


for _name in ("argmax", "argmin"):
    tf(_name, f"math.{_name}", _name.replace("arg", "arg_"))(_arg(_name))


def _scan(label: str) -> Any:
    def rule(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: Any = None) -> Out:
        x = convert(x)
        return Out(x._shape, x._dtype)

    return rule


for _name in ("cumsum", "cumprod"):
    tf(_name, f"math.{_name}")(_scan(_name))


@tf("norm", "linalg.norm")
def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None, **_former):
    x = known_rank(tensor)
    return Out(reduced(x._shape, over("norm", x, axis), bool(keepdims)), x._dtype)


@tf("math.top_k", "nn.top_k")
def top_k(input, k=1, sorted=True, index_type="int32", name=None):
    x = known_rank(input)
    return (Out((*x._shape[:-1], k), x._dtype), Out((*x._shape[:-1], k), DTYPES["int32"]))
