"""`keras.layers.Layer`: names, weights, building on the first call, calls and what they record."""

from __future__ import annotations

import inspect
from collections import deque
from typing import TYPE_CHECKING, Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.protocols import MODULE
from cutaway.core.session import Call
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.flatten import flatten as flatten_references
from cutaway.knowledge.base.flatten import flatten_arguments
from cutaway.knowledge.base.recorded_call import explain_call
from cutaway.knowledge.base.registry import is_shared, row
from cutaway.knowledge.keras.models.graph import Node, Operation
from cutaway.knowledge.keras.models.input_spec import check
from cutaway.knowledge.keras.models.layers_in_loops import turning, turns_of
from cutaway.knowledge.keras.models.state import AUTOCAST, TRAINING, current_path, name_scope
from cutaway.knowledge.keras.models.tracking import Tracker
from cutaway.knowledge.keras.tensors.dtypes import floatx
from cutaway.knowledge.keras.tensors.masking import masks_of, set_masks
from cutaway.knowledge.keras.tensors.op import symbolic_result
from cutaway.knowledge.keras.tensors.policy import DTypePolicy, policy
from cutaway.knowledge.keras.tensors.shape import require_same_shape
from cutaway.knowledge.keras.tensors.tensor import KerasTensor, Tensor, Variable, any_symbolic, convert, is_array, plain
from cutaway.knowledge.keras.tensors.tree import flatten, is_nested, map_shape_structure, map_structure

CALLS_AS_LIBRARY = True  # functions of the target are called exactly as the library does
_DEEPEST = 500  # calls of layers within calls
_KINDS = inspect.Parameter


@MODULE
@row("keras.Layer", "keras.layers.Layer", "keras.src.layers.Layer", "keras.src.layers.layer.Layer")
class Layer(Operation):
    """Base of every layer and model, interpreted or modelled."""

    _is_keras_layer = True
    _is_metric = False
    _tracker: Tracker
    _incomplete: Unknown

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__new__(cls, *args, **kwargs)
        made.__dict__["_tracker"] = Tracker(made)
        build = made.build

        def building(*shapes: Any, **named: Any) -> None:
            with made._open_name_scope():
                made.__dict__["_path"] = current_path()
                build(*shapes, **named)
            made.__dict__["built"] = True

        made.__dict__["build"] = building
        made.__dict__["_original_build"] = build
        return made

    def __init__(
        self,
        *,
        activity_regularizer: Any = None,
        trainable: Any = True,
        dtype: Any = None,
        autocast: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name)
        fields = self.__dict__
        given = kwargs.pop("input_dim", None)
        shape = (given,) if given is not None else kwargs.pop("input_shape", None)
        if shape is None and "batch_input_shape" in kwargs:
            fields["_batch_input_shape_arg"] = kwargs.pop("batch_input_shape")
        if shape is not None:
            fields["_input_shape_arg"] = shape
        kwargs.pop("weights", None)  # numbers of the weights, which change nothing of the structure
        kwargs.pop("input_length", None)
        if kwargs:
            raise ArgumentFault(
                f"{type(self).__name__} has no argument {', '.join(map(repr, kwargs))}", FaultCode.UNKNOWN_ARGUMENT
            )
        if isinstance(trainable, (int, float, str, list, tuple, Operation)) and not isinstance(trainable, bool):
            raise ArgumentFault(
                f"{type(self).__name__}: trainable must be a bool, but is of type {type(trainable).__name__}",
                FaultCode.WRONG_TYPE,
            )
        fields["_dtype_policy"] = policy(dtype)
        fields["activity_regularizer"] = activity_regularizer
        fields["autocast"] = autocast
        fields["_trainable"] = trainable
        fields["_input_spec"] = None
        fields["_parent_path"] = None
        fields["_path"] = None
        fields["_super_called"] = True
        fields["_losses"] = []
        fields.setdefault("built", False)

    # Registration

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, self.__dict__["_tracker"].track(value))

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__
        if "_incomplete" in fields and not name.startswith("__"):
            return fields["_incomplete"]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def mark_incomplete(self, unknown: Unknown) -> None:
        """Note that what this layer consists of could not be followed to the end."""
        self.__dict__.setdefault("_incomplete", session.current().note(unknown, self))

    @property
    def _layers(self) -> list[Any]:
        return self._tracker.layers

    @_layers.setter
    def _layers(self, value: Any) -> None:
        self._tracker.layers = value

    def _flatten_layers(self, include_self: bool = True, recursive: bool = True) -> list[Any]:
        """Return the layers below this one, in Keras's order."""
        found = [self] if include_self else []
        seen: set[int] = set()
        waiting = deque(self._layers)
        while waiting:
            each = waiting.popleft()
            if id(each) not in seen:
                seen.add(id(each))
                found.append(each)
                if recursive:
                    waiting.extendleft(each._layers)
        return found

    @property
    def path(self) -> Any:
        return self.__dict__["_path"]

    @property
    def input_spec(self) -> Any:
        return self.__dict__.get("_input_spec")

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        self.__dict__["_input_spec"] = value

    @property
    def supports_masking(self) -> Any:
        return self.__dict__.get("_supports_masking", type(self).compute_mask is not Layer.compute_mask)

    @supports_masking.setter
    def supports_masking(self, value: Any) -> None:
        self.__dict__["_supports_masking"] = value

    # Types

    @property
    def dtype_policy(self) -> DTypePolicy:
        found: DTypePolicy = self.__dict__["_dtype_policy"]
        return found

    @dtype_policy.setter
    def dtype_policy(self, value: Any) -> None:
        self.__dict__["_dtype_policy"] = policy(value)

    @property
    def dtype(self) -> Any:
        return self.variable_dtype

    @property
    def variable_dtype(self) -> Any:
        return self.dtype_policy.variable_dtype

    @property
    def compute_dtype(self) -> Any:
        return self.dtype_policy.compute_dtype

    input_dtype = compute_dtype

    # Weights

    if TYPE_CHECKING:  # layers override them with arguments of their own

        def build(self, *args: Any, **kwargs: Any) -> None: ...

        def compute_mask(self, *args: Any, **kwargs: Any) -> Any: ...

    else:

        def build(self, input_shape: Any = None) -> None:
            self.__dict__["built"] = True

        def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
            return previous_mask

    def add_weight(
        self,
        shape: Any = None,
        initializer: Any = None,
        dtype: Any = None,
        trainable: Any = True,
        autocast: bool = True,
        regularizer: Any = None,
        constraint: Any = None,
        aggregation: Any = "none",
        overwrite_with_gradient: bool = False,
        name: Any = None,
        **_former: Any,
    ) -> Variable:
        self._check_super_called()
        if isinstance(shape, str):  # the order of arguments before Keras 3
            raise ArgumentFault("add_weight: name must be given by keyword", FaultCode.INVALID_ARGUMENT)
        with name_scope(self.name, caller=self):  # type: ignore[attr-defined]
            made = Variable(
                initializer or (lambda *_a, **_k: None),
                shape=() if shape is None else shape,
                dtype=self.variable_dtype if dtype is None else dtype,
                trainable=trainable,
                autocast=autocast,
                name=name,
            )
        self._tracker.track(made)
        if self.trainable is False:
            made.__dict__["trainable"] = False
        return made

    add_variable = add_weight

    def _track_variable(self, variable: Any) -> None:
        self._tracker.track(variable)

    @property
    def trainable(self) -> Any:
        return self.__dict__.get("_trainable", True)

    @trainable.setter
    def trainable(self, value: Any) -> None:
        self.__dict__["_trainable"] = value
        for variable in self._tracker.trainable:
            variable.__dict__["trainable"] = value
        for layer in self._layers:
            layer.trainable = value

    @property
    def weights(self) -> list[Any]:
        found: list[Any] = []
        seen: set[int] = set()
        own = [*self._tracker.trainable, *self._tracker.non_trainable]
        for weight in [*own, *(w for layer in self._layers for w in layer.weights)]:
            if id(weight) not in seen:
                seen.add(id(weight))
                found.append(weight)
        return found

    @property
    def variables(self) -> list[Any]:
        return self.weights

    @property
    def trainable_weights(self) -> list[Any]:
        return [w for w in self.weights if w.trainable] if self.trainable else []

    trainable_variables = trainable_weights

    @property
    def non_trainable_weights(self) -> list[Any]:
        return [w for w in self.weights if not w.trainable] if self.trainable else self.weights

    non_trainable_variables = non_trainable_weights

    def count_params(self) -> Any:
        total: Any = 0
        for weight in self.weights:
            total = total + weight.size
        return total

    def get_weights(self) -> list[Any]:
        return [Unknown("the numbers of a weight are not known") for _ in self.weights]

    def set_weights(self, weights: Any) -> None:
        """Numbers of weights change nothing of the structure; they have to fit."""
        own = self.weights
        shapes = [each.shape for each in weights if is_array(each)] if isinstance(weights, (list, tuple)) else []
        if not own or len(shapes) != len(own) or len(shapes) != len(weights):
            return
        for weight, shape in zip(own, shapes):
            require_same_shape(f"set_weights: {weight.name}", weight._shape, shape)

    @property
    def losses(self) -> list[Any]:
        return []

    @property
    def metrics(self) -> list[Any]:
        return [*self._tracker.metrics]

    @property
    def metrics_variables(self) -> list[Any]:
        return []

    def add_loss(self, loss: Any, *_args: Any, **_kwargs: Any) -> None:
        """A loss is no part of the network's structure."""

    def add_metric(self, *_args: Any, **_kwargs: Any) -> None:
        """A metric is no part of the network's structure."""

    # Configuration

    def get_config(self) -> dict[str, Any]:
        construction = self.__dict__["_construction"]
        signature = session.current().signature(type(self).__init__)
        bound = signature.bind_partial(self, *construction.args, **construction.kwargs)
        bound.apply_defaults()
        config = {k: v for k, v in list(bound.arguments.items())[1:] if k not in ("kwargs", "args")}
        config.update(bound.arguments.get("kwargs", {}))
        policy = self.__dict__.get("_dtype_policy")
        config.update(name=self.name, trainable=self.trainable, dtype=policy.name if policy else str(floatx()))  # type: ignore[attr-defined]
        return config

    @classmethod
    def from_config(cls, config: Any) -> Any:
        if isinstance(config, dict) and "layers" in config and is_shared(cls):
            return Unknown("a model that is made from the configurations of its layers is not followed")
        return cls(**config)

    def get_build_config(self) -> Any:
        return None

    def build_from_config(self, config: Any) -> None:
        if config and "input_shape" in config:
            self.build(config["input_shape"])

    # Calls

    def call(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"Layer {type(self).__name__} does not have a `call()` method implemented.")

    def compute_output_shape(self, *args: Any, **kwargs: Any) -> Any:
        made = self.compute_output_spec(
            *[map_shapes(a) for a in args],
            **{key.removesuffix("_shape"): map_shapes(value) for key, value in kwargs.items()},
        )
        return map_structure(lambda t: t.shape if isinstance(t, Tensor) else t, made)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        here = session.current()
        outside, here.recording = here.recording, False
        try:
            return symbolic_result(self.call(*plain(args), **plain(kwargs)))
        finally:
            here.recording = outside

    def _open_name_scope(self) -> name_scope:
        if self.__dict__.get("_parent_path") is None:
            self.__dict__["_parent_path"] = current_path()
        return name_scope(self.name, caller=self)  # type: ignore[attr-defined]

    def _check_super_called(self) -> None:
        if "_super_called" not in self.__dict__ and "_incomplete" not in self.__dict__:
            raise RuntimeError(
                f"In layer '{type(self).__name__}', you forgot to call `super().__init__()` "
                "as the first statement in the `__init__()` method. Go add it!"
            )

    def _call_parameters(self) -> dict[str, inspect.Parameter]:
        held: dict[str, inspect.Parameter] | None = self.__dict__.get("_call_signature_parameters")
        if held is None:
            try:
                held = dict(session.current().signature(self.call).parameters)
            except (TypeError, ValueError):
                held = {}
            self.__dict__["_call_signature_parameters"] = held
        return held

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by the names of `call`'s parameters, without defaults."""
        found: dict[str, Any] = {}
        parameters = list(self._call_parameters().values())
        positional = [p.name for p in parameters if p.kind in (_KINDS.POSITIONAL_ONLY, _KINDS.POSITIONAL_OR_KEYWORD)]
        found.update(zip(positional, args))
        found.update(kwargs)
        return found

    def _maybe_build(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if self.__dict__.get("built"):
            return
        bound = self._bound(args, kwargs)
        shapes = {
            f"{name}_shape": map_structure(_shape_of, value)
            for name, value in bound.items()
            if name != "mask" and _is_tensors(value)
        }
        if type(self).build is Layer.build:
            self.__dict__["built"] = True
            return
        self.build(**self._shapes_for_build(shapes))

    def _shapes_for_build(self, shapes: dict[str, Any]) -> dict[str, Any]:
        parameters = session.current().signature(self.__dict__["_original_build"]).parameters.values()
        named = [p for p in parameters if p.kind in (_KINDS.POSITIONAL_OR_KEYWORD, _KINDS.KEYWORD_ONLY)]
        if len(named) == 1:
            return {named[0].name: next(iter(shapes.values()), None)}
        return {p.name: shapes[p.name] for p in named if p.name in shapes}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        here = session.current()
        here.tick()
        if len(here.modules) > _DEEPEST:
            raise RecursionError("maximum recursion depth exceeded")
        self._check_super_called()
        symbolic = any_symbolic(args) or any_symbolic(kwargs)
        given, named = self._converted(plain(args)), self._converted(plain(kwargs))
        with turning(turns_of(self)):
            result = self._called(given, named, not symbolic)
        if symbolic:
            if not here.modules:
                self.__dict__.setdefault("_called_with", args)
            result = symbolic_result(result)
            previous = kwargs.get("mask")
            first = args[0] if args else next(iter(kwargs.values()), None)
            previous = masks_of(first) if previous is None else previous
            self._set_masks(first, result, previous)
            Node(self, args, self._kept(args, kwargs, previous), result)
        return result

    def _kept(self, args: tuple[Any, ...], kwargs: dict[str, Any], mask: Any) -> dict[str, Any]:
        """Return the named arguments that a node keeps: Keras writes the mask of a lone tensor among them."""
        lone = len(args) == 1 and not kwargs and isinstance(args[0], Tensor) and args[0]._dtype == self.compute_dtype
        return {"mask": mask} if lone and mask is not None and "mask" in self._call_parameters() else kwargs

    def _set_masks(self, inputs: Any, outputs: Any, previous: Any) -> None:
        own = type(self).compute_mask is not Layer.compute_mask
        if self.supports_masking and (previous is not None or own):
            set_masks(outputs, self.compute_mask(inputs, previous))

    def _converted(self, values: Any) -> Any:
        """Turn arrays among the arguments into tensors of the type that the layer computes in."""

        def one(value: Any) -> Any:
            if isinstance(value, Tensor):
                if value._dtype.is_floating and self.autocast and self.compute_dtype.is_floating:
                    return convert(value, self.compute_dtype)
                return value
            if is_array(value):
                made = convert(value)
                return convert(value, self.compute_dtype) if made._dtype.is_floating else made
            return value

        if "_dtype_policy" not in self.__dict__:
            return values
        if isinstance(values, tuple):
            return tuple(map_structure(one, value) for value in values)
        return {key: map_structure(one, value) for key, value in values.items()}

    def _called(self, args: tuple[Any, ...], kwargs: dict[str, Any], recording: bool) -> Any:
        here = session.current()
        first = args[0] if args else next(iter(kwargs.values()), None)
        call = Call(self, flatten_arguments(args, kwargs), len(here.operations), depth=len(here.modules))
        here.modules.append(self)
        outside, here.recording = here.recording, recording and (here.recording or call.depth == 0)
        if here.recording:
            here.calls.append(call)
        context, casting = TRAINING.get(), AUTOCAST.get()
        AUTOCAST.set(self.compute_dtype if self.autocast and self.compute_dtype.is_floating else None)
        masks = None
        try:
            check(self.input_spec, first, self.name)  # type: ignore[attr-defined]
            with self._open_name_scope():
                self._maybe_build(args, kwargs)
                check(self.input_spec, first, self.name)  # type: ignore[attr-defined]
                passed = self._with_training(kwargs, context)
                call.training = _as_mode(TRAINING.get())
                passed, masks = self._with_masks(args, passed)
                result = self.call(*args, **passed)
        except Undecidable as undecidable:
            if not self.__dict__.get("built"):
                self.mark_incomplete(undecidable.unknown)
            result = here.note(undecidable.unknown, self)
        except Fault as fault:
            here.report(fault)
            explain_call(call, fault)
            raise
        finally:
            TRAINING.set(context)
            AUTOCAST.set(casting)
            here.modules.pop()
            here.recording = outside
            call.last_operation = len(here.operations)
        self.__dict__["built"] = True
        if recording:
            self._set_masks(first, result, masks)
        call.outputs, call.presumed = flatten_references(result), here.presumed
        return result

    def _with_training(self, kwargs: dict[str, Any], context: Any) -> dict[str, Any]:
        """Pass `training` on where it is asked for: from the call, or from the layer that calls this one."""
        parameters = self._call_parameters()
        chosen = kwargs.get("training")
        if chosen is None:
            chosen = context
        if chosen is None and "training" in parameters:
            default = parameters["training"].default
            chosen = None if default is _KINDS.empty else default
        TRAINING.set(chosen)
        passed = dict(kwargs)
        if "training" in parameters:
            if chosen is not None:
                passed["training"] = chosen
        elif not any(p.kind is _KINDS.VAR_KEYWORD for p in parameters.values()):
            passed.pop("training", None)
        return passed

    def _with_masks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """Pass `mask` on where it is asked for and an input has one."""
        bound = self._bound(args, kwargs)
        inputs = {name: value for name, value in bound.items() if name != "mask" and _is_tensors(value)}
        parameters = self._call_parameters()
        previous = kwargs.get("mask")
        if previous is None and inputs:
            previous = masks_of(next(iter(inputs.values())))
        if previous is None:
            return kwargs, None
        if len(inputs) == 1 and "mask" in parameters and bound.get("mask") is None:
            return {**kwargs, "mask": previous}, previous
        extra = {}
        for name, value in inputs.items() if len(inputs) > 1 else ():
            if f"{name}_mask" in parameters and bound.get(f"{name}_mask") is None:
                mask = masks_of(value)
                if mask is not None:
                    extra[f"{name}_mask"] = mask
        return {**kwargs, **extra}, previous

    def stateless_call(self, trainable_variables: Any, non_trainable_variables: Any, *args: Any, **kwargs: Any) -> Any:
        return self(*args, **kwargs), non_trainable_variables

    def quantize(self, *_args: Any, **_kwargs: Any) -> None:
        session.current().unknown("what quantize changes is not modelled", self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.__dict__.get('name')}, built={self.__dict__.get('built')}>"


def map_shapes(shape: Any) -> Any:
    """Return symbolic tensors of the shapes in a structure."""
    return map_shape_structure(KerasTensor, shape)


def _shape_of(value: Any) -> Any:
    """Return the shape that `build` is given for an argument of `call`."""
    if isinstance(value, Tensor):
        return value._shape if isinstance(value._shape, Unknown) else tuple(value.shape)
    return value if isinstance(value, Unknown) else None


def _as_mode(training: Any) -> Any:
    return False if training is None else training


def _is_tensors(value: Any) -> bool:
    if isinstance(value, Tensor):
        return True
    if type(value) is Unknown:
        return True
    return is_nested(value) and bool(value) and all(v is None or isinstance(v, Tensor) for v in flatten(value))


def layer(*names: str, home: str) -> Any:
    """Register a layer's class under `keras.layers`, and below the file of `keras.src` that defines it.

    `names` are further names in `keras.layers`.
    """

    def decorate(cls: type) -> type:
        cls.__module__ = f"keras.src.layers.{home}"
        cls.__qualname__ = cls.__name__
        row(f"{cls.__module__}.{cls.__name__}")(cls)
        for name in (cls.__name__, *names):
            if not name.startswith("Base") and not name.startswith("_"):
                row(f"keras.layers.{name}", f"keras.src.layers.{name}")(cls)
        return cls

    return decorate


Layer.__module__ = "keras.src.layers.layer"
Layer.__qualname__ = "Layer"
