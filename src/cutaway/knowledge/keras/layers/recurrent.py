"""Recurrent layers: cells over the steps of a sequence, both ways, and layers applied to each step."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterator
from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.keras.layers.cells import (
    ConvLSTMCell,
    GRUCell,
    LSTMCell,
    SimpleRNNCell,
    StackedRNNCells,
    initial_state,
)
from cutaway.knowledge.keras.layers.core import Wrapper
from cutaway.knowledge.keras.models.input_spec import InputSpec
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.models.repeated_steps import repeated, rnn
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.tensors.shape import text

ops = KnownModule("keras.ops")
_OF_CELL = """units activation recurrent_activation use_bias unit_forget_bias dropout recurrent_dropout reset_after filters
kernel_size strides padding data_format dilation_rate""".split()
_MOST_STEPS = 64
"""Steps of an unrolled layer that are followed one by one."""
_OF_LAYER = "return_sequences return_state go_backwards stateful unroll".split()


@layer(home="rnn.rnn")
class RNN(Layer):
    """A cell over the steps of a sequence."""

    def __init__(
        self, cell, return_sequences=False, return_state=False, go_backwards=False, stateful=False, unroll=False,
        zero_output_for_mask=False, **kwargs,
    ):  # fmt: skip
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if not hasattr(cell, "call") or not hasattr(cell, "state_size"):
            raise ArgumentFault("RNN: a cell needs a `call` method and a `state_size`", FaultCode.INVALID_ARGUMENT)
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful, self.unroll = go_backwards, stateful, unroll
        self.zero_output_for_mask = zero_output_for_mask
        self.supports_masking = True
        self.states = None
        size = cell.state_size
        self.state_size = list(size) if isinstance(size, (list, tuple)) else [size]

    def build(self, sequences_shape, initial_state_shape=None):
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build((sequences_shape[0], *sequences_shape[2:]))

    def get_initial_state(self, batch_size):
        return initial_state(self.cell, batch_size, self.compute_dtype)

    def compute_mask(self, inputs, mask=None):
        first = mask[0] if isinstance(mask, (list, tuple)) else mask
        found = first if self.return_sequences else None
        return [found] + [None for _ in self.state_size] if self.return_state else found

    def _started(self, step: Any, batch: Any) -> Any:
        return self.get_initial_state(batch)

    def call(self, sequences, initial_state=None, mask=None, training=False):
        x = known_rank(sequences)
        if len(x._shape) < 3:
            raise ArgumentFault(
                f'layer "{self.name}": a sequence has at least 3 dimensions, but the input is {text(x._shape)}',
                FaultCode.WRONG_RANK,
            )
        steps = x._shape[1]
        step = ops.get_item(sequences, (slice(None), 0))
        states = self._started(step, x._shape[0]) if initial_state is None else initial_state
        states = _listed(states)
        if self.unroll and type(steps) is int and 0 < steps <= _MOST_STEPS:
            for at in range(steps):  # a cell of the target may keep something of each step
                output, states = self.cell(ops.get_item(sequences, (slice(None), at)), _listed(states))
        else:
            with repeated(steps):
                output, states = self.cell(step, states)
        states = _listed(states)
        if self.return_sequences:
            output = rnn(output, steps)
        return (output, *states) if self.return_state else output

    def reset_states(self):
        """Numbers of states are not known anyway."""

    reset_state = reset_states


def _listed(states: Any) -> list[Any]:
    return list(states) if isinstance(states, (list, tuple)) else [states]


def _parameters(cell: type, rank: int | None) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of a recurrent layer in Keras's order, with their defaults."""
    gated, empty = cell is not SimpleRNNCell, inspect.Parameter.empty
    if rank:
        yield from (("filters", empty), ("kernel_size", empty), ("strides", 1), ("padding", "valid"))
        yield from (("data_format", None), ("dilation_rate", 1))
    else:
        yield "units", empty
    yield "activation", "tanh"
    if gated:
        yield "recurrent_activation", "sigmoid"
    yield from (("use_bias", True), ("kernel_initializer", "glorot_uniform"), ("recurrent_initializer", "orthogonal"))
    yield "bias_initializer", "zeros"
    if cell in (LSTMCell, ConvLSTMCell):
        yield "unit_forget_bias", True
    for name in "kernel_regularizer recurrent_regularizer bias_regularizer activity_regularizer".split():
        yield name, None
    for name in "kernel_constraint recurrent_constraint bias_constraint".split():
        yield name, None
    yield from (("dropout", 0.0), ("recurrent_dropout", 0.0))
    if gated:
        yield "seed", None
    yield from ((name, False) for name in _OF_LAYER[: 4 if rank else 5])
    if not gated:
        yield "seed", None
    if cell is GRUCell:
        yield "reset_after", True
    if cell in (LSTMCell, GRUCell):
        yield "use_cudnn", "auto"


def _recurrent(name: str, cell: type, home: str, rank: int | None = None) -> None:
    """Make a recurrent layer of one cell; its arguments are its cell's and those of `RNN`."""
    kind = inspect.Parameter
    own = [kind("self", kind.POSITIONAL_OR_KEYWORD)]
    own += [kind(each, kind.POSITIONAL_OR_KEYWORD, default=default) for each, default in _parameters(cell, rank)]
    signature = inspect.Signature([*own, kind("kwargs", kind.VAR_KEYWORD)])

    def init(*args: Any, **named: Any) -> None:
        bound = signature.bind(*args, **named)
        bound.apply_defaults()
        given = dict(bound.arguments)
        self, kwargs = given.pop("self"), given.pop("kwargs")
        for former in ("implementation", "time_major"):
            kwargs.pop(former, None)
        arguments = {k: v for k, v in given.items() if k in _OF_CELL}
        inner = cell(*((rank,) if rank else ()), **arguments, name=_CELL_NAMES[cell], dtype=kwargs.get("dtype"))
        RNN.__init__(self, inner, **{k: v for k, v in given.items() if k in _OF_LAYER}, **kwargs)
        self.activity_regularizer = given["activity_regularizer"]
        self.input_spec = InputSpec(ndim=3 if rank is None else rank + 3)
        if "use_cudnn" in given:
            self.use_cudnn = given["use_cudnn"]

    init.__signature__ = signature  # type: ignore[attr-defined]
    cls: Any = type(name, (RNN,), {"__init__": init, "__doc__": f"A sequence through {cell.__name__}."})
    for attribute in ("units", "activation", "recurrent_activation", "use_bias", "filters", "kernel_size"):
        setattr(cls, attribute, property(operator.attrgetter(f"cell.{attribute}")))
    if rank:
        cls._started = lambda self, step, batch: self.cell.initial(step)
    layer(home=f"rnn.{home}")(cls)


_CELL_NAMES = {
    SimpleRNNCell: "simple_rnn_cell", LSTMCell: "lstm_cell", GRUCell: "gru_cell", ConvLSTMCell: "conv_lstm_cell",
}  # fmt: skip
_recurrent("SimpleRNN", SimpleRNNCell, "simple_rnn")
_recurrent("LSTM", LSTMCell, "lstm")
_recurrent("GRU", GRUCell, "gru")
for _n in (1, 2, 3):
    _recurrent(f"ConvLSTM{_n}D", ConvLSTMCell, f"conv_lstm{_n}d", _n)


def _again(made: Any, **changed: Any) -> Any:
    """Make a layer once more from its arguments, with some of them changed."""
    config = made.get_config()
    config.update(changed)
    if isinstance(made, RNN) and type(made) is RNN:
        config["cell"] = _again(made.cell, name=made.cell.name) if isinstance(made.cell, Layer) else made.cell
    return type(made)(**config)


@layer(home="rnn.bidirectional")
class Bidirectional(Layer):
    """A recurrent layer forwards, and another backwards."""

    def __init__(self, layer, merge_mode="concat", weights=None, backward_layer=None, **kwargs):
        if not isinstance(layer, Layer):
            raise ArgumentFault(f"Bidirectional: needs a layer, but gets {type(layer).__name__}", FaultCode.WRONG_TYPE)
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ArgumentFault(f"Bidirectional: there is no merge_mode {merge_mode!r}", FaultCode.INVALID_ARGUMENT)
        super().__init__(**kwargs)
        self.forward_layer = _again(layer, name=f"forward_{layer.name.removeprefix('forward_')}")
        if backward_layer is None:
            backward_layer = _again(layer, name=f"backward_{layer.name.removeprefix('backward_')}", go_backwards=True)
        self.backward_layer = backward_layer
        self.merge_mode = merge_mode
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state
        self.stateful = layer.stateful
        self.supports_masking = True
        self.input_spec = layer.input_spec
        shape = layer.__dict__.get("_input_shape_arg")
        if shape is not None and "_input_shape_arg" not in self.__dict__:
            self.__dict__["_input_shape_arg"] = shape

    def build(self, sequences_shape, initial_state_shape=None):
        for each in (self.forward_layer, self.backward_layer):
            if not each.built:
                each.build(sequences_shape)

    def call(self, sequences, initial_state=None, mask=None, training=None):
        half = len(initial_state) // 2 if initial_state is not None else 0
        first = {} if initial_state is None else {"initial_state": initial_state[:half]}
        second = {} if initial_state is None else {"initial_state": initial_state[half:]}
        named = {} if mask is None else {"mask": mask}
        y = self.forward_layer(sequences, **first, **named)
        back = self.backward_layer(sequences, **second, **named)
        states: tuple[Any, ...] = ()
        if self.return_state:
            states = (*y[1:], *back[1:])
            y, back = y[0], back[0]
        if self.return_sequences:
            back = ops.flip(back, axis=1)
        output: Any
        if self.merge_mode == "concat":
            output = ops.concatenate([y, back], axis=-1)
        elif self.merge_mode == "sum":
            output = ops.add(y, back)
        elif self.merge_mode == "ave":
            output = ops.divide(ops.add(y, back), 2)
        elif self.merge_mode == "mul":
            output = ops.multiply(y, back)
        else:
            output = (y, back)
        if self.return_state:
            return output + states if self.merge_mode is None else (output, *states)
        return output

    def compute_mask(self, inputs, mask=None):
        found = (mask[0] if isinstance(mask, list) else mask) if self.return_sequences else None
        return (found, found) if self.merge_mode is None else found


@layer(home="rnn.time_distributed")
class TimeDistributed(Wrapper):
    """A layer applied to each step of a sequence."""

    def __init__(self, layer, **kwargs):
        if not isinstance(layer, Layer):
            raise ArgumentFault(
                f"TimeDistributed: needs a layer, but gets {type(layer).__name__}", FaultCode.WRONG_TYPE
            )
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape):  # type: ignore[override]
        if len(input_shape) < 3:
            raise ArgumentFault(
                f'layer "{self.name}": TimeDistributed needs at least 3 dimensions, but the input is {text(input_shape)}',
                FaultCode.WRONG_RANK,
            )
        super().build((input_shape[0], *input_shape[2:]))

    def call(self, inputs, training=None, mask=None):
        x = known_rank(inputs)
        steps = x._shape[1]
        step = ops.get_item(inputs, (slice(None), 0))
        named = {"training": training} if "training" in self.layer._call_parameters() else {}
        with repeated(steps):
            made = self.layer.call(step, **named)
        return rnn(made, steps)
