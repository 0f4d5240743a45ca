"""What a layer requires of its inputs: their number of dimensions and the sizes of some of them."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.knowledge.keras.tensors.tensor import Tensor
from cutaway.knowledge.keras.tensors.tree import flatten


@row("keras.InputSpec", "keras.layers.InputSpec", "keras.src.layers.input_spec.InputSpec")
class InputSpec:
    """Sizes and dimensions that an input must have."""

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: Any = None,
        max_ndim: Any = None,
        min_ndim: Any = None,
        axes: Any = None,
        allow_last_axis_squeeze: bool = False,
        name: Any = None,
        optional: bool = False,
    ) -> None:
        self.dtype = dtype
        self.shape = None if shape is None else tuple(shape)
        self.ndim = ndim if shape is None else len(tuple(shape))
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.axes = axes or {}
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        self.name = name
        self.optional = optional


def check(spec: Any, inputs: Any, layer: str) -> None:
    """Raise what Keras raises where the inputs of a layer are not as it requires."""
    if spec is None or isinstance(spec, Unknown):
        return
    specs = flatten(spec)
    given = flatten(inputs)
    if len(given) != len(specs):
        raise ArgumentFault(
            f'layer "{layer}" expects {len(specs)} input(s), but receives {len(given)}', FaultCode.WRONG_INPUT_COUNT
        )
    for index, (wanted, tensor) in enumerate(zip(specs, given)):
        if isinstance(wanted, InputSpec) and isinstance(tensor, Tensor) and not isinstance(tensor._shape, Unknown):
            _check_one(wanted, tensor._shape, f'input {index} of layer "{layer}"')


def _check_one(spec: InputSpec, shape: Any, what: str) -> None:
    rank = len(shape)
    squeezed = spec.allow_last_axis_squeeze and spec.ndim is not None and abs(rank - spec.ndim) == 1
    if spec.ndim is not None and spec.ndim != rank and not squeezed:
        raise ArgumentFault(
            f"{what}: expected {spec.ndim} dimensions, but the input has {rank}: its shape is {text(shape)}",
            FaultCode.WRONG_RANK,
        )
    if spec.max_ndim is not None and rank > spec.max_ndim:
        raise ArgumentFault(
            f"{what}: expected at most {spec.max_ndim} dimensions, but the input has {rank}: its shape is {text(shape)}",
            FaultCode.WRONG_RANK,
        )
    if spec.min_ndim is not None and rank < spec.min_ndim:
        raise ArgumentFault(
            f"{what}: expected at least {spec.min_ndim} dimensions, but the input has {rank}: its shape is {text(shape)}",
            FaultCode.WRONG_RANK,
        )
    for axis, value in spec.axes.items():
        if value is not None and -rank <= int(axis) < rank and equal(shape[int(axis)], value) is False:
            raise ArgumentFault(
                f"{what}: expected size {value} on axis {axis}, but it is {shape[int(axis)]}: "
                f"the input's shape is {text(shape)}",
                FaultCode.SHAPE_MISMATCH,
            )
    if spec.shape is not None and not squeezed:
        for axis, (wanted, size) in enumerate(zip(spec.shape, shape)):
            if wanted is not None and not isinstance(wanted, Unknown) and equal(size, wanted) is False:
                raise ArgumentFault(
                    f"{what}: expected shape {text(spec.shape)}, but the input is {text(shape)}: "
                    f"{wanted} and {size} on axis {axis} differ",
                    FaultCode.SHAPE_MISMATCH,
                )
