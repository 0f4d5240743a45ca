"""`keras.Sequential`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.loop.series import Series
from cutaway.core.protocols import CONTAINER
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.models.input_layer import InputLayer
from cutaway.knowledge.keras.models.layer import Layer
from cutaway.knowledge.keras.models.layers_in_loops import count, outside, turns_of
from cutaway.knowledge.keras.models.model import Functional, Model
from cutaway.knowledge.keras.tensors.masking import masks_of
from cutaway.knowledge.keras.tensors.shape import sizes_of, text
from cutaway.knowledge.keras.tensors.tensor import KerasTensor, Tensor, any_symbolic


@CONTAINER
@row(
    "keras.Sequential",
    "keras.models.Sequential",
    "keras.src.models.Sequential",
    "keras.src.models.sequential.Sequential",
)
class Sequential(Model):
    """A stack of layers."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return Layer.__new__(cls, *args, **kwargs)

    def __init__(self, layers: Any = None, trainable: Any = True, name: Any = None) -> None:
        Layer.__init__(self, trainable=trainable, name=name)
        self.__dict__["_functional"] = None
        if isinstance(layers, Unknown):
            self.mark_incomplete(layers)
        elif isinstance(layers, Series) or layers:
            for each in layers.every if isinstance(layers, Series) else layers:
                self.add(each, rebuild=False)
            self._maybe_rebuild()

    @property
    def _graph(self) -> Any:  # type: ignore[override]
        functional = self.__dict__.get("_functional")
        return None if functional is None else functional._graph

    @property
    def layers(self) -> list[Any]:
        held = self._layers
        return held[1:] if held and isinstance(held[0], InputLayer) else held[:]

    def add(self, layer: Any, rebuild: bool = True) -> None:
        if isinstance(layer, Unknown):
            self.mark_incomplete(layer)
            return
        held = self._layers
        if not held:
            batch = getattr(layer, "__dict__", {}).get("_batch_input_shape_arg")
            shape = getattr(layer, "__dict__", {}).get("_input_shape_arg")
            if batch is not None:
                self.add(InputLayer(batch_shape=batch))
            elif shape is not None:
                self.add(InputLayer(shape=shape))
        if isinstance(layer, KerasTensor) and isinstance(layer._keras_history.operation, InputLayer):
            layer = layer._keras_history.operation
        if not isinstance(layer, Layer):
            raise ArgumentFault(
                f"Sequential: only layers can be added, but one is of type {type(layer).__name__}",
                FaultCode.WRONG_TYPE,
            )
        if any(each is not layer and each.name == layer.name for each in held):  # type: ignore[attr-defined]
            raise ArgumentFault(
                f"Sequential: two layers are named {layer.name!r}; names must be unique",
                FaultCode.DUPLICATE_NAME,  # type: ignore[attr-defined]
            )
        if isinstance(layer, InputLayer) and held and isinstance(held[0], InputLayer):
            raise ArgumentFault(
                f"Sequential: the input shape is {text(held[0].batch_shape)} already; no other Input can be added",
                FaultCode.INVALID_ARGUMENT,
            )
        held.append(layer)
        missing = self.__dict__.get("_incomplete")
        if missing is not None:  # what comes before it is not known
            layer.mark_incomplete(missing)
        if rebuild and missing is None:
            self._maybe_rebuild()
        else:
            self.__dict__.update(built=False, _functional=None)

    def pop(self, rebuild: bool = True) -> Any:
        removed = self._layers.pop()
        self.__dict__.update(built=False, _functional=None)
        if rebuild and self._layers:
            self._maybe_rebuild()
        return removed

    def _maybe_rebuild(self) -> None:
        self.__dict__.update(built=False, _functional=None)
        held = self._layers
        if len(held) < 2:
            return
        if isinstance(held[0], InputLayer):
            self.build(held[0].batch_shape)
        elif isinstance(held[0], Model) and held[0]._graph is not None:
            self.build(held[0].input_shape)

    def build(self, input_shape: Any = None) -> None:
        if isinstance(input_shape, (dict, type(None), Unknown)) or any(
            isinstance(s, (list, tuple)) for s in input_shape
        ):
            return
        held = self._layers
        if "_incomplete" in self.__dict__:
            return
        if not held:
            raise ArgumentFault(f"Sequential model {self.name} has no layers to build", FaultCode.MISSING_ARGUMENT)  # type: ignore[attr-defined]
        if not isinstance(held[0], InputLayer):
            held.insert(0, InputLayer(batch_shape=sizes_of(input_shape), dtype=held[0].compute_dtype))
        elif tuple(held[0].batch_shape) != tuple(input_shape):
            raise ArgumentFault(
                f"Sequential model {self.name}: its input shape is {text(held[0].batch_shape)}; "  # type: ignore[attr-defined]
                f"it can't be built with {text(tuple(input_shape))}",
                FaultCode.SHAPE_MISMATCH,
            )
        inputs = held[0].output
        x = inputs
        with outside():
            for each in self._followed(lambda: x):  # noqa: B023
                x = each(x)
        self.__dict__["_functional"] = functional = Functional(inputs=inputs, outputs=x)
        self.__dict__["_inputs_struct"] = functional.__dict__["_inputs_struct"]
        self.__dict__["_outputs_struct"] = functional.__dict__["_outputs_struct"]

    def call(self, inputs: Any, training: Any = None, mask: Any = None, **kwargs: Any) -> Any:
        if self._graph is not None:
            return self.run_graph(inputs, training)
        if "_incomplete" in self.__dict__:
            raise Undecidable(self.__dict__["_incomplete"])
        outputs = inputs
        for each in self._followed(lambda: outputs):  # noqa: B023
            named: dict[str, Any] = {}
            parameters = each._call_parameters()
            if "mask" in parameters and mask is not None:
                named["mask"] = mask
            if "training" in parameters and training is not None:
                named["training"] = training
            outputs = each(outputs, **named)
            mask = masks_of(outputs)
        return outputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        fields = self.__dict__
        outside = fields.get("_is_symbolic", False)
        fields["_is_symbolic"] = any_symbolic(args) and not fields.get("_is_fed")
        try:
            return Layer.__call__(self, *args, **kwargs)
        finally:
            fields["_is_symbolic"] = outside

    def _compares_sizes(self) -> bool:
        """Keras compares those of symbolic inputs only: its layers are called on others, of whatever size."""
        return bool(self.__dict__.get("_is_symbolic"))

    def _followed(self, made: Callable[[], Any]) -> Iterator[Any]:
        """Yield the layers; those that a loop repeats have to leave the shape as they find it, once it has ended."""
        active = session.current().iterations
        for turns, layers in itertools.groupby(self.layers, key=turns_of):
            before = made()
            yield from layers
            if turns and not any(one in active for one in turns) and _shape(before) != _shape(made()):
                raise Undecidable(Unknown(f"what {count(turns)} times some layers make of a shape that they change"))

    def held_children(self) -> Any:
        """Return what a loop may add to, as it is before a turn."""
        return len(self._layers), None if self._graph is None else _shape(self._graph.outputs[0])

    def repeat_children(self, before: Any, _count: Any, _index: str) -> bool:
        """Tell whether what a turn has added comes with each: it is made in the turn, and leaves the shape as it was."""
        held, shape = before
        added = self._layers[held:]
        if not added:
            return True
        return all(turns_of(layer) for layer in added) and self.held_children()[1] == shape

    def _maybe_build(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not self.__dict__.get("built"):
            Layer._maybe_build(self, args, kwargs)

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        listed = config.get("layers") if isinstance(config, dict) else None
        if isinstance(listed, list) and any(isinstance(each, dict) for each in listed):
            return Unknown("Sequential.from_config makes layers from their configurations, which is not followed")
        return super().from_config(config)

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name, "layers": [{"class_name": type(each).__name__} for each in self._layers]}  # type: ignore[attr-defined]


def _shape(tensor: Any) -> Any:
    return tensor._shape if isinstance(tensor, Tensor) else tensor


Sequential.__module__, Sequential.__qualname__ = "keras.src.models.sequential", "Sequential"
