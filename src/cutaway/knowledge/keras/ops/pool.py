"""Pooling, with channels last or first."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.keras.models.state import standardize_data_format
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.ops.conv import channels_first, restored
from cutaway.knowledge.keras.tensors.op import Out, op
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.ops import pool as rule


def pooled(name: str, inputs: Any, pool_size: Any, strides: Any, padding: Any, data_format: Any) -> Out:
    """Pool over the spatial dimensions."""
    x = known_rank(inputs)
    if len(x._shape) < 3:
        raise ArgumentFault(
            f"{name}: the input needs at least 3 dimensions, but is {text(x._shape)}", FaultCode.WRONG_RANK
        )
    order = standardize_data_format(data_format)
    shape = channels_first(x._shape, order)
    rank = len(shape) - 2
    way = str(padding).lower()
    if way not in ("same", "valid"):
        raise ArgumentFault(
            f"{name}: padding must be 'valid' or 'same', but is {padding!r}", FaultCode.INVALID_ARGUMENT
        )
    made = rule.pool(name, shape, pool_size, strides, "spread" if way == "same" else 0, rank=rank)
    return Out(restored(made, order), x._dtype)


@op("keras.ops.max_pool")
def max_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    return pooled("max_pool", inputs, pool_size, strides, padding, data_format)


@op("keras.ops.average_pool")
def average_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    return pooled("average_pool", inputs, pool_size, strides, padding, data_format)


def _adaptive(name: str, inputs: Any, output_size: Any, data_format: Any) -> Out:
    x = known_rank(inputs)
    order = standardize_data_format(data_format)
    shape = channels_first(x._shape, order)
    return Out(restored(rule.adaptive_pool(name, shape, output_size, rank=len(shape) - 2), order), x._dtype)


@op("keras.ops.adaptive_average_pool")
def adaptive_average_pool(inputs, output_size, data_format=None):
    return _adaptive("adaptive_average_pool", inputs, output_size, data_format)


@op("keras.ops.adaptive_max_pool")
def adaptive_max_pool(inputs, output_size, data_format=None):
    return _adaptive("adaptive_max_pool", inputs, output_size, data_format)
