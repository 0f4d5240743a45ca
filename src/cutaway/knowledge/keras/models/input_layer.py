"""`keras.Input` and the layer that it makes."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.models.graph import Node
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.tensors.dtypes import standardize
from cutaway.knowledge.keras.tensors.shape import sizes_of, symbolic
from cutaway.knowledge.keras.tensors.tensor import KerasTensor, keras_tensor


@layer(home="core.input_layer")
class InputLayer(Layer):
    """The place of an input in a model."""

    def __init__(
        self,
        shape: Any = None,
        batch_size: Any = None,
        dtype: Any = None,
        sparse: Any = None,
        ragged: Any = None,
        batch_shape: Any = None,
        input_tensor: Any = None,
        optional: bool = False,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name)
        shape = kwargs.pop("input_shape", shape)
        batch_shape = kwargs.pop("batch_input_shape", batch_shape)
        if input_tensor is not None:
            if not isinstance(input_tensor, KerasTensor):
                raise ArgumentFault("Input: tensor must be a KerasTensor", FaultCode.WRONG_TYPE)
            sizes, dtype = input_tensor._shape, input_tensor._dtype
        else:
            if shape is not None and batch_shape is not None:
                raise ArgumentFault("Input: shape and batch_shape can't both be given", FaultCode.ARGUMENT_CONFLICT)
            if shape is None and batch_shape is None:
                raise ArgumentFault("Input: a shape is needed", FaultCode.MISSING_ARGUMENT)
            if shape is not None:
                batch_shape = shape if isinstance(shape, Unknown) else (batch_size, *_sizes(shape))
            sizes = symbolic(batch_shape if isinstance(batch_shape, Unknown) else _sizes(batch_shape), self.name)  # type: ignore[attr-defined]
        fields = self.__dict__
        fields["_dtype"] = standardize(dtype)
        fields["sparse"] = bool(sparse)
        fields["ragged"] = bool(ragged)
        fields["optional"] = optional
        fields["built"] = True
        if input_tensor is None:
            input_tensor = keras_tensor(sizes, fields["_dtype"], name=name or None)
        fields["_input_tensor"] = input_tensor
        Node(self, (), {}, input_tensor)

    def call(self) -> None:
        return None

    @property
    def batch_shape(self) -> Any:
        return self.__dict__["_input_tensor"].shape

    @property
    def dtype(self) -> Any:
        return self.__dict__["_dtype"]

    def get_config(self) -> dict[str, Any]:
        config = {"batch_shape": self.batch_shape, "dtype": str(self.dtype), "sparse": self.sparse}  # type: ignore[attr-defined]
        return {**config, "ragged": self.ragged, "name": self.name, "optional": self.optional}  # type: ignore[attr-defined]


def _sizes(shape: Any) -> tuple[Any, ...]:
    if not isinstance(shape, (list, tuple)) and not hasattr(shape, "sizes"):
        raise TypeError(f"'{type(shape).__name__}' object is not iterable")
    return sizes_of(shape)


@row("keras.Input", "keras.layers.Input", "keras.src.layers.Input", "keras.src.layers.core.input_layer.Input")
def Input(
    shape: Any = None,
    batch_size: Any = None,
    dtype: Any = None,
    sparse: Any = None,
    ragged: Any = None,
    batch_shape: Any = None,
    name: Any = None,
    tensor: Any = None,
    optional: bool = False,
    **former: Any,
) -> Any:
    """Make a symbolic tensor that a model starts from."""
    if isinstance(name, Unknown):
        raise Undecidable(name)
    return InputLayer(shape, batch_size, dtype, sparse, ragged, batch_shape, tensor, optional, name, **former).output
