"""Products of matrices, and sums along dimensions."""

from __future__ import annotations

import math
from typing import Any

from cutaway.core.contents import Fact
from cutaway.recover.graph import Input, Literal, Numbers, Operand
from cutaway.recover.sources.emission import shortest
from cutaway.recover.sources.onnx.registry import Call, operator


@operator("MatMul")
def matmul(call: Call) -> None:
    """A product of matrices; with a stored matrix on the right, a linear layer."""
    weight = call.weight(1)
    if weight is not None and len(weight.shape) == 2 and (call.rank(0) or 0) >= 1:
        size, out = weight.shape
        call.emit(
            "nn.Linear",
            call.name(),
            weights={"weight": weight.permuted(1, 0)},
            in_features=size,
            out_features=out,
            bias=False,
        )
        return
    call.emit("@", call.name(0), call.name(1))


@operator("Gemm")
def gemm(call: Call) -> None:
    """A product of matrices plus a tensor; with stored weights, a linear layer."""
    alpha, beta = call.get("alpha", 1.0), call.get("beta", 1.0)
    weight, bias = call.weight(1), call.weight(2)
    plain = not call.get("transA", 0) and alpha == 1.0 and (beta == 1.0 or not call.has(2))
    if plain and weight is not None and (bias is not None or not call.has(2)):
        weight = weight if call.get("transB", 0) else weight.permuted(1, 0)
        out, size = weight.shape
        fits = bias is None or bias.shape in ((out,), (1, out))
        if fits:
            weights = {"weight": weight, **({"bias": bias.reshaped(out)} if bias else {})}
            call.emit(
                "nn.Linear", call.name(), weights=weights, in_features=size, out_features=out, bias=bias is not None
            )
            return
    left: Operand = call.name(0)
    right: Operand = call.name(1)
    if call.get("transA", 0):
        left = call.temporary(".transpose", left, shape=_swapped(call, 0), dims=(0, 1))
    if call.get("transB", 0):
        right = call.temporary(".transpose", right, shape=_swapped(call, 1), dims=(0, 1))
    shape = call.graph.shape(call.operation.outputs[0])
    steps: list[tuple[str, Operand]] = []
    if alpha != 1.0:
        steps.append(("*", Literal(shortest(alpha))))
    if call.has(2):
        third = call.operand(2, 0)
        if beta != 1.0:
            third = call.temporary("*", call.name(2), Literal(shortest(beta)), shape=call.fact(2).shape)
        steps.append(("+", third))
    if not steps:
        call.emit("@", left, right)
        return
    so_far = call.temporary("@", left, right, shape=shape)
    for op, operand in steps[:-1]:
        so_far = call.temporary(op, so_far, operand, shape=shape)
    call.emit(steps[-1][0], so_far, steps[-1][1])


def _swapped(call: Call, place: int) -> Any:
    shape = call.fact(place).shape
    return None if shape is None else shape[::-1]


@operator("Einsum")
def einsum(call: Call) -> None:
    """A sum of products by Einstein's notation."""
    names = [name for name in call.operation.inputs if name]
    equation = call.get("equation", "").replace(" ", "")
    if not equation.isascii() or not all(sign.isalpha() or sign in ",->." for sign in equation):
        call.unsupported("its equation has other signs than letters")
    call.emit("torch.einsum", Literal(equation), *names)


_REDUCTIONS = {
    "ReduceMean": "mean", "ReduceSum": "sum", "ReduceMax": "amax", "ReduceMin": "amin", "ReduceProd": "prod",
    "ReduceLogSumExp": "logsumexp",
}  # fmt: skip


@operator(" ".join((*_REDUCTIONS, "ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum")))
def reduction(call: Call) -> None:
    """A number for all along some dimensions."""
    keep = bool(call.get("keepdims", 1))
    if call.has(1) and call.numbers(1) is None:
        _computed_reduction(call, keep)
        return
    axes = call.setting(1, "axes")
    source, rank = call.name(), call.known_rank()
    if not axes:
        if call.get("noop_with_empty_axes", 0):
            call.alias(source)
            return
        axes = list(range(rank))
    axes = [axis if axis >= 0 else axis + rank for axis in axes]
    axes = [axis - rank if axis == rank - 1 or axes == list(range(rank - len(axes), rank)) else axis for axis in axes]
    dims: Any = axes[0] if len(axes) == 1 else tuple(axes)
    shape = call.fact().shape
    if call.op in ("ReduceSumSquare", "ReduceL1"):
        function = ("torch.square",) if call.op == "ReduceSumSquare" else ("torch.abs",)
        source = call.temporary(function[0], source, shape=shape)
    if call.op == "ReduceL2":
        call.emit("torch.linalg.vector_norm", source, dim=dims, keepdim=keep)
    elif call.op == "ReduceLogSum":
        total = call.temporary(
            ".sum", source, shape=call.graph.shape(call.operation.outputs[0]), dim=dims, keepdim=keep
        )
        call.emit("torch.log", total)
    elif call.op == "ReduceProd" and len(axes) > 1:
        first, *later = sorted(axis % rank for axis in axes)
        for axis in reversed(later):
            source = call.temporary(".prod", source, shape=None, dim=axis, keepdim=keep)
        call.emit(".prod", source, dim=first, keepdim=keep)
    elif call.op in _OF_NONE and any(shape is not None and shape[axis] == 0 for axis in axes):
        call.emit("torch.full", Literal(tuple(_out(call))), Literal(_of_none(call)), dtype=call.fact().dtype)
    else:
        method = _REDUCTIONS.get(call.op, "sum")
        call.emit(f".{method}", source, dim=dims, keepdim=keep)


_OF_NONE = {"ReduceMax": -1, "ReduceMin": 1}
"""The reductions that are infinite along dimensions without elements, and their sign."""


def _of_none(call: Call) -> Any:
    """Return the largest or smallest number of no elements: that of the element type that is on the other side."""
    dtype = call.fact().dtype or ""
    if "float" in dtype:
        return _OF_NONE[call.op] * math.inf
    if dtype == "bool":
        return call.op == "ReduceMin"
    call.unsupported(f"it has no elements, of {dtype}")


def _out(call: Call) -> tuple[Any, ...]:
    shape = call.graph.shape(call.operation.outputs[0])
    if shape is None:
        call.unsupported("the shape of its output is not known")
    return shape


_COMPUTED = {"ReduceMean": "torch.mean", "ReduceMax": "torch.amax", "ReduceMin": "torch.amin", "ReduceProd": "torch.prod",
             "ReduceLogSumExp": "torch.logsumexp", "ReduceL2": "torch.linalg.vector_norm"}  # fmt: skip


def _computed_reduction(call: Call, keep: bool) -> None:
    """Add a reduction along dimensions that only a run tells."""
    (count,) = call.fact(1).shape or (None,)
    if not isinstance(count, int) or not count or (call.op == "ReduceProd" and count > 1):
        call.unsupported("how many dimensions it goes along is not known")
    if call.op in _OF_NONE and 0 in (call.fact().shape or ()):
        call.unsupported("its axes are computed, and there may be no elements along them")
    source: str = call.name()
    if call.op in ("ReduceSumSquare", "ReduceL1"):
        source = call.temporary("torch.square" if call.op == "ReduceSumSquare" else "torch.abs", source)
    dims = Numbers(1, only=call.op == "ReduceProd")
    function = _COMPUTED.get(call.op, "torch.sum")
    if call.op == "ReduceLogSum":
        source = call.temporary(function, source, call.name(1), dim=dims, keepdim=keep)
        call.emit("torch.log", source)
    else:
        call.emit(function, source, call.name(1), dim=dims, keepdim=keep)


@operator("ArgMax ArgMin")
def position(call: Call) -> None:
    """Where the largest or smallest number is."""
    keep, axis, shape = bool(call.get("keepdims", 1)), call.axis(0), call.fact().shape
    if not call.get("select_last_index", 0):
        call.emit(f".{call.op.lower()}", call.name(), dim=axis, keepdim=keep)
        return
    if shape is None:
        call.unsupported("the shape of its input is not known")
    turned = call.temporary("torch.flip", call.name(), shape=shape, dims=(axis,))
    after = call.graph.shape(call.operation.outputs[0])
    first = call.temporary(f".{call.op.lower()}", turned, shape=after, dim=axis, keepdim=keep)
    call.emit("-", Literal(shape[axis] - 1), first)


@operator("TopK")
def largest(call: Call) -> None:
    """The largest numbers and where they are: of equal ones those at the lowest places, where somebody reads the places.

    `torch.topk` takes any of several equal numbers.
    """
    known = call.numbers(1) if call.has(1) else [call.get("k", 1)]
    amount: Any = Numbers(1, only=True) if known is None else known[0]
    extra = [call.name(1)] if known is None else []
    dim, most = call.axis(-1), bool(call.get("largest", 1))
    source = call.name()
    values, *places = call.operation.outputs
    if not any(places):
        call.emit("torch.topk", source, *extra, k=amount, dim=dim, largest=most)
        return
    order = call.temporary("torch.argsort", source, shape=call.fact().shape, dim=dim, descending=most, stable=True)
    call.graph.facts[order] = Fact(call.fact().shape, "int64")
    if known is not None and dim == -1:
        call.emit_to(places[0], "getitem", order, index=(..., slice(None, amount)))
    else:
        call.emit_to(places[0], "torch.narrow", order, *extra, dim=dim, start=0, length=amount)
    if values:
        call.emit_to(values, "torch.gather", source, places[0], dim=dim, index=Input(1))
