"""Cells of recurrent layers: what one step does."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.keras.layers.arguments import channels, positive, several
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.models.state import standardize_data_format
from cutaway.knowledge.keras.named_functions import get_activation

ops = KnownModule("keras.ops")


class Cell(Layer):
    """What cells share: their arguments, and states that begin with zeros."""

    gates = 1
    states = 1

    def _configure(self, given: dict[str, Any]) -> None:
        Layer.__init__(self, **given.pop("kwargs"))
        self.units = positive(given["units"], f"{type(self).__name__}: units")
        self.activation = get_activation(given["activation"])
        self.recurrent_activation = get_activation(given.get("recurrent_activation"))
        self.use_bias = given["use_bias"]
        self.dropout, self.recurrent_dropout = given["dropout"], given["recurrent_dropout"]
        self.state_size = self.units if self.states == 1 else [self.units] * self.states
        self.output_size = self.units

    def _bias_shape(self) -> tuple[Any, ...]:
        return (self.units * self.gates,)

    def build(self, input_shape: Any) -> None:
        inner = channels(self, input_shape, -1)
        self.kernel = self.add_weight(name="kernel", shape=(inner, self.units * self.gates))
        self.recurrent_kernel = self.add_weight(name="recurrent_kernel", shape=(self.units, self.units * self.gates))
        self.bias: Any = self.add_weight(name="bias", shape=self._bias_shape()) if self.use_bias else None

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        return [ops.zeros((batch_size, self.units), dtype=self.compute_dtype) for _ in range(self.states)]


@layer(home="rnn.simple_rnn")
class SimpleRNNCell(Cell):
    """One step of a simple recurrent layer."""

    def __init__(
        self, units, activation="tanh", use_bias=True, kernel_initializer="glorot_uniform",
        recurrent_initializer="orthogonal", bias_initializer="zeros", kernel_regularizer=None,
        recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None, recurrent_constraint=None,
        bias_constraint=None, dropout=0.0, recurrent_dropout=0.0, seed=None, **kwargs,
    ):  # fmt: skip
        self._configure({k: v for k, v in locals().items() if k != "self"})

    def call(self, sequence, states, training=False):
        before = states[0] if isinstance(states, (list, tuple)) else states
        h = ops.matmul(sequence, self.kernel)
        if self.bias is not None:
            h = ops.add(h, self.bias)
        output = ops.add(h, ops.matmul(before, self.recurrent_kernel))
        if self.activation is not None:
            output = self.activation(output)
        return output, [output] if isinstance(states, (list, tuple)) else output


@layer(home="rnn.lstm")
class LSTMCell(Cell):
    """One step of an LSTM."""

    gates, states = 4, 2

    def __init__(
        self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
        kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal", bias_initializer="zeros",
        unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
        kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.0, recurrent_dropout=0.0,
        seed=None, **kwargs,
    ):  # fmt: skip
        kwargs.pop("implementation", None)
        self._configure({k: v for k, v in locals().items() if k != "self"})

    def call(self, inputs, states, training=False):
        z = ops.add(ops.matmul(inputs, self.kernel), ops.matmul(states[0], self.recurrent_kernel))
        if self.use_bias:
            z = ops.add(z, self.bias)
        i, f, candidate, o = ops.split(z, 4, axis=1)
        gate = self.recurrent_activation
        c = ops.add(ops.multiply(gate(f), states[1]), ops.multiply(gate(i), self.activation(candidate)))
        h = ops.multiply(gate(o), self.activation(c))
        return h, [h, c]


@layer(home="rnn.gru")
class GRUCell(Cell):
    """One step of a GRU."""

    gates = 3

    def __init__(
        self, units, activation="tanh", recurrent_activation="sigmoid", use_bias=True,
        kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal", bias_initializer="zeros",
        kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None,
        recurrent_constraint=None, bias_constraint=None, dropout=0.0, recurrent_dropout=0.0, reset_after=True,
        seed=None, **kwargs,
    ):  # fmt: skip
        kwargs.pop("implementation", None)
        self._configure({k: v for k, v in locals().items() if k != "self"})
        self.reset_after = reset_after

    def _bias_shape(self):
        return (2, self.units * 3) if self.reset_after else (self.units * 3,)

    def call(self, inputs, states, training=False):
        before = states[0] if isinstance(states, (list, tuple)) else states
        x = ops.matmul(inputs, self.kernel)
        inner = ops.matmul(before, self.recurrent_kernel)
        if self.use_bias:
            bias = self.bias[0] if self.reset_after else self.bias
            x = ops.add(x, bias)
            if self.reset_after:
                inner = ops.add(inner, self.bias[1])
        x_z, x_r, x_h = ops.split(x, 3, axis=-1)
        r_z, r_r, r_h = ops.split(inner, 3, axis=-1)
        z = self.recurrent_activation(ops.add(x_z, r_z))
        r = self.recurrent_activation(ops.add(x_r, r_r))
        candidate = self.activation(ops.add(x_h, ops.multiply(r, r_h)))
        h = ops.add(ops.multiply(z, before), ops.multiply(ops.subtract(1.0, z), candidate))
        return h, [h] if isinstance(states, (list, tuple)) else h


@layer(home="rnn.conv_lstm")
class ConvLSTMCell(Layer):
    """One step of an LSTM whose products are convolutions."""

    def __init__(
        self, rank, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1,
        activation="tanh", recurrent_activation="sigmoid", use_bias=True, **kwargs,
    ):  # fmt: skip
        super().__init__(**{k: v for k, v in kwargs.items() if k in ("name", "dtype", "trainable")})
        self.rank, self.filters = rank, filters
        self.kernel_size = several(kernel_size, rank, "kernel_size")
        self.strides = several(strides, rank, "strides")
        self.dilation_rate = several(dilation_rate, rank, "dilation_rate")
        self.padding = padding.lower()
        self.data_format = standardize_data_format(data_format)
        self.activation = get_activation(activation)
        self.recurrent_activation = get_activation(recurrent_activation)
        self.use_bias = use_bias
        self.state_size = -1

    def build(self, inputs_shape, states_shape=None):
        inner = channels(self, inputs_shape, 1 if self.data_format == "channels_first" else -1)
        self.kernel = self.add_weight(name="kernel", shape=(*self.kernel_size, inner, self.filters * 4))
        self.recurrent_kernel = self.add_weight(
            name="recurrent_kernel", shape=(*self.kernel_size, self.filters, self.filters * 4)
        )
        self.bias = self.add_weight(name="bias", shape=(self.filters * 4,)) if self.use_bias else None

    def _convolved(self, inputs: Any) -> Any:
        made = ops.conv(
            inputs, self.kernel, strides=self.strides, padding=self.padding, data_format=self.data_format,
            dilation_rate=self.dilation_rate,
        )  # fmt: skip
        if self.use_bias:
            ones = (1,) * self.rank
            shape = (1, *ones, -1) if self.data_format == "channels_last" else (1, -1, *ones)
            made = ops.add(made, ops.reshape(self.bias, shape))
        return made

    def initial(self, inputs: Any) -> list[Any]:
        """Return zeros of the shape that the convolution of an input has."""
        here = session.current()
        outside, here.recording = here.recording, False
        try:
            made = self._convolved(inputs)
        finally:
            here.recording = outside
        if isinstance(made, Unknown):
            raise Undecidable(made)
        shape = list(made._shape)
        shape[1 if self.data_format == "channels_first" else -1] = self.filters
        return [ops.zeros(tuple(shape), dtype=self.compute_dtype) for _ in range(2)]

    def call(self, inputs, states, training=False):
        h, c = states
        again = ops.conv(h, self.recurrent_kernel, strides=1, padding="same", data_format=self.data_format)
        axis = 1 if self.data_format == "channels_first" else -1
        i, f, candidate, o = ops.split(ops.add(self._convolved(inputs), again), 4, axis=axis)
        gate = self.recurrent_activation
        c = ops.add(ops.multiply(gate(f), c), ops.multiply(gate(i), self.activation(candidate)))
        h = ops.multiply(gate(o), self.activation(c))
        return h, [h, c]


@layer(home="rnn.stacked_rnn_cells")
class StackedRNNCells(Layer):
    """Several cells, each on the output of the one before."""

    def __init__(self, cells, **kwargs):
        super().__init__(**kwargs)
        self.cells = cells

    @property
    def state_size(self):
        return [cell.state_size for cell in self.cells]

    @property
    def output_size(self):
        return output_size(self.cells[-1])

    def build(self, input_shape):
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                cell.build(input_shape)
            input_shape = (input_shape[0], output_size(cell))

    def get_initial_state(self, batch_size=None):
        return [initial_state(cell, batch_size, self.compute_dtype, True) for cell in self.cells]

    def call(self, inputs, states, training=False, **kwargs):
        after = []
        for cell, held in zip(self.cells, states):
            several_states = isinstance(held, (list, tuple))
            inputs, new = cell(inputs, list(held) if several_states else [held])
            after.append(new if several_states or len(new) > 1 else new[0])
        return inputs, after[0] if len(after) == 1 else after


def output_size(cell: Any) -> Any:
    """Return the features that a cell puts out."""
    size = getattr(cell, "output_size", None)
    if size is not None:
        return size
    return cell.state_size[0] if isinstance(cell.state_size, (list, tuple)) else cell.state_size


def initial_state(cell: Any, batch: Any, dtype: Any, single: bool = False) -> Any:
    """Return the states that a cell begins with."""
    own = getattr(cell, "get_initial_state", None)
    if own is not None:
        found = own(batch_size=batch)
        return found if isinstance(found, (list, tuple)) else [found]
    if not isinstance(cell.state_size, (list, tuple)):
        zeros = ops.zeros((batch, cell.state_size), dtype=dtype)
        return zeros if single else [zeros]
    return [ops.zeros((batch, size), dtype=dtype) for size in cell.state_size]
