"""Pooling: maximum, average, power mean; windowed, adaptive, fractional; and max pooling undone."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.torch.functional.argument import empty, floating
from cutaway.knowledge.torch.tensor.op import Out, op, temporary
from cutaway.knowledge.torch.tensor.promote import float_type
from cutaway.knowledge.torch.tensor.types import int64
from cutaway.ops import pool
from cutaway.ops.norm import fits
from cutaway.ops.window import shown

_F = "torch.nn.functional."


def _with_indices(shape: Any, input: Any, return_indices: Any) -> Any:
    if return_indices:
        return Out(shape, input.dtype), Out(shape, int64)
    return Out(shape, input.dtype, temporaries=[temporary(shape, "int64")])


def _max_pool(rank: int) -> None:
    name = f"max_pool{rank}d"

    def shape_of(input: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: Any) -> Any:
        return pool.pool(name, input.shape, kernel_size, stride, padding, dilation, ceil_mode, rank=rank)

    @op(f"{_F}{name}")
    def max_pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        shape = shape_of(input, kernel_size, stride, padding, dilation, ceil_mode)
        return _with_indices(shape, input, return_indices)

    @op(f"{_F}{name}_with_indices")
    def max_pool_with_indices(
        input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
    ):
        return _with_indices(shape_of(input, kernel_size, stride, padding, dilation, ceil_mode), input, True)

    @op(f"torch.{name}")
    def torch_max_pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
        return _with_indices(shape_of(input, kernel_size, stride, padding, dilation, ceil_mode), input, False)

    @op(f"torch.{name}_with_indices" if rank == 1 else f"torch._C._nn.{name}_with_indices")
    def torch_max_pool_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
        return _with_indices(shape_of(input, kernel_size, stride, padding, dilation, ceil_mode), input, True)


def _avg_pool(rank: int) -> None:
    name = f"avg_pool{rank}d"
    names = (f"{_F}{name}", f"torch.{name}" if rank == 1 else f"torch._C._nn.{name}")

    if rank == 1:

        @op(*names)
        def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
            return Out(pool.pool(name, input.shape, kernel_size, stride, padding, 1, ceil_mode, rank=1), input.dtype)

    else:

        @op(*names)
        def avg_pool(
            input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
        ):
            if divisor_override == 0 and divisor_override is not None:
                raise Fault(f"{name}: divisor_override must not be zero", FaultCode.INVALID_ARGUMENT)
            settings = kernel_size, stride, padding, 1, ceil_mode
            return Out(pool.pool(name, input.shape, *settings, rank=rank, whole=rank == 3), input.dtype)


def _lp_pool(rank: int) -> None:
    name = f"lp_pool{rank}d"

    @op(f"{_F}{name}")
    def lp_pool(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        infinite = isinstance(norm_type, float) and abs(norm_type) == float("inf")
        whole = rank == 3 and not infinite
        shape = pool.pool(name, input.shape, kernel_size, stride, 0, 1, ceil_mode, rank=rank, whole=whole)
        return Out(shape, input.dtype if infinite else float_type(input.dtype))


def _adaptive_max_pool(rank: int) -> None:
    name = f"adaptive_max_pool{rank}d"

    def pooled(input: Any, output_size: Any, return_indices: Any) -> Any:
        shape = pool.adaptive_pool(name, input.shape, output_size, rank=rank)
        if not empty(shape):
            floating(name, input)
        return _with_indices(shape, input, return_indices)

    @op(f"{_F}{name}")
    def adaptive_max_pool(input, output_size, return_indices=False):
        return pooled(input, output_size, return_indices)

    @op(f"{_F}{name}_with_indices")
    def adaptive_max_pool_with_indices(input, output_size, return_indices=False):
        return pooled(input, output_size, True)

    @op(f"torch.{name}" if rank == 1 else f"torch._C._nn.{name}")
    def torch_adaptive_max_pool(input, output_size):
        return pooled(input, output_size, True)


def _adaptive_avg_pool(rank: int) -> None:
    name = f"adaptive_avg_pool{rank}d"

    @op(f"{_F}{name}", f"torch.{name}" if rank == 1 else f"torch._C._nn.{name}")
    def adaptive_avg_pool(input, output_size):
        shape = pool.adaptive_pool(name, input.shape, output_size, rank=rank)
        return Out(shape, input.dtype if empty(shape) else floating(name, input, complex=True))


def _fractional_max_pool(rank: int) -> None:
    name = f"fractional_max_pool{rank}d"

    def pooled(input: Any, kernel_size: Any, output_size: Any, output_ratio: Any, return_indices: Any) -> Any:
        shape = pool.fractional_pool(name, input.shape, kernel_size, output_size, output_ratio, rank=rank)
        floating(name, input)
        return _with_indices(shape, input, return_indices)

    @op(f"{_F}{name}")
    def fractional_max_pool(
        input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
    ):
        return pooled(input, kernel_size, output_size, output_ratio, return_indices)

    @op(f"{_F}{name}_with_indices")
    def fractional_max_pool_with_indices(
        input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
    ):
        return pooled(input, kernel_size, output_size, output_ratio, True)


def _max_unpool(rank: int) -> None:
    name = f"max_unpool{rank}d"

    @op(f"{_F}{name}")
    def max_unpool(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        if indices.dtype is not int64:
            raise Fault(f"{name}: indices must be torch.int64, but are {indices.dtype}", FaultCode.UNSUPPORTED_DTYPE)
        if not fits(input.shape, indices.shape):
            raise Fault(
                f"{name}: input has shape {shown(input.shape)}, but indices have shape {shown(indices.shape)}",
                FaultCode.SHAPE_MISMATCH,
            )
        shape = pool.unpool(name, input.shape, kernel_size, stride, padding, output_size, rank=rank)
        return Out(shape, floating(name, input))


for _rank in (1, 2, 3):
    for _make in (_max_pool, _avg_pool, _lp_pool, _adaptive_max_pool, _adaptive_avg_pool, _max_unpool):
        _make(_rank)
for _rank in (2, 3):
    _fractional_max_pool(_rank)
