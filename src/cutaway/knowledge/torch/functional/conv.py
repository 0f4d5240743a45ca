"""Convolutions and transposed convolutions."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size, equal
from cutaway.knowledge.torch.functional.argument import same_dtype, shape_of
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.ops.conv import Convolution, convolve, convolve_transposed
from cutaway.ops.window import shown


def _out(name: str, result: Convolution, input: Any, weight: Any) -> Out:
    dtype = same_dtype(name, input=input, weight=weight)
    macs: Size = result.macs * 3 if dtype.is_complex else result.macs  # a complex product is three real ones
    return Out(result.shape, dtype, macs=macs)


def _conv(rank: int) -> None:
    name = f"conv{rank}d"

    @op(f"torch.nn.functional.{name}", f"torch.{name}")
    def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        shapes = input.shape, weight.shape, shape_of(bias)
        result = convolve(name, *shapes, stride, padding, dilation, groups, rank=rank)
        if weight.shape[0] == 0:
            raise Fault(f"{name}: the weight has no output channels", FaultCode.INVALID_ARGUMENT)
        return _out(name, result, input, weight)


def _conv_transpose(rank: int) -> None:
    name = f"conv_transpose{rank}d"

    @op(f"torch.nn.functional.{name}", f"torch.{name}")
    def conv_transpose(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        shapes = input.shape, weight.shape, shape_of(bias)
        result = convolve_transposed(name, *shapes, stride, padding, output_padding, groups, dilation, rank=rank)
        return _out(name, result, input, weight)


for _rank in (1, 2, 3):
    _conv(_rank)
    _conv_transpose(_rank)


@op("torch.convolution")
def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    return _either_way(input, weight, bias, transposed, (stride, padding, dilation, output_padding, groups))


@op("torch._convolution")
def _convolution(
    input, weight, bias, stride, padding, dilation, transposed, output_padding, groups,
    benchmark, deterministic, cudnn_enabled, allow_tf32=None,
):  # fmt: skip
    return _either_way(input, weight, bias, transposed, (stride, padding, dilation, output_padding, groups))


def _either_way(input: Any, weight: Any, bias: Any, transposed: Any, settings: tuple[Any, ...]) -> Out:
    stride, padding, dilation, extra, groups = settings
    name, rank = "convolution", len(weight.shape) - 2
    shapes = input.shape, weight.shape, shape_of(bias)
    if transposed:
        result = convolve_transposed(name, *shapes, stride, padding, extra, groups, dilation, rank=rank)
    else:
        result = convolve(name, *shapes, stride, padding, dilation, groups, rank=rank)
    return _out(name, result, input, weight)


@op("torch.nn.functional.conv_tbc", "torch.conv_tbc")
def conv_tbc(input, weight, bias, pad=0):
    for what, tensor, rank in (("input", input, 3), ("weight", weight, 3), ("bias", bias, 1)):
        if len(tensor.shape) != rank:
            raise Fault(
                f"conv_tbc: {what} must have {rank} dimensions, but its shape is {shown(tensor.shape)}",
                FaultCode.WRONG_RANK,
            )
    time, batch, channels = input.shape
    kernel, expected, out = weight.shape
    if equal(channels, expected) is False:
        raise Fault(f"conv_tbc: input has {channels} channels, but weight expects {expected}", FaultCode.SHAPE_MISMATCH)
    if equal(bias.shape[0], out) is False:
        raise Fault(
            f"conv_tbc: bias has {bias.shape[0]} elements, but weight has {out} output channels",
            FaultCode.SHAPE_MISMATCH,
        )
    dtype = same_dtype("conv_tbc", input=input, weight=weight)
    return Out((time + 2 * pad - kernel + 1, batch, out), dtype)
