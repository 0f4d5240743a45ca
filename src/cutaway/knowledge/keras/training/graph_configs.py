"""Configurations of functional models: their layers, and the calls that connect them, as Keras of any version writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from cutaway.core.fault import Fault
from cutaway.core.size.dim import unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.keras.models.input_layer import InputLayer
from cutaway.knowledge.keras.models.layer import Layer
from cutaway.knowledge.keras.models.model import Functional
from cutaway.knowledge.keras.models.sequential import Sequential
from cutaway.knowledge.keras.tensors.tensor import KerasTensor, Tensor, new
from cutaway.knowledge.keras.tensors.tree import flatten

_TENSOR = "__keras_tensor__"
_CONSTANT = "_CONSTANT_VALUE"


class Reader(Protocol):
    """What turns the configurations inside of a graph into objects."""

    def layer(self, config: dict[str, Any], depth: int) -> Any:
        """Return a layer."""

    def value(self, value: Any, depth: int) -> Any:
        """Return an argument."""


class OpaqueLayer(Layer):
    """A layer whose class is not known: it has the name and the settings that its configuration says."""

    def __init__(self, reason: str, name: Any = None, **config: Any) -> None:
        super().__init__(name=name)
        self.__dict__["_reason"] = reason
        self.__dict__["_told"] = []
        self.mark_incomplete(Unknown(reason))

    def call(self, *args: Any, **kwargs: Any) -> Any:
        told = self.__dict__["_told"]
        tensor = next((v for v in flatten((list(args), kwargs)) if isinstance(v, Tensor)), None)
        if not told or tensor is None:
            return Unknown(self.__dict__["_reason"])
        made = [_told_tensor(shape, dtype, tensor) for shape, dtype in told]
        return made[0] if len(made) == 1 else made


def _told_tensor(shape: Any, dtype: Any, tensor: Any) -> Any:
    """Return a tensor of a shape that the configuration states; its batch is that of the input."""
    sizes = tensor._shape
    batch = sizes[0] if not isinstance(sizes, Unknown) and len(sizes) and shape[:1] == [None] else None
    whole = tuple(unknown_size() if size is None else size for size in shape)
    return new(whole if batch is None else (batch, *whole[1:]), dtype or "float32")


class GraphConfig:
    """The layers of a functional model, and their calls in the order in which their inputs are there."""

    def __init__(self, reader: Reader, settings: dict[str, Any], depth: int) -> None:
        self.reader, self.settings, self.depth = reader, settings, depth
        self.layers: dict[str, Any] = {}
        self.calls: dict[str, list[Any]] = {}
        self.made: dict[tuple[str, int], list[Any]] = {}
        self.first: dict[str, int] = {}
        self.shift: dict[str, int] = {}

    def model(self) -> Any:
        listed = self.settings.get("layers")
        if not isinstance(listed, list):
            raise Undecidable(Unknown("the configuration of a model has no layers"))
        told: dict[tuple[str, int], dict[int, Any]] = {}
        for tensor in _tensor_configs(listed):
            layer, node, index = _history(tensor)
            told.setdefault((layer, node), {})[index] = [tensor.get("shape"), tensor.get("dtype")]
        for config in listed:
            if isinstance(config, dict):
                self._add(config, told)
        self._run()
        inputs = self._structure(self.settings.get("input_layers"))
        outputs = self._structure(self.settings.get("output_layers"))
        name, trainable = self.settings.get("name"), self.settings.get("trainable")
        known = [value for values in self.made.values() for value in values if isinstance(value, KerasTensor)]
        is_lost = any(isinstance(value, Unknown) for value in flatten(outputs))
        if is_lost:  # what is known of the graph is kept, though its outputs are not
            outputs = [*(value for value in flatten(outputs) if isinstance(value, Unknown)), *known]
        model = Functional(inputs, outputs, name=name if isinstance(name, str) else None)
        if is_lost:
            model.__dict__["_returns_lost"] = True
            for layer in self.layers.values():
                if isinstance(layer, Layer):
                    model._tracker.track(layer)
        if trainable is False:
            model.trainable = False
        return model

    def _add(self, config: dict[str, Any], told: Mapping[tuple[str, int], Mapping[int, Any]]) -> None:
        layer = self.reader.layer(config, self.depth + 1)
        name = config.get("name")
        if not isinstance(name, str):
            name = config["config"].get("name") if isinstance(config.get("config"), dict) else None
        name = name if isinstance(name, str) else str(layer.name)
        nodes = config.get("inbound_nodes") or []
        nodes = nodes if isinstance(nodes, list) else []
        is_former = any(not isinstance(node, dict) for node in nodes)
        self.layers[name] = layer
        if is_former:
            self.first[name] = int(isinstance(layer, (Functional, Sequential)))
        elif isinstance(layer, Functional):
            # The results of a network count its calls from 1, arguments from 0 unless they are of an early version.
            self.shift[name] = 1
            self.first[name] = int(any(each == name and node >= len(nodes) for each, node in told))
        else:
            self.first[name] = 0
        if isinstance(layer, InputLayer):
            self.made[name, 0] = flatten(layer.output)
            return
        if isinstance(layer, OpaqueLayer):
            known = told.get((name, self.first[name]), {})
            if known and sorted(known) == list(range(len(known))) and all(is_shape(known[at][0]) for at in known):
                layer.__dict__["_told"] = [known[at] for at in range(len(known))]
        self.calls[name] = list(nodes)

    def _run(self) -> None:
        """Call layers whose inputs are there, until none is left."""
        done = dict.fromkeys(self.calls, 0)
        waiting = list(self.calls)
        progress = True
        while progress:
            progress = False
            for name in waiting:
                while done[name] < len(self.calls[name]) and self._ready(self.calls[name][done[name]]):
                    self._call(name, done[name])
                    done[name] += 1
                    progress = True
            waiting = [name for name in waiting if done[name] < len(self.calls[name])]

    def _ready(self, node: Any) -> bool:
        return all((layer, index) in self.made for layer, index, _ in self._references(node))

    def _references(self, node: Any) -> Iterator[tuple[str, int, int]]:
        if isinstance(node, dict) and "args" in node:
            yield from (_history(each) for each in _tensor_configs([node]))
            return
        for entry in _former_entries(node):
            if entry[0] != _CONSTANT:
                yield str(entry[0]), int(entry[1]), int(entry[2])
            if len(entry) > 3 and isinstance(entry[3], dict):
                yield from self._in_keywords(entry[3])

    def _in_keywords(self, value: Any) -> Iterator[tuple[str, int, int]]:
        if self._is_reference(value):
            yield value[0], value[1], value[2]
        elif isinstance(value, (list, dict)):
            for item in value.values() if isinstance(value, dict) else value:
                yield from self._in_keywords(item)

    def _is_reference(self, value: Any) -> bool:
        return (
            isinstance(value, list)
            and len(value) in (3, 4)
            and isinstance(value[0], str)
            and type(value[1]) is int
            and type(value[2]) is int
            and value[0] in self.layers
        )

    def _call(self, name: str, at: int) -> None:
        node = self.calls[name][at]
        if isinstance(node, dict) and "args" in node:
            args = [self._modern(value) for value in node.get("args", ())]
            given = node.get("kwargs")
            kwargs = {key: self._modern(value) for key, value in given.items()} if isinstance(given, dict) else {}
        else:
            args, kwargs = self._former(node)
            if isinstance(args[0], list) and isinstance(self.layers[name], Layer):
                parameters = self.layers[name]._call_parameters()
                if "initial_state" in parameters:  # Keras 2 gives states as further inputs
                    args, kwargs = [args[0][0]], {**kwargs, "initial_state": args[0][1:]}
        kwargs = {key: value for key, value in kwargs.items() if value is not None or key not in ("mask", "training")}
        layer = self.layers[name]
        missing = next((v for v in flatten((args, kwargs)) if isinstance(v, Unknown)), None)
        if missing is not None and not isinstance(layer, OpaqueLayer):
            made: Any = missing
            if isinstance(layer, Layer):
                layer.mark_incomplete(missing)
        else:
            try:
                made = layer(*args, **kwargs)
            except (Fault, TypeError, ValueError, NotImplementedError) as error:
                made = Unknown(f"{name} can't be called as the configuration says: {error}")
                if isinstance(layer, Layer):
                    layer.mark_incomplete(made)
        self.made[name, at + self.first[name]] = [made] if isinstance(made, Unknown) else flatten(made)

    def _tensor(self, layer: str, node: int, index: int) -> Any:
        values = self.made.get((layer, node))
        if values is None:
            return Unknown(f"the output of {layer} does not follow from the inputs")
        if len(values) == 1 and isinstance(values[0], Unknown):
            return values[0]
        return values[index] if 0 <= index < len(values) else Unknown(f"{layer} has no output {index}")

    def _modern(self, value: Any) -> Any:
        if isinstance(value, dict):
            if value.get("class_name") == _TENSOR and isinstance(value.get("config"), dict):
                return self._tensor(*_history(value["config"]))
            if "class_name" in value:
                return self.reader.value(value, self.depth + 1)
            return {key: self._modern(item) for key, item in value.items()}
        return [self._modern(item) for item in value] if isinstance(value, list) else value

    def _former(self, node: Any) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments of a call before Keras 3: tensors, and keywords with the last of them."""
        kwargs: dict[str, Any] = {}

        def one(entry: Any) -> Any:
            if len(entry) > 3 and isinstance(entry[3], dict):
                kwargs.update({key: self._keyword(value) for key, value in entry[3].items()})
            if entry[0] == _CONSTANT:
                return self.reader.value(entry[2], self.depth + 1)
            return self._tensor(str(entry[0]), int(entry[1]), int(entry[2]))

        def nested(value: Any) -> Any:
            if _is_entry(value):
                return one(value)
            if isinstance(value, dict):
                return {key: nested(item) for key, item in value.items()}
            return [nested(item) for item in value] if isinstance(value, list) else value

        inputs = nested(node)
        if isinstance(inputs, list) and len(inputs) == 1:
            inputs = inputs[0]
        return [inputs], kwargs

    def _keyword(self, value: Any) -> Any:
        if self._is_reference(value):
            return self._tensor(value[0], value[1], value[2])
        if isinstance(value, list):
            if len(value) >= 3 and value[0] == _CONSTANT:
                return self.reader.value(value[2], self.depth + 1)
            return [self._keyword(item) for item in value]
        if isinstance(value, dict) and set(value) == {"start", "stop", "step"}:
            return slice(*(self._keyword(value[key]) for key in ("start", "stop", "step")))
        return self.reader.value(value, self.depth + 1)

    def _structure(self, value: Any) -> Any:
        if _is_entry(value):
            name, node = str(value[0]), int(value[1])
            if name in self.shift:
                node += self.first[name] - self.shift[name]
            return self._tensor(name, node, int(value[2]))
        if isinstance(value, dict):
            return {key: self._structure(item) for key, item in value.items()}
        if isinstance(value, list):
            made = [self._structure(item) for item in value]
            return made[0] if len(made) == 1 else made
        raise Undecidable(Unknown("the configuration of a model does not say what its inputs and outputs are"))


def is_graph(settings: dict[str, Any]) -> bool:
    return isinstance(settings.get("layers"), list) and "input_layers" in settings and "output_layers" in settings


def _is_entry(value: Any) -> bool:
    return isinstance(value, list) and len(value) >= 3 and isinstance(value[0], str) and type(value[1]) is int


def _former_entries(node: Any) -> Iterator[Any]:
    if _is_entry(node):
        yield node
    elif isinstance(node, (list, dict)):
        for item in node.values() if isinstance(node, dict) else node:
            yield from _former_entries(item)


def _tensor_configs(value: Any) -> Iterator[dict[str, Any]]:
    """Yield what a configuration says of the tensors that nodes read."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            settings = each.get("config")
            if each.get("class_name") == _TENSOR and isinstance(settings, dict):
                if _is_entry(settings.get("keras_history")):
                    yield settings
                continue
            waiting.extend(value for key, value in each.items() if key != "config" or "class_name" not in each)
        elif isinstance(each, list):
            waiting.extend(each)


def _history(settings: dict[str, Any]) -> tuple[str, int, int]:
    history = settings.get("keras_history")
    if not _is_entry(history):
        raise Undecidable(Unknown("a tensor in a configuration does not say which layer makes it"))
    assert isinstance(history, list)
    return str(history[0]), int(history[1]), int(history[2])


def is_shape(value: Any) -> bool:
    return isinstance(value, list) and all(size is None or (type(size) is int and size >= 0) for size in value)
