"""The modules of `einops.layers.torch`."""

from __future__ import annotations

import string
from typing import Any

from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size
from cutaway.knowledge.base.registry import TABLE, register
from cutaway.knowledge.einops.functions import rearrange, reduce
from cutaway.knowledge.torch.nn.module import Module
from cutaway.knowledge.torch.nn.parameter import Parameter
from cutaway.knowledge.torch.tensor.tensor import new
from cutaway.ops import pattern as patterns
from cutaway.ops.pattern import ELLIPSIS, Expression, PatternFault


def _layer(cls: type) -> type:
    cls.__module__ = "einops.layers.torch"
    return register(f"einops.layers.torch.{cls.__name__}", cls)


def _shown(name: str, *words: str, **lengths: Any) -> str:
    return f"{name}({', '.join([*map(repr, words), *(f'{k}={v}' for k, v in lengths.items())])})"


@_layer
class Rearrange(Module):
    """`einops.rearrange` as a module."""

    def __init__(self, pattern: str, **axes_lengths: Any) -> None:
        super().__init__()
        self.pattern = pattern
        self.axes_lengths = axes_lengths
        patterns.sides(pattern, "rearrange", list(axes_lengths))

    def forward(self, input: Any) -> Any:
        return rearrange(input, self.pattern, **self.axes_lengths)

    def __repr__(self) -> str:
        return _shown(type(self).__name__, self.pattern, **self.axes_lengths)


@_layer
class Reduce(Module):
    """`einops.reduce` as a module."""

    def __init__(self, pattern: str, reduction: Any, **axes_lengths: Any) -> None:
        super().__init__()
        self.pattern = pattern
        self.reduction = reduction
        self.axes_lengths = axes_lengths
        patterns.sides(pattern, reduction, list(axes_lengths))

    def forward(self, input: Any) -> Any:
        return reduce(input, self.pattern, self.reduction, **self.axes_lengths)

    def __repr__(self) -> str:
        return _shown(type(self).__name__, self.pattern, self.reduction, **self.axes_lengths)


@_layer
class EinMix(Module):
    """A product with a weight, both sides named by a pattern, with axes composed before and after."""

    def __init__(self, pattern: str, weight_shape: str, bias_shape: str | None = None, **axes_lengths: Any) -> None:
        super().__init__()
        self.pattern = pattern
        self.weight_shape = weight_shape
        self.bias_shape = bias_shape
        self.axes_lengths = axes_lengths
        self.initialize_einmix(pattern, weight_shape, bias_shape, axes_lengths)

    def initialize_einmix(
        self, pattern: str, weight_shape: str, bias_shape: str | None, axes_lengths: dict[str, Any]
    ) -> None:
        left_pattern, right_pattern = pattern.split("->")
        left, right, weight = (patterns.parse(p) for p in (left_pattern, right_pattern, weight_shape))
        _check(pattern, left, right, weight, axes_lengths)
        self.pre_rearrange = None
        if any(len(group) != 1 for group in left.groups):
            used = {axis: size for axis, size in axes_lengths.items() if axis in left.axes}
            self.pre_rearrange = Rearrange(f"{left_pattern}-> {_flat(left)}", **used)
        self.post_rearrange = None
        if any(len(group) != 1 for group in right.groups) or right.parenthesised_ellipsis:
            self.post_rearrange = Rearrange(f"{_flat(right)} ->{right_pattern}")
        self.weight = Parameter(new([axes_lengths[axis] for axis in weight.axes]))
        self.bias = None if bias_shape is None else Parameter(new(_bias(pattern, right, bias_shape, axes_lengths)))
        axes = sorted({*left.axes, *right.axes, *weight.axes} - {ELLIPSIS})
        letters = {**dict(zip(axes, string.ascii_lowercase)), ELLIPSIS: "..."}
        sides = ("".join(letters[axis] for axis in side.axes) for side in (left, weight, right))
        self.einsum_pattern = "{},{}->{}".format(*sides)

    def forward(self, input: Any) -> Any:
        if self.pre_rearrange is not None:
            input = self.pre_rearrange(input)
        result = TABLE["torch.einsum"](self.einsum_pattern, input, self.weight)
        if self.bias is not None:
            result += self.bias
        if self.post_rearrange is not None:
            result = self.post_rearrange(result)
        return result

    def __repr__(self) -> str:
        words = [self.pattern, self.weight_shape, *([] if self.bias_shape is None else [self.bias_shape])]
        return _shown(type(self).__name__, *words, **self.axes_lengths)


def _check(pattern: str, left: Expression, right: Expression, weight: Expression, axes_lengths: dict[str, Any]) -> None:
    def forbid(axes: set[str], message: str) -> None:
        if axes:
            raise PatternFault(f"EinMix {pattern!r}: {message} {', '.join(sorted(axes))}", FaultCode.INVALID_ARGUMENT)

    inputs, outputs, weights = set(left.axes), set(right.axes), set(weight.axes)
    forbid(outputs - inputs - weights, "neither the input nor the weight has")
    if ELLIPSIS in weights:
        raise PatternFault(f"EinMix {pattern!r}: the weight's shape can't have an ellipsis", FaultCode.INVALID_ARGUMENT)
    if (ELLIPSIS in inputs) != (ELLIPSIS in outputs) or left.parenthesised_ellipsis:
        raise PatternFault(
            f"EinMix {pattern!r}: an ellipsis must be on both sides, and on the left not in parentheses",
            FaultCode.INVALID_ARGUMENT,
        )
    if left.anonymous or right.anonymous or weight.anonymous:
        raise PatternFault(f"EinMix {pattern!r}: numbers are not allowed", FaultCode.INVALID_ARGUMENT)
    if any(len(group) != 1 for group in weight.groups):
        raise PatternFault(f"EinMix {pattern!r}: the weight's shape can't have parentheses", FaultCode.INVALID_ARGUMENT)
    forbid(weights - set(axes_lengths), "no size is given for the weight's")
    forbid(set(axes_lengths) - inputs - weights, "sizes are given for unused")
    forbid(weights - inputs - outputs, "neither side has the weight's")


def _flat(side: Expression) -> str:
    return " ".join(side.axes).replace(ELLIPSIS, "...")


def _bias(pattern: str, right: Expression, bias_shape: str, axes_lengths: dict[str, Any]) -> list[Size]:
    """Return the bias' shape: the sizes of its axes, and 1 for the output's others after the ellipsis."""
    axes = set(patterns.parse(bias_shape).axes)
    for missing, message in ((axes - set(right.axes), "the output lacks"), (axes - set(axes_lengths), "no size for")):
        if missing:
            names = ", ".join(sorted(missing))
            raise PatternFault(f"EinMix {pattern!r}: {message} the bias' {names}", FaultCode.INVALID_ARGUMENT)
    shape: list[Size] = []
    for axis in right.axes:
        if axis == ELLIPSIS:
            if any(a in axes for a in right.axes[: right.axes.index(ELLIPSIS)]):
                raise PatternFault(
                    f"EinMix {pattern!r}: all axes of the bias must follow the ellipsis", FaultCode.INVALID_ARGUMENT
                )
        else:
            shape.append(axes_lengths[axis] if axis in axes else 1)
    return shape
