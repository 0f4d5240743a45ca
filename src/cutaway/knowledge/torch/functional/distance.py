"""Distances and similarities."""

from __future__ import annotations

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.functional.argument import axis, floating
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.promote import float_type, promote_types, result_type
from cutaway.knowledge.torch.tensor.types import bool_
from cutaway.ops.elementwise import broadcast
from cutaway.ops.window import shown


@op("torch.nn.functional.cosine_similarity", "torch.cosine_similarity")
def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    dtype = promote_types(x1.dtype, x2.dtype)
    if not dtype.is_floating_point:
        raise Fault(
            f"cosine_similarity: inputs must be floating, but are {x1.dtype} and {x2.dtype}",
            FaultCode.UNSUPPORTED_DTYPE,
        )
    shape = broadcast("cosine_similarity", x1.shape, x2.shape)
    if isinstance(shape, Unknown):
        return Out(shape, dtype)
    dim = axis("cosine_similarity", dim, shape)
    return Out((*shape[:dim], *shape[dim + 1 :]), dtype)


@op("torch.nn.functional.pairwise_distance", "torch.pairwise_distance")
def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    if bool_ in (x1.dtype, x2.dtype):
        raise Fault("pairwise_distance: torch.bool inputs are not supported", FaultCode.UNSUPPORTED_DTYPE)
    shape = broadcast("pairwise_distance", x1.shape, x2.shape)
    dtype = float_type(result_type(x1, x2)).to_real()
    return Out((*shape[:-1], 1) if keepdim else shape[:-1], dtype)


@op("torch.nn.functional.pdist", "torch.pdist")
def pdist(input, p=2):
    if len(input.shape) != 2:
        raise Fault(f"pdist: input must have 2 dimensions, but its shape is {shown(input.shape)}", FaultCode.WRONG_RANK)
    count = input.shape[0]
    return Out((count * (count - 1) // 2,), floating("pdist", input))
