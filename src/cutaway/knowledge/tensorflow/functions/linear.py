"""Products of matrices."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.ops.linear import product_of
from cutaway.knowledge.keras.tensors.dtypes import differ
from cutaway.knowledge.keras.tensors.op import Out
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.knowledge.keras.tensors.tensor import Tensor
from cutaway.knowledge.tensorflow.graph_mode.graph import building
from cutaway.knowledge.tensorflow.rows import rule, tf


def _swapped(tensor: Any) -> Any:
    made = object.__new__(Tensor)
    made.__dict__.update(tensor.__dict__)
    made._shape = (*tensor._shape[:-2], tensor._shape[-1], tensor._shape[-2])
    made._values = None
    return made


@tf("matmul", "linalg.matmul", "batch_matmul")
def matmul(
    a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, a_is_sparse=False, b_is_sparse=False,
    output_type=None, name=None, **_former,
):  # fmt: skip
    left, right = known_rank(a), known_rank(b)
    for which, tensor in (("a", left), ("b", right)):
        if len(tensor._shape) < 2:
            raise ArgumentFault(
                f"matmul: {which} must have at least 2 dimensions, but its shape is {text(tensor._shape)}",
                FaultCode.WRONG_RANK,
            )
    if len(left._shape) != len(right._shape) and min(len(left._shape), len(right._shape)) == 2 and _strict():
        raise ArgumentFault(
            f"matmul: the operands must have equally many dimensions, but are {text(left._shape)} and {text(right._shape)}",
            FaultCode.WRONG_RANK,
        )
    if isinstance(a, Tensor) and isinstance(b, Tensor) and differ(left._dtype, right._dtype):
        raise TypeFault(
            f"matmul: the operands are of types {left._dtype} and {right._dtype}, which differ",
            FaultCode.DTYPE_MISMATCH,
        )
    left = _swapped(left) if transpose_a or adjoint_a else left
    right = _swapped(right) if transpose_b or adjoint_b else right
    made = product_of("matmul", left, right)
    return Out(made.shape, left._dtype, made.values, macs=made.macs)


def _strict() -> bool:
    """Tell whether the program builds a graph of TensorFlow 1, whose `matmul` does not broadcast."""
    return building()


@tf("tensordot")
def tensordot(a, b, axes, name=None):
    return rule("tensordot")(a, b, axes)


@tf("einsum")
def einsum(equation, *inputs, **kwargs):
    return rule("einsum")(equation, *inputs)


@tf("linalg.matvec")
def matvec(a, b, **kwargs):
    return product_of("matvec", known_rank(a), known_rank(b))


@tf("nn.xw_plus_b")
def xw_plus_b(x, weights, biases, name=None):
    made = product_of("xw_plus_b", known_rank(x), known_rank(weights))
    return Out(made.shape, made.dtype, macs=made.macs)


@tf("linalg.diag", "diag")
def diag(diagonal, name="diag", k=0, **kwargs):
    x = known_rank(diagonal)
    return Out((*x._shape, x._shape[-1]), x._dtype)
