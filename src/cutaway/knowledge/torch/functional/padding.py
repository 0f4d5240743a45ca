"""Padding in all its modes."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault, NotImplementedFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal
from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.ops import pad as padding
from cutaway.ops.window import shown

_MODES = ("constant", "reflect", "replicate", "circular")
_NUMPY_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@op("torch.nn.functional.pad", "torch._C._nn.pad")
def pad(input, pad, mode="constant", value=None):
    if not isinstance(mode, Unknown) and mode not in _MODES:
        raise NotImplementedFault(
            f"pad: mode must be one of {', '.join(_MODES)}, but is {mode!r}", FaultCode.INVALID_ARGUMENT
        )
    if mode != "constant":
        _check_rank(mode, input.shape, pad)
        if value is not None and value != 0:
            raise Fault(f"pad: mode {mode} takes no value, but it is {value}", FaultCode.ARGUMENT_CONFLICT)
    return _padded(input, pad, mode, value)


@op("torch.constant_pad_nd")
def constant_pad_nd(input, pad, value=0):
    return _padded(input, pad, "constant", value)


def _padded(input: Any, pad: Any, mode: str, value: Any) -> Out:
    shape = padding.pad("pad", input.shape, pad, mode)
    amounts = [value.item() if hasattr(value, "item") else value for value in pad]
    whole = all(isinstance(amount, int) and amount >= 0 for amount in amounts)
    values = compute(_pad_values, input, amounts, mode, value) if whole else None
    return Out(shape, input.dtype, values)


def _pad_values(np: Any, array: Any, amounts: Any, mode: str, value: Any) -> Any:
    pairs = [(amounts[i], amounts[i + 1]) for i in range(0, len(amounts), 2)]
    widths = [(0, 0)] * (array.ndim - len(pairs)) + pairs[::-1]
    options = {"constant_values": value or 0} if mode == "constant" else {}
    return np.pad(array, widths, mode=_NUMPY_MODES[mode], **options)


def _check_rank(mode: str, shape: Any, pad: Any) -> None:
    """Other modes than constant pad the last one to three dimensions of an input that has a channel before them."""
    dims = len(pad) // 2
    if len(shape) not in (dims + 1, dims + 2) or not 1 <= dims <= 3:
        raise NotImplementedFault(
            f"pad: {mode} padding of the last {dims} dimensions needs an input of {dims + 1} or {dims + 2} dimensions, "
            f"but its shape is {shown(shape)}",
            FaultCode.WRONG_RANK,
        )
    if any(equal(size, 0) is True for size in shape[-dims:]):
        raise Fault(
            f"pad: {mode} padding of an input of shape {shown(shape)} has nothing to repeat", FaultCode.SHAPE_MISMATCH
        )
