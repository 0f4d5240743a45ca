"""`keras.Model`, functional and subclassed."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import KnownModule, row
from cutaway.knowledge.keras.models.graph import Graph, Node, made_by
from cutaway.knowledge.keras.models.input_layer import Input, InputLayer
from cutaway.knowledge.keras.models.layer import Layer, map_shapes
from cutaway.knowledge.keras.tensors.op import symbolic_result
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.knowledge.keras.tensors.tensor import KerasTensor, Tensor, convert, plain
from cutaway.knowledge.keras.tensors.tree import flatten, map_structure, pack_sequence_as
from cutaway.knowledge.keras.training.fit import Trainer, mention
from cutaway.knowledge.keras.training.saving import Saving


def _is_functional(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell whether the arguments of a model are its inputs and outputs."""
    one = len(args) == 1 and "outputs" in kwargs
    return len(args) == 2 or one or ("inputs" in kwargs and "outputs" in kwargs)


@row("keras.Model", "keras.models.Model", "keras.src.Model", "keras.src.models.Model", "keras.src.models.model.Model")
class Model(Trainer, Saving, Layer):
    """A network: of a graph between symbolic tensors, or with a `call` of its own."""

    _graph: Graph | None = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is Model and _is_functional(args, kwargs):
            return Functional.__new__(Functional, *args, **kwargs)
        return Layer.__new__(cls, *args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if _is_functional(args, kwargs):
            _functional(self, *args, **kwargs)
        else:
            Layer.__init__(self, *args, **kwargs)

    @property
    def layers(self) -> list[Any]:
        if self._graph is not None:
            return [operation for operation in self._graph.operations if isinstance(operation, Layer)]
        return list(self._layers)

    @property
    def operations(self) -> list[Any]:
        return list(self._graph.operations) if self._graph is not None else []

    def get_layer(self, name: Any = None, index: Any = None) -> Any:
        layers = self.layers
        for value in (name, index):
            if isinstance(value, Unknown):
                raise Undecidable(value)
        if index is not None:
            if len(layers) <= index:
                raise ArgumentFault(
                    f"get_layer: index {index}, but the model has {len(layers)} layers", FaultCode.NO_SUCH_LAYER
                )
            return layers[index]
        for each in layers:
            if each.name == name:
                return each
        if "_incomplete" in self.__dict__:
            return self.__dict__["_incomplete"]
        names = ", ".join(each.name for each in layers[:20])
        raise ArgumentFault(f"get_layer: no layer is named {name!r}; there are {names}", FaultCode.NO_SUCH_LAYER)

    # Functional models

    @property
    def inputs(self) -> Any:
        if self._graph is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute 'inputs'")
        return self._graph.inputs

    @property
    def outputs(self) -> Any:
        if self._graph is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute 'outputs'")
        return self._graph.outputs

    @property
    def input(self) -> Any:
        return self.__dict__["_inputs_struct"] if self._graph is not None else super().input

    @property
    def output(self) -> Any:
        return self.__dict__["_outputs_struct"] if self._graph is not None else super().output

    @property
    def input_names(self) -> list[str]:
        return [tensor._keras_history.operation.name for tensor in self.inputs]

    @property
    def output_names(self) -> list[str]:
        return [tensor._keras_history.operation.name for tensor in self.outputs]

    @property
    def input_shape(self) -> Any:
        shapes = [tensor.shape for tensor in self.inputs]
        return shapes[0] if len(shapes) == 1 else shapes

    @property
    def output_shape(self) -> Any:
        shapes = [tensor.shape for tensor in self.outputs]
        return shapes[0] if len(shapes) == 1 else shapes

    def call(self, inputs: Any, training: Any = None, mask: Any = None, **kwargs: Any) -> Any:
        if self._graph is None:
            raise NotImplementedError(f"Model {type(self).__name__} does not have a `call()` method implemented.")
        return self.run_graph(inputs, training)

    def run_graph(self, inputs: Any, training: Any = None) -> Any:
        """Return what the graph makes of inputs."""
        assert self._graph is not None

        def operate(operation: Any, *args: Any, **kwargs: Any) -> Any:
            if training is not None and isinstance(operation, Layer) and "training" in operation._call_parameters():
                kwargs["training"] = training
            return operation(*args, **kwargs)

        found = self._graph.run(self._standardized(inputs), operate)
        lost = self.__dict__.get("_lost")
        if lost is not None:
            if self.__dict__.get("_returns_lost"):  # the graph has further outputs, which are not the model's
                return lost[0] if len(lost) == 1 else lost
            return [*found, *lost] if found else lost[0]
        made = pack_sequence_as(self.__dict__["_outputs_struct"], found)
        return made[0] if isinstance(made, (list, tuple)) and len(made) == 1 else made

    def _standardized(self, inputs: Any) -> list[Any]:
        """Return the inputs in the order of the graph's, checked against them."""
        if isinstance(inputs, Unknown):
            raise Undecidable(inputs)
        wanted = self.inputs
        if isinstance(inputs, dict) and not isinstance(self.__dict__["_inputs_struct"], dict):
            named = [tensor._keras_history.operation.name for tensor in wanted]
            if set(named) <= set(inputs):
                inputs = [inputs[name] for name in named]
        elif isinstance(inputs, dict) and set(self.__dict__["_inputs_struct"]) < set(inputs):
            inputs = {key: inputs[key] for key in self.__dict__["_inputs_struct"]}
        given = flatten(inputs)
        if len(given) != len(wanted):
            raise ArgumentFault(
                f'model "{self.name}" takes {len(wanted)} inputs, but receives {len(given)}',
                FaultCode.WRONG_INPUT_COUNT,  # type: ignore[attr-defined]
            )
        compared = self._compares_sizes()
        return [_fitting(value, reference, compared) for value, reference in zip(given, wanted)]

    def _compares_sizes(self) -> bool:
        """Tell whether the sizes of inputs have to be those that the graph was made for."""
        return True

    def compute_output_shape(self, input_shape: Any) -> Any:
        made = self.compute_output_spec(map_shapes(input_shape))
        return map_structure(lambda t: t.shape if isinstance(t, Tensor) else t, made)

    def compute_output_spec(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        here = session.current()
        outside, here.recording = here.recording, False
        try:
            return symbolic_result(self.call(plain(inputs)))
        finally:
            here.recording = outside

    def build(self, input_shape: Any = None) -> None:
        """Build a subclassed model by calling it on symbolic tensors of this shape."""
        if self._graph is None and input_shape is not None and not self.__dict__.get("_building"):
            self.__dict__["_building"] = True
            inputs = map_shapes(input_shape)
            self.__dict__.setdefault("_called_with", (inputs,))
            try:
                self.compute_output_spec(inputs)
            finally:
                self.__dict__["_building"] = False
        self.__dict__["built"] = True

    def _maybe_build(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if type(self).build is not Model.build:
            super()._maybe_build(args, kwargs)
        self.__dict__["built"] = True

    def get_config(self) -> dict[str, Any]:
        if self._graph is None:
            return super().get_config()
        layers = [{"class_name": type(each).__name__, "name": each.name} for each in self.layers]
        return {"name": self.name, "trainable": self.trainable, "layers": layers}  # type: ignore[attr-defined]

    def summary(self, *args: Any, print_fn: Any = None, **kwargs: Any) -> None:
        """It only prints."""
        mention(self)

    def get_metrics_result(self) -> dict[str, Any]:
        return {}


def _fitting(value: Any, reference: KerasTensor, compares_sizes: bool) -> Any:
    """Return an input in the rank and type of the graph's own, or raise a fault that names both shapes."""
    if value is None or isinstance(value, Unknown):
        return value
    tensor = convert(value)
    if tensor._dtype.is_floating != reference._dtype.is_floating and tensor._dtype != "string":
        tensor = convert(tensor, reference._dtype)
    wanted, sizes = reference._shape, tensor._shape
    if isinstance(wanted, Unknown) or isinstance(sizes, Unknown):
        return tensor
    ops = KnownModule("keras.ops")
    if len(sizes) == len(wanted) + 1 and equal(sizes[-1], 1) is True:
        return ops.squeeze(tensor, axis=-1)
    if len(sizes) == len(wanted) - 1 and equal(wanted[-1], 1) is True:
        return ops.expand_dims(tensor, axis=-1)
    name = reference._keras_history.operation.name
    if len(sizes) != len(wanted):
        raise ArgumentFault(
            f'input "{name}": expected shape {text(wanted)}, but the input has shape {text(sizes)}',
            FaultCode.WRONG_RANK,
        )
    if not compares_sizes:
        return tensor
    compared = wanted[:-1] if wanted and equal(wanted[-1], 1) is True else wanted  # Keras may squeeze the last axis
    for axis, (size, expected) in enumerate(zip(sizes, compared)):
        if axis and isinstance(expected, int) and equal(size, expected) is False:
            raise ArgumentFault(
                f'input "{name}": expected shape {text(wanted)}, but the input has shape {text(sizes)}: '
                f"{expected} and {size} on axis {axis} differ",
                FaultCode.SHAPE_MISMATCH,
            )
    return tensor


def _functional(
    model: Any, inputs: Any = None, outputs: Any = None, name: Any = None, trainable: Any = None, **kwargs: Any
) -> None:
    """Make a model of the graph between symbolic tensors."""
    Layer.__init__(model, name=name, **kwargs)
    fields = model.__dict__
    unknown = next((v for v in flatten((inputs, outputs)) if isinstance(v, Unknown)), None)
    if unknown is not None:
        model.mark_incomplete(unknown)
        inputs = [v for v in flatten(inputs) if isinstance(v, KerasTensor)]
        if not inputs:
            raise Undecidable(unknown)
        fields["_lost"] = [v for v in flatten(outputs) if isinstance(v, Unknown)] or [unknown]
        outputs = [v for v in flatten(outputs) if isinstance(v, KerasTensor)]
    for what, values in (("inputs", inputs), ("outputs", outputs)):
        if unknown is None and not flatten(values):
            raise ArgumentFault(f"Model: there are no {what}", FaultCode.INVALID_ARGUMENT)
        for value in flatten(values):
            if not isinstance(value, KerasTensor):
                kind = type(value).__name__
                raise ArgumentFault(
                    f"Model: all {what} must be symbolic tensors, but one is of {kind}", FaultCode.WRONG_TYPE
                )
    if not all(_starts(tensor) for tensor in flatten(inputs)):
        inputs, outputs = _cut(inputs, outputs)
    fields["_inputs_struct"], fields["_outputs_struct"] = inputs, outputs
    fields["_graph"] = graph = Graph(flatten(inputs), flatten(outputs))
    if unknown is None:
        graph.require_connected()
    for each in model.layers:
        model._tracker.track(each)
    fields["built"] = True
    fields["_path"] = model.name
    if trainable is not None:
        model.trainable = trainable


def _starts(tensor: Any) -> bool:
    node = made_by(tensor)
    return node is None or node.is_input


def _cut(inputs: Any, outputs: Any) -> tuple[Any, Any]:
    """Return new inputs in place of tensors inside a graph, and what the graph makes of them."""
    flat = flatten(inputs)
    fresh = []
    for tensor in flat:
        if _starts(tensor):
            fresh.append(tensor)
            continue
        made = Input(batch_shape=tensor.shape, dtype=tensor.dtype, name=f"{tensor.name}CLONE")
        made._shape = tensor._shape
        fresh.append(made)
    graph = Graph(flat, flatten(outputs))

    def again(operation: Any, *args: Any, **kwargs: Any) -> Any:
        node = next(n for n in graph.nodes if n.operation is operation and id(n) not in done)
        done.add(id(node))
        copies = [_copy(tensor) for tensor in node.outputs]
        Node(operation, args, kwargs, copies)
        return copies

    done: set[int] = set()
    return pack_sequence_as(inputs, fresh), pack_sequence_as(outputs, graph.run(fresh, again))


def _copy(tensor: Any) -> Any:
    made = object.__new__(KerasTensor)
    made.__dict__.update(tensor.__dict__)
    return made


@row("keras.src.models.Functional", "keras.src.models.functional.Functional", "keras.models.Functional")
class Functional(Model):
    """A model of the graph between symbolic tensors."""

    def __init__(self, inputs: Any, outputs: Any, name: Any = None, **kwargs: Any) -> None:
        _functional(self, inputs, outputs, name, **kwargs)


Model.__module__, Model.__qualname__ = "keras.src.models.model", "Model"
Functional.__module__, Functional.__qualname__ = "keras.src.models.functional", "Functional"
__all__ = ["Functional", "InputLayer", "Model"]
