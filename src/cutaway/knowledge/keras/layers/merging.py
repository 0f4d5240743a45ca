"""Layers that merge several inputs, and the functions that make and call them."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault, IndexFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import TABLE, KnownModule, register
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.ops.elementwise import broadcast_size

ops = KnownModule("keras.ops")


class Merge(Layer):
    """What merging layers share."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def _checked(self, inputs: Any) -> list[Any]:
        if isinstance(inputs, Unknown):
            raise Undecidable(inputs)
        if not isinstance(inputs, (list, tuple)):
            raise ArgumentFault(
                f'layer "{self.name}": a merging layer needs a list of inputs, but gets {type(inputs).__name__}',
                FaultCode.WRONG_TYPE,
            )
        return list(inputs)

    def call(self, inputs: Any) -> Any:
        tensors = self._checked(inputs)
        ranks = [len(_shape(t)) for t in tensors]
        for number, tensor in enumerate(tensors):
            for _ in range(max(ranks) - ranks[number]):
                tensor = ops.expand_dims(tensor, axis=1)
            tensors[number] = tensor
        self._check_sizes(tensors)
        return self._merge_function(tensors)

    def _check_sizes(self, tensors: list[Any]) -> None:
        first = _shape(tensors[0])
        for number, tensor in enumerate(tensors[1:], 1):
            for axis, (left, right) in enumerate(zip(first, _shape(tensor))):
                if broadcast_size(left, right) is None:
                    raise ArgumentFault(
                        f'layer "{self.name}": inputs 0 and {number} can\'t be merged: their shapes are {text(first)} '
                        f"and {text(_shape(tensor))}, with {left} and {right} on axis {axis}",
                        FaultCode.SHAPE_MISMATCH,
                    )

    def _merge_function(self, inputs: list[Any]) -> Any:
        raise NotImplementedError

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if mask is None or any(m is None for m in mask):
            return None
        found = mask[0]
        for other in mask[1:]:
            found = ops.logical_or(found, other)
        return found


def _shape(tensor: Any) -> Any:
    if isinstance(tensor, Unknown):
        raise Undecidable(tensor)
    if isinstance(tensor._shape, Unknown):
        raise Undecidable(tensor._shape)
    return tensor._shape


def _folded(name: str) -> Any:
    def merge(self: Any, inputs: list[Any]) -> Any:
        output = inputs[0]
        for other in inputs[1:]:
            output = getattr(ops, name)(output, other)
        return output

    return merge


def _make(name: str, function: str) -> None:
    cls = type(
        name,
        (Merge,),
        {"_merge_function": _folded(function), "__init__": lambda self, **kwargs: Merge.__init__(self, **kwargs)},
    )
    cls.__doc__ = f"Merges by {function}."
    layer(home=f"merging.{name.lower()}")(cls)


for _name, _function in (("Add", "add"), ("Multiply", "multiply"), ("Maximum", "maximum"), ("Minimum", "minimum")):
    _make(_name, _function)


@layer(home="merging.average")
class Average(Merge):
    """The mean of the inputs."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def _merge_function(self, inputs):
        output = inputs[0]
        for other in inputs[1:]:
            output = ops.add(output, other)
        return ops.divide(output, len(inputs))


@layer(home="merging.subtract")
class Subtract(Merge):
    """The first input without the second."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def _merge_function(self, inputs):
        if len(inputs) != 2:
            raise ArgumentFault(
                f'layer "{self.name}": Subtract takes 2 inputs, but gets {len(inputs)}', FaultCode.WRONG_INPUT_COUNT
            )
        return ops.subtract(inputs[0], inputs[1])


@layer(home="merging.concatenate")
class Concatenate(Merge):
    """The inputs one after the other."""

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs):
        tensors = self._checked(inputs)
        first = _shape(tensors[0])
        for number, tensor in enumerate(tensors[1:], 1):
            shape = _shape(tensor)
            if len(shape) != len(first):
                raise ArgumentFault(
                    f'layer "{self.name}": inputs must have the same number of dimensions, but input 0 is '
                    f"{text(first)} and input {number} is {text(shape)}",
                    FaultCode.WRONG_RANK,
                )
            for axis, (left, right) in enumerate(zip(first, shape)):
                if axis != self.axis % len(first) and equal(left, right) is False:
                    raise ArgumentFault(
                        f'layer "{self.name}": inputs must match except on axis {self.axis}, but input 0 is {text(first)} '
                        f"and input {number} is {text(shape)}: {left} and {right} on axis {axis} differ",
                        FaultCode.SHAPE_MISMATCH,
                    )
        return ops.concatenate(tensors, axis=self.axis)

    def compute_mask(self, inputs, mask=None):
        return None


@layer(home="merging.dot")
class Dot(Merge):
    """A product of two inputs, sample by sample."""

    def __init__(self, axes, normalize=False, **kwargs):
        super().__init__(**kwargs)
        self.axes = axes if isinstance(axes, int) else list(axes)
        self.normalize = normalize

    def call(self, inputs):
        tensors = self._checked(inputs)
        if len(tensors) != 2:
            raise ArgumentFault(
                f'layer "{self.name}": Dot takes 2 inputs, but gets {len(tensors)}', FaultCode.WRONG_INPUT_COUNT
            )
        left, right = _shape(tensors[0]), _shape(tensors[1])
        a, b = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        if not -len(left) <= a < len(left) or not -len(right) <= b < len(right):
            raise IndexFault(
                f'layer "{self.name}": axes {a} and {b} are out of range for {text(left)} and {text(right)}',
                FaultCode.SHAPE_MISMATCH,
            )
        a, b = a % len(left), b % len(right)
        if equal(left[a], right[b]) is False:
            raise ArgumentFault(
                f'layer "{self.name}": sizes {left[a]} on axis {a} of {text(left)} and {right[b]} on axis {b} of '
                f"{text(right)} differ",
                FaultCode.SHAPE_MISMATCH,
            )
        one, two = [chr(98 + i) for i in range(len(left))], [chr(110 + i) for i in range(len(right))]
        one[0] = two[0] = "a"
        one[a] = two[b] = "z"
        kept = [s for i, s in enumerate(one) if i != a] + [s for i, s in enumerate(two) if i not in (0, b)]
        made = ops.einsum(f"{''.join(one)},{''.join(two)}->{''.join(kept)}", *tensors)
        return ops.expand_dims(made, axis=1) if len(kept) == 1 else made

    def compute_mask(self, inputs, mask=None):
        return None


def _merging(name: str, cls: str) -> None:
    if name == "dot":

        def merge(inputs: Any, axes: Any = -1, **kwargs: Any) -> Any:
            return TABLE["keras.layers.Dot"](axes=axes, **kwargs)(inputs)

    elif name == "concatenate":

        def merge(inputs: Any, axis: Any = -1, **kwargs: Any) -> Any:  # type: ignore[misc]
            return TABLE["keras.layers.Concatenate"](axis=axis, **kwargs)(inputs)

    else:

        def merge(inputs: Any, **kwargs: Any) -> Any:  # type: ignore[misc]
            return TABLE[f"keras.layers.{cls}"](**kwargs)(inputs)

    merge.__name__ = name
    for start in ("keras.layers", "keras.src.layers"):
        register(f"{start}.{name}", merge)


for _cls in ("Add", "Multiply", "Maximum", "Minimum", "Average", "Subtract", "Concatenate", "Dot"):
    _merging(_cls.lower(), _cls)
