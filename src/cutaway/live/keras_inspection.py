"""Running one model of Keras, and reading off what it is and did: layers, weights, and what passes through each layer.

With TensorFlow it is traced, as `tf.function` does: that computes nothing and changes no state. What can't be traced, and
what runs on another backend, is called with numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import keras

from cutaway.core.architecture import Architecture, Note, Setting, Weight
from cutaway.core.session import Call, Reference, Session
from cutaway.knowledge.base.describe import FORMS, class_name
from cutaway.knowledge.base.flatten import flatten, flatten_arguments
from cutaway.knowledge.base.read_off import Contents, architecture, mode_name, named_inputs
from cutaway.knowledge.keras.layer_tree import SEPARATOR, input_names, layers_below, named_variables
from cutaway.knowledge.keras.mode import assumption
from cutaway.live import framework_detection
from cutaway.live.arguments import Arguments, from_inputs, numeric_shape
from cutaway.live.construction import Construction, taken
from cutaway.live.failed_call import failed_in, failing_call, with_failure
from cutaway.live.failure import LiveError
from cutaway.live.modules import running_modules, signature_of
from cutaway.live.restore import undisturbed
from cutaway.syntax.inputs import Input

NO_OPERATIONS = "only layers were watched: there are no operations"


def inspected(
    network: Any,
    arguments: Arguments | None,
    inputs: Sequence[Input] = (),
    *,
    name: str = "",
    target: str = "",
    remarks: Sequence[str] = (),
    train: bool | None = None,
) -> tuple[Architecture, BaseException | None]:
    """Return what a model is and what one call of it does, and what that call raised."""
    constructions = taken([network, *network._flatten_layers(include_self=False)])
    made = constructions.get(id(network))
    gathered = Session(place=lambda: made.place if made is not None else None)
    notes = [*remarks, NO_OPERATIONS]
    given = arguments or _given(network, inputs, notes)
    error = None
    if given is not None:
        gathered.assume(assumption(train))
        error = _run(network, given, gathered, train)
    constructions.update(taken(network._flatten_layers(include_self=False)))  # layers that the call made
    call = gathered.calls[0] if gathered.calls else None
    seen = _read_off(network, name or class_name(type(network)), target, gathered, call, constructions, train)
    if error is not None:
        failing = failing_call(gathered)
        seen = with_failure(seen, error, [] if failing is None else [failed_in(failing.module.name, failing)])
    return replace(seen, assumptions=(*map(Note, notes), *seen.assumptions)), error


def _given(network: Any, inputs: Sequence[Input], notes: list[str]) -> Arguments | None:
    """Return inputs of the given shapes, or of those that a model declares; None where there is neither."""
    declared = _declared(network)
    if not inputs:
        if declared is None or any(None in tensor.shape[1:] for tensor in declared.values()):
            return None
        notes.append("it was called with a batch of 1, of the shapes that its inputs declare")
        found = [_array([1, *tensor.shape[1:]], tensor.dtype) for tensor in declared.values()]
        return Arguments((_packed(network, found),))
    given = from_inputs(network.call, inputs, keras.KerasTensor, lambda each: _array(numeric_shape(each), each.dtype))
    if declared is None:
        return given
    plain, arrays = given.positional, given.named
    unknown = [each for each in arrays if each not in declared]
    if unknown or len(plain) + len(arrays) != len(declared):
        raise LiveError(f"--input does not fit the model, whose inputs are {', '.join(declared)}")
    rest = iter(plain)
    return Arguments((_packed(network, [arrays[each] if each in arrays else next(rest) for each in declared]),))


def _packed(network: Any, arrays: list[Any]) -> Any:
    return keras.tree.pack_sequence_as(network._inputs_struct, arrays)


def _declared(network: Any) -> dict[str, Any] | None:
    """Return the symbolic inputs of a functional model by names that can be parameters; None for any other."""
    struct = getattr(network, "_inputs_struct", None)
    if struct is None and isinstance(network, keras.Sequential) and network._functional is not None:
        struct = network._functional._inputs_struct
    own = type(network).__module__.startswith("keras.")
    if struct is None or not own:
        return None
    return input_names(keras.tree.flatten(struct))


def _array(shape: Sequence[int], dtype: str) -> Any:
    import numpy

    name = keras.backend.standardize_dtype(dtype)
    zeros = numpy.zeros(shape, "float32" if "float" in name else name)
    return keras.ops.convert_to_tensor(zeros, dtype=name)


def _run(network: Any, given: Arguments, gathered: Session, train: bool | None) -> BaseException | None:
    named = dict(given.named)
    if "training" not in list(signature_of(network.call).parameters)[: len(given.positional)]:
        named.setdefault("training", bool(train))
    with undisturbed():
        if keras.backend.backend() == "tensorflow" and _built(network, given.positional, named):
            with _watched(gathered):
                if _traced(network, given.positional, named):
                    return None
            gathered.calls.clear()
        with _watched(gathered):
            try:
                network(*given.positional, **named)
            except (Exception, SystemExit) as raised:
                return raised
    return None


def _traced(network: Any, positional: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Call a network on tensors without numbers; tell whether it took them."""
    import tensorflow

    def call(*tensors: Any) -> int:
        flat = iter(tensors)
        args = keras.tree.map_structure(lambda value: next(flat) if _is_tensor(value) else value, (positional, named))
        network(*args[0], **args[1])
        return 0

    flat = [value for value in keras.tree.flatten((positional, named)) if _is_tensor(value)]
    specs = [tensorflow.TensorSpec(value.shape, value.dtype) for value in map(keras.ops.convert_to_tensor, flat)]
    try:
        tensorflow.function(call, autograph=False).get_concrete_function(*specs)
    except Exception:  # what it raises on tensors without numbers says little; it is called with numbers then
        return False
    return True


def _built(network: Any, positional: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Make the weights of a network, which can't be made while it is traced; tell whether they are there."""
    try:
        if not all(layer.built for layer in network._flatten_layers()):
            symbolic = keras.tree.map_structure(_symbolic, (positional, named))
            network(*symbolic[0], **symbolic[1])
    except Exception:  # what it raises on symbolic tensors says little; it is called with numbers then
        return False
    return True


def _symbolic(value: Any) -> Any:
    return keras.KerasTensor(value.shape, dtype=value.dtype) if _is_tensor(value) else value


@contextmanager
def _watched(gathered: Session) -> Iterator[None]:
    """Record every call of every layer into a session while inside."""
    original = keras.Layer.__call__
    stepped: set[tuple[int, int]] = (
        set()
    )  # cells of the recurrent layers that are being called: how often is the backend's

    def watched(self: Any, *args: Any, **kwargs: Any) -> Any:
        if any(isinstance(value, keras.KerasTensor) for value in keras.tree.flatten((args, kwargs))):
            return original(self, *args, **kwargs)
        around = gathered.modules[-1] if gathered.modules else None
        if isinstance(around, keras.layers.RNN):
            if (id(around), id(self)) in stepped:
                with _plain(original):
                    return original(self, *args, **kwargs)
            stepped.add((id(around), id(self)))
        stepped.difference_update([pair for pair in stepped if pair[0] == id(self)])
        call = Call(self, flatten_arguments(args, kwargs, refer), 0, depth=len(gathered.modules))
        gathered.calls.append(call)
        gathered.modules.append(self)
        try:
            result = original(self, *args, **kwargs)
            call.outputs = flatten(result, refer=refer)
            return result
        finally:
            gathered.modules.pop()

    def refer(value: Any) -> Reference | None:
        if not _is_tensor(value):
            return None
        shape = tuple(None if size is None else int(size) for size in value.shape)
        return Reference(gathered.next_value(), shape, keras.backend.standardize_dtype(value.dtype))

    keras.Layer.__call__ = watched
    try:
        yield
    finally:
        keras.Layer.__call__ = original


@contextmanager
def _plain(original: Any) -> Iterator[None]:
    """Leave calls of layers unwatched while inside."""
    watched, keras.Layer.__call__ = keras.Layer.__call__, original
    try:
        yield
    finally:
        keras.Layer.__call__ = watched


def _is_tensor(value: Any) -> bool:
    import numpy

    return keras.ops.is_tensor(value) or isinstance(value, (numpy.ndarray, keras.KerasTensor))


def _read_off(
    network: Any,
    name: str,
    target: str,
    gathered: Session,
    call: Call | None,
    constructions: Mapping[int, Construction],
    train: bool | None,
) -> Architecture:
    layers = list(_walk(network))
    declared = _declared(network)
    inputs = list(named_inputs(signature_of(network.call), call)) if call else []
    if declared is not None and len(declared) == len(inputs):
        inputs = [(label, reference) for label, (_, reference) in zip(declared, inputs)]
    contents = Contents(
        layers,
        list(_weights(network, layers)),
        inputs,
        running_modules(constructions, lambda _layer: {}, _is_given),
        lambda _variable: None,  # there are no operations that could read one
        separator=SEPARATOR,
        mode=None if call is None else mode_name(bool(train)),
    )
    return architecture(name, target, framework_detection.KERAS, gathered, call, contents)


def _is_given(value: Any) -> bool:
    """Tell whether the program gave an argument; where Keras copies a layer, it gives what it writes for an object."""
    return not (isinstance(value, dict) and {"class_name", "config", "registered_name"} <= value.keys())


def _walk(network: Any) -> Iterator[tuple[str, Any]]:
    """Yield the network and every layer below it once, with the path of its names."""
    return layers_below(network, lambda layer: isinstance(layer, keras.Layer), lambda layer: str(layer.name))


def _weights(network: Any, layers: list[tuple[str, Any]]) -> Iterator[tuple[Weight, Any]]:
    """Yield the weights in the order of `network.weights`, each with the layer that holds it."""

    def held(layer: Any) -> tuple[Any, ...]:
        return (*layer._trainable_variables, *layer._non_trainable_variables)

    for variable, name, trainable, home in named_variables(network, layers, held):
        dtype = keras.backend.standardize_dtype(variable.dtype)
        yield Weight(name, tuple(variable.shape), dtype, "parameter", trainable, module=home), variable


def _tensor(tensor: Any) -> Setting:
    sizes = "x".join("?" if size is None else str(size) for size in tensor.shape)
    return f"<tensor {sizes} {keras.backend.standardize_dtype(tensor.dtype)}>"


FORMS.update({keras.KerasTensor: _tensor, keras.DTypePolicy: lambda policy: str(policy.name)})
