"""Configurations of Keras, of any version, to layers and models, as Keras itself would build them.

Nothing of a configuration is run. A class that is neither modelled nor given in `custom_objects` becomes a layer whose
call is unknown; what the configuration itself says of the shape that it returns is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import TABLE, load_rest, lookup, row
from cutaway.knowledge.keras.models.input_layer import InputLayer
from cutaway.knowledge.keras.models.layer import Layer
from cutaway.knowledge.keras.models.model import Model
from cutaway.knowledge.keras.models.sequential import Sequential
from cutaway.knowledge.keras.tensors.tensor import KerasTensor, any_symbolic
from cutaway.knowledge.keras.tensors.tree import flatten
from cutaway.knowledge.keras.training.config_arguments import AREAS, chosen_arguments
from cutaway.knowledge.keras.training.former_configs import modern
from cutaway.knowledge.keras.training.graph_configs import GraphConfig, OpaqueLayer, is_graph, is_shape

_DEEPEST = 40
_MODELS = {"Model", "Functional", "Container", "Graph"}


@row("keras.models.model_from_json", "keras.src.models.model.model_from_json")
def model_from_json(json_string: Any, custom_objects: Any = None) -> Any:
    """Return the model of a configuration as text."""
    if not isinstance(json_string, str):
        return Unknown("a model from JSON that is not known")
    return deserialize(json.loads(json_string), custom_objects)


@row(
    "keras.layers.deserialize",
    "keras.models.model_from_config",
    "keras.saving.deserialize_layer",
    "keras.src.layers.deserialize",
)
def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Return the layer or model of a configuration."""
    if not isinstance(config, dict):
        return Unknown("a configuration that is not known")
    return _Reader(custom_objects if isinstance(custom_objects, dict) else {}).layer(config, 0)


class _Reader:
    """Turns configurations into objects; `custom` are classes and functions of the target by name."""

    def __init__(self, custom: Mapping[str, Any]) -> None:
        self.custom = custom

    def layer(self, config: dict[str, Any], depth: int) -> Any:
        """Return the layer or model that a configuration describes."""
        if depth > _DEEPEST:
            raise Undecidable(Unknown("a configuration is nested too deeply"))
        session.current().tick()
        name, settings = config.get("class_name"), config.get("config")
        if not isinstance(name, str):
            raise Undecidable(Unknown("a configuration names no class"))
        name = name.rpartition(">")[2]
        custom = self._custom(config, name)
        if custom is None and name == "Sequential":
            return self.sequential(settings, depth)
        if isinstance(settings, dict) and is_graph(settings) and (custom is None or name in _MODELS):
            return self.functional(settings, depth)
        if not isinstance(settings, dict):
            return self._opaque(name, {}, f"the configuration of {name} is not known", config)
        if custom is not None:
            return self._instance(custom, name, settings, depth, config)
        name, settings = modern(name, settings)
        operation = self._operation(config, name, settings)
        if operation is not None:
            return operation
        cls = _layer_class(name)
        if cls is None:
            return self._opaque(name, settings, f"{name} is a class that is neither modelled nor given", config)
        return self._instance(cls, name, settings, depth, config)

    def _custom(self, config: dict[str, Any], name: str) -> Any:
        module = config.get("module")
        if isinstance(module, str) and module.partition(".")[0] == "keras" and not config.get("registered_name"):
            return None
        return self.custom.get(name)

    def _instance(self, cls: Any, name: str, settings: dict[str, Any], depth: int, config: dict[str, Any]) -> Any:
        if name == "Lambda" and "Lambda" not in self.custom:
            return self._lambda(cls, settings, config)
        arguments = {key: self.value(value, depth + 1) for key, value in settings.items()}
        if cls in self.custom.values():
            return _quietly(cls, arguments)
        if cls is InputLayer:
            return _input_layer(arguments)
        chosen, strange = chosen_arguments(cls, arguments)
        if strange:
            return self._opaque(name, settings, f"{name}: what {', '.join(strange)} means is not modelled", config)
        called = chosen.get("name")
        is_path = isinstance(called, str) and "/" in called  # which Keras 2 allows
        if is_path:
            del chosen["name"]
        try:
            made = cls(**chosen)
            if is_path:
                made.__dict__["name"] = called
            return made
        except Fault as fault:
            return self._opaque(name, settings, f"{name} can't be made of its configuration: {fault}", config)

    def _lambda(self, cls: Any, settings: dict[str, Any], config: dict[str, Any]) -> Any:
        """Return a layer whose function is not known, unless a function of the target has its name."""
        function = settings.get("function")
        if isinstance(function, dict):
            function = function.get("config") if isinstance(function.get("config"), str) else None
        given = self.custom.get(function) if isinstance(function, str) else None
        reason = "a Lambda layer is Python code inside of the file, which is never run"
        shape = settings.get("output_shape")
        told = tuple(shape) if isinstance(shape, list) and all(type(s) is int or s is None for s in shape) else None
        if given is None and told is None:
            return self._opaque("Lambda", settings, reason, config)
        name, arguments = settings.get("name"), settings.get("arguments")
        return cls(
            given or (lambda *_args, **_kwargs: Unknown(reason)),
            output_shape=told,
            arguments=arguments if isinstance(arguments, dict) else None,
            name=name if isinstance(name, str) else None,
        )

    def _opaque(self, name: str, settings: dict[str, Any], reason: str, config: dict[str, Any]) -> Any:
        cls = type(name if name.isidentifier() else "Layer", (OpaqueLayer,), {"__module__": str(config.get("module"))})
        called = settings.get("name", config.get("name"))
        plain = {k: v for k, v in settings.items() if k != "name" and _is_plain(v)}
        return cls(reason, name=called if isinstance(called, str) and "/" not in called else None, **plain)

    def _operation(self, config: dict[str, Any], name: str, settings: dict[str, Any]) -> Any:
        """Return what calls a function of the framework, for a node of a graph that is not a layer."""
        module = str(config.get("module"))
        if name == "TFOpLambda" or name == "SlicingOpLambda":
            return _Function(settings.get("name"), _tensorflow_function(settings.get("function")), {})
        # A layer always says its type; an HDF5 file does not say the module of an operation of the same name.
        is_bare = not config.get("module") and "trainable" not in settings and "dtype" not in settings
        is_bare = is_bare and "inbound_nodes" in config and f"keras.ops.{_snake(name)}" in TABLE and bool(settings)
        if module.startswith("keras.src.ops") or module == "keras.ops" or is_bare:
            function = TABLE.get(f"keras.ops.{_snake(name)}") or _later(f"keras.ops.{_snake(name)}")
            options = {k: self.value(v, 1) for k, v in settings.items() if k not in ("name", "dtype")}
            return _Function(settings.get("name"), function, options)
        return None

    def value(self, value: Any, depth: int) -> Any:
        """Return an argument: nested configurations become objects, lists of numbers tuples."""
        if depth > _DEEPEST:
            raise Undecidable(Unknown("a configuration is nested too deeply"))
        if isinstance(value, dict):
            return self._object(value, depth)
        if isinstance(value, list):
            items = [self.value(item, depth + 1) for item in value]
            is_layers = any(isinstance(item, Layer) for item in items)
            return items if is_layers else tuple(items)
        return self.custom.get(value, value) if isinstance(value, str) and value in self.custom else value

    def _object(self, value: dict[str, Any], depth: int) -> Any:
        name, settings = value.get("class_name"), value.get("config")
        if not isinstance(name, str):
            return {key: self.value(item, depth + 1) for key, item in value.items()}
        if name in ("DTypePolicy", "Policy", "PolicyV1") and isinstance(settings, dict):
            return settings.get("name")
        if name in ("function", "builtin_function_or_method"):
            return self.custom.get(str(settings), settings)
        if name == "__tuple__":
            return tuple(self.value(item, depth + 1) for item in value.get("items", ()))
        if name in ("TensorShape", "__numpy__", "__tensor__", "__ellipsis__", "__lambda__", "__slice__", "__bytes__"):
            return _literal(name, value)
        if name == "NotFrozenDict" or settings is None:
            return value
        short = name.rpartition(">")[2]
        for area in AREAS:
            found = TABLE.get(f"keras.{area}.{short}")
            if isinstance(found, type) and isinstance(settings, dict):
                return found(**{k: v for k, v in settings.items() if _is_plain(v)})
        if _layer_class(short) is not None or short in ("Sequential", *_MODELS) or short in self.custom:
            return self.layer(value, depth + 1)
        return value

    def sequential(self, settings: Any, depth: int) -> Any:
        """Return a stack of layers; before Keras 2.3 its configuration is a list."""
        named = settings if isinstance(settings, dict) else {"layers": settings}
        listed = named.get("layers")
        if not isinstance(listed, list):
            raise Undecidable(Unknown("the configuration of a Sequential model has no layers"))
        name, trainable = named.get("name"), named.get("trainable")
        model = Sequential(name=name if isinstance(name, str) else None)
        configs = [each for each in listed if isinstance(each, dict)]
        if configs:
            start = _declared_input(configs[0])
            if start is not None:
                model.add(start)
        for at, each in enumerate(configs):
            made = self.layer(each, depth + 1)
            if isinstance(made, OpaqueLayer):
                made.__dict__["_told"] = _next_input(configs, at)
            elif isinstance(made, _Function):
                made = self._opaque(str(made.name), {}, "a function in a Sequential model", each)
            if isinstance(made, InputLayer) and model._layers:
                continue
            model.add(made)
        shape = named.get("build_input_shape")
        if not model._layers or isinstance(model._layers[0], (InputLayer, Model)):
            shape = None
        if isinstance(shape, list) and all(size is None or type(size) is int for size in shape):
            model.build(tuple(shape))
        if trainable is False:
            model.trainable = False
        return model

    def functional(self, settings: dict[str, Any], depth: int) -> Any:
        """Return the model of a graph."""
        return GraphConfig(self, settings, depth).model()


class _Function:
    """A function of the framework as a node of a graph."""

    def __init__(self, name: Any, function: Any, options: dict[str, Any]) -> None:
        self.name, self.function, self.options = name, function, options

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.function is None or isinstance(self.function, Unknown):
            return Unknown(f"the function of {self.name} is not modelled")
        given = [tuple(arg) if isinstance(arg, list) and not any_symbolic(arg) else arg for arg in args]
        try:
            made = self.function(*given, **{**self.options, **kwargs})
        except TypeError as error:
            return Unknown(f"{self.name}: {error}")
        for tensor in flatten(made):
            history = tensor.__dict__.get("_keras_history") if isinstance(tensor, KerasTensor) else None
            if history is not None and isinstance(self.name, str) and "/" not in self.name:
                history.operation.__dict__["name"] = self.name
        return made


def _declared_input(config: dict[str, Any]) -> Any:
    """Return the input of a Sequential model that its first layer declares, None where an InputLayer does."""
    settings = config.get("config")
    if config.get("class_name") == "InputLayer" or not isinstance(settings, dict):
        return None
    shape = settings.get("batch_input_shape") or settings.get("batch_shape")
    if shape is None and "layers" not in settings and isinstance(settings.get("layer"), dict):
        inner = settings["layer"].get("config")
        shape = inner.get("batch_input_shape") if isinstance(inner, dict) else None
    if shape is None or not is_shape(shape):
        return None
    dtype = settings.get("dtype") if config.get("class_name") != "Embedding" else "float32"
    dtype = settings.get("input_dtype") or dtype  # of Keras 1
    name = settings.get("name")
    return InputLayer(
        batch_shape=tuple(shape),
        dtype=dtype if isinstance(dtype, str) and dtype[:6] not in ("mixed_",) else None,
        name=f"{name}_input" if isinstance(name, str) else None,
    )


def _next_input(configs: list[dict[str, Any]], at: int) -> list[Any]:
    """Return what the layer behind one says of its input."""
    if at + 1 < len(configs):
        build = configs[at + 1].get("build_config")
        shape = build.get("input_shape") if isinstance(build, dict) else None
        if is_shape(shape):
            return [[shape, None]]
    return []


def _input_layer(arguments: dict[str, Any]) -> Any:
    shape = arguments.get("batch_shape", arguments.get("batch_input_shape", arguments.get("shape")))
    dtype, name = arguments.get("dtype"), arguments.get("name")
    if not isinstance(shape, tuple):
        raise Undecidable(Unknown("an InputLayer has no shape"))
    return InputLayer(
        batch_shape=shape, dtype=dtype if isinstance(dtype, str) else None, name=name if isinstance(name, str) else None
    )


def _layer_class(name: str) -> Any:
    if not name.isidentifier():
        return None
    found = TABLE.get(f"keras.layers.{name}") or _later(f"keras.layers.{name}")
    return found if isinstance(found, type) and issubclass(found, Layer) else None


def _later(name: str) -> Any:
    """Return a row of a file that is read late, or what Keras's own source has under the name."""
    load_rest(name)
    found = TABLE.get(name)
    if found is None:
        found = lookup(name)
    return None if isinstance(found, Unknown) else found


def _quietly(cls: Any, arguments: dict[str, Any]) -> Any:
    """Build an object of a class of the target, as `from_config` does."""
    build: Callable[..., Any] = cls.from_config
    return build({key: value for key, value in arguments.items() if key != "batch_input_shape"})


def _literal(name: str, value: dict[str, Any]) -> Any:
    settings = value.get("config")
    if name == "__slice__" and isinstance(settings, dict):
        return slice(settings.get("start"), settings.get("stop"), settings.get("step"))
    if name == "__ellipsis__":
        return ...
    if name == "TensorShape":
        return tuple(value.get("items") or ())
    numbers = settings.get("value") if isinstance(settings, dict) else None
    return Unknown("numbers in a configuration") if numbers is None or isinstance(numbers, str) else numbers


def _tensorflow_function(name: Any) -> Any:
    """Return the function of TensorFlow that a node of Keras 2 calls."""
    if not isinstance(name, str):
        return None
    lookup("tensorflow.math")
    last = name.rpartition(".")[2]
    if name.startswith("__operators__."):
        return _OPERATORS.get(last) or lookup(f"tensorflow.math.{last}")
    return lookup(f"tensorflow.{name}")


def _get_item(tensor: Any, slice_spec: Any = None, **_kwargs: Any) -> Any:
    items = slice_spec if isinstance(slice_spec, (list, tuple)) else [slice_spec]
    return lookup("keras.ops.get_item")(tensor, tuple(items))


_OPERATORS: dict[str, Any] = {"getitem": _get_item}


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str)) or (
        isinstance(value, (list, tuple)) and all(_is_plain(item) for item in value)
    )  # fmt: skip


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
