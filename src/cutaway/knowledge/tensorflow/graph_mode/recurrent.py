"""Recurrent cells of TensorFlow 1, and the functions that run them over a sequence."""

from __future__ import annotations

from typing import Any, NamedTuple

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.keras.models.state import snake_case
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.tensors.op import Out
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.knowledge.keras.tensors.tensor import convert, new
from cutaway.knowledge.keras.tensors.tree import map_structure
from cutaway.knowledge.tensorflow.functions.arrange import concat
from cutaway.knowledge.tensorflow.graph_mode.graph import Scope, build, unique
from cutaway.knowledge.tensorflow.graph_mode.variables import get_variable
from cutaway.knowledge.tensorflow.rows import tf

_HOMES = ("tensorflow.nn.rnn_cell", "tensorflow.contrib.rnn", "tensorflow.compat.v1.nn.rnn_cell",
          "tensorflow.python.ops.rnn_cell", "tensorflow.contrib.rnn.python.ops.rnn_cell")  # fmt: skip


class LSTMStateTuple(NamedTuple):
    """The state of an LSTM: its memory and its last output."""

    c: Any
    h: Any


class RNNCell:
    """What is called once a step; a program may derive its own."""

    gates = 1

    def __init__(self, num_units: Any = None, *args: Any, reuse: Any = None, name: Any = None, **kwargs: Any) -> None:
        self._units = num_units
        self._reuse = reuse
        self._scope = name
        self._weights: Any = None

    @property
    def state_size(self) -> Any:
        return self._units

    @property
    def output_size(self) -> Any:
        return self._units

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return a state of zeros; its batch may be a tensor."""
        size = convert(batch_size).sizes() if hasattr(batch_size, "sizes") else batch_size
        return _filled(self.state_size, size, dtype)

    def kernel(self, width: Any) -> Any:
        """Return the weights for inputs of a width, made on the first call."""
        if self._weights is None:
            build()
            with Scope(self._scope or unique(_snake(type(self).__name__)), reuse=self._reuse):
                self._weights = self.make(width)
        return self._weights

    def make(self, width: Any) -> list[Any]:
        """Make the weights."""
        units = self._units
        return [
            get_variable("kernel", [width + units, self.gates * units]),
            get_variable("bias", [self.gates * units]),
        ]

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        x = known_rank(inputs)
        made = step(x, *self.kernel(x._shape[-1]), units=self.output_size)
        return made, self.next(made)

    def next(self, output: Any) -> Any:
        """Return the state behind an output."""
        return output


def _snake(name: str) -> str:
    return snake_case(name)


def _filled(sizes: Any, batch: Any, dtype: Any) -> Any:
    if isinstance(sizes, tuple):
        made = [_filled(size, batch, dtype) for size in sizes]
        return type(sizes)(*made) if hasattr(sizes, "_fields") else tuple(made)
    return new((batch, sizes), dtype)


@tf("nn.rnn_cell.step")
def step(inputs, kernel, bias, units=None, steps=1):
    """One step of a cell, or several: each multiplies the kernel with the input and the last output."""
    x, w = known_rank(inputs), known_rank(kernel)
    width = w._shape[0] - units
    if equal(x._shape[-1], width) is False:
        raise ArgumentFault(
            f"rnn: the cell takes {width} features, but its input is {text(x._shape)}", FaultCode.SHAPE_MISMATCH
        )
    rows = 1
    for size in x._shape[:-1]:
        rows = rows * size
    return Out((*x._shape[:-1], units), x._dtype, macs=rows * w._shape[0] * w._shape[1])


class BasicRNNCell(RNNCell):
    """A cell whose state is its output."""


class GRUCell(RNNCell):
    """A cell with two gates, which keep their weights apart from the candidate's."""

    def make(self, width: Any) -> list[Any]:
        units = self._units
        with Scope("gates"):
            gates = [get_variable("kernel", [width + units, 2 * units]), get_variable("bias", [2 * units])]
        with Scope("candidate"):
            candidate = [get_variable("kernel", [width + units, units]), get_variable("bias", [units])]
        return [*gates, *candidate]

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        x = known_rank(inputs)
        gates, gate_bias, candidate, bias = self.kernel(x._shape[-1])
        step(x, gates, gate_bias, units=self._units)
        made = step(x, candidate, bias, units=self._units)
        return made, made


class BasicLSTMCell(RNNCell):
    """A cell with four gates and a memory."""

    gates = 4

    @property
    def state_size(self) -> Any:
        return LSTMStateTuple(self._units, self._units)

    def next(self, output: Any) -> Any:
        return LSTMStateTuple(new(output._shape, output._dtype), output)


class LSTMCell(BasicLSTMCell):
    """A cell with four gates, and optionally a projection of its output."""

    def __init__(
        self, num_units: Any, use_peepholes: Any = False, cell_clip: Any = None, initializer: Any = None,
        num_proj: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(num_units, **kwargs)
        self._peepholes, self._projected = use_peepholes, num_proj

    @property
    def state_size(self) -> Any:
        return LSTMStateTuple(self._units, self.output_size)

    @property
    def output_size(self) -> Any:
        return self._units if self._projected is None else self._projected

    def make(self, width: Any) -> list[Any]:
        made = [
            get_variable("kernel", [width + self.output_size, 4 * self._units]),
            get_variable("bias", [4 * self._units]),
        ]
        for name in ("w_f_diag", "w_i_diag", "w_o_diag") if self._peepholes else ():
            get_variable(name, [self._units])
        if self._projected is not None:
            with Scope("projection"):
                get_variable("kernel", [self._units, self._projected])
        return made


class MultiRNNCell(RNNCell):
    """Cells on top of each other."""

    def __init__(self, cells: Any, state_is_tuple: Any = True) -> None:
        super().__init__()
        self._cells = list(cells)

    @property
    def state_size(self) -> Any:
        return tuple(cell.state_size for cell in self._cells)

    @property
    def output_size(self) -> Any:
        return self._cells[-1].output_size

    def __call__(self, inputs: Any, state: Any = None, scope: Any = None) -> Any:
        states = []
        with Scope(unique("multi_rnn_cell")):
            for index, cell in enumerate(self._cells):
                given = state[index] if isinstance(state, (list, tuple)) else state
                with Scope(f"cell_{index}"):
                    inputs, made = cell(inputs, given)
                states.append(made)
        return inputs, tuple(states)


class DropoutWrapper(RNNCell):
    """A cell whose inputs and outputs are dropped in training only."""

    def __init__(self, cell: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self._cell = cell

    @property
    def state_size(self) -> Any:
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        return self._cell.output_size

    def __call__(self, inputs: Any, state: Any = None, scope: Any = None) -> Any:
        return self._cell(inputs, state)


_CELLS = {
    "RNNCell": RNNCell, "BasicRNNCell": BasicRNNCell, "GRUCell": GRUCell, "BasicLSTMCell": BasicLSTMCell,
    "LSTMCell": LSTMCell, "MultiRNNCell": MultiRNNCell, "DropoutWrapper": DropoutWrapper,
    "ResidualWrapper": DropoutWrapper, "DeviceWrapper": DropoutWrapper, "LSTMStateTuple": LSTMStateTuple,
}  # fmt: skip
for _home in _HOMES:
    for _name, _cell in _CELLS.items():
        register(f"{_home}.{_name}", _cell)


def _ran(cell: Any, inputs: Any, state: Any, dtype: Any) -> Any:
    """Call a cell once on all steps of a sequence, or on the only one."""
    if state is None and dtype is not None:
        state = cell.zero_state(inputs._shape[0], dtype)
    return cell(inputs, state)


def _last(state: Any, batch: Any) -> Any:
    """Return a state without the axis of time."""
    return map_structure(lambda t: new((batch, t._shape[-1]), t._dtype), state)


@row("tensorflow.nn.dynamic_rnn", "tensorflow.compat.v1.nn.dynamic_rnn")
def dynamic_rnn(
    cell: Any, inputs: Any, sequence_length: Any = None, initial_state: Any = None, dtype: Any = None,
    parallel_iterations: Any = None, swap_memory: Any = False, time_major: Any = False, scope: Any = None,
) -> Any:  # fmt: skip
    """Run a cell over the steps of a tensor; all of them are followed at once."""
    if isinstance(inputs, Unknown):
        return inputs
    x = convert(inputs)
    if isinstance(x._shape, Unknown):
        raise Undecidable(x._shape)
    if len(x._shape) != 3:
        raise ArgumentFault(
            f"dynamic_rnn: the inputs must have 3 dimensions, but their shape is {text(x._shape)}", FaultCode.WRONG_RANK
        )
    with Scope(scope if scope is not None else unique("rnn")):
        outputs, state = _ran(cell, x, initial_state, None)
    batch = x._shape[1 if time_major else 0]
    return outputs, _last(state, batch)


@row("tensorflow.nn.bidirectional_dynamic_rnn", "tensorflow.compat.v1.nn.bidirectional_dynamic_rnn")
def bidirectional_dynamic_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, sequence_length: Any = None, initial_state_fw: Any = None,
    initial_state_bw: Any = None, dtype: Any = None, parallel_iterations: Any = None, swap_memory: Any = False,
    time_major: Any = False, scope: Any = None,
) -> Any:  # fmt: skip
    with Scope(scope if scope is not None else unique("bidirectional_rnn")):
        forward = dynamic_rnn(cell_fw, inputs, time_major=time_major, scope="fw")
        backward = dynamic_rnn(cell_bw, inputs, time_major=time_major, scope="bw")
    return (forward[0], backward[0]), (forward[1], backward[1])


_STATIC = ("tensorflow.nn.static_rnn", "tensorflow.contrib.rnn.static_rnn", "tensorflow.nn.rnn",
           "tensorflow.contrib.rnn.python.ops.rnn.static_rnn", "tensorflow.compat.v1.nn.static_rnn")  # fmt: skip


@row(*_STATIC)
def static_rnn(
    cell: Any, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
) -> Any:
    """Run a cell over the tensors of a list."""
    if not isinstance(inputs, (list, tuple)):
        return Unknown("how many steps a sequence has is not known")
    outputs, state = [], initial_state
    with Scope(scope if scope is not None else unique("rnn")):
        for part in inputs:
            made, state = _ran(cell, convert(part), state, dtype)
            outputs.append(made)
    return outputs, state


@row("tensorflow.nn.static_bidirectional_rnn", "tensorflow.contrib.rnn.static_bidirectional_rnn",
     "tensorflow.nn.bidirectional_rnn", "tensorflow.compat.v1.nn.static_bidirectional_rnn")  # fmt: skip
def static_bidirectional_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, initial_state_fw: Any = None, initial_state_bw: Any = None,
    dtype: Any = None, sequence_length: Any = None, scope: Any = None,
) -> Any:  # fmt: skip
    with Scope(scope if scope is not None else unique("bidirectional_rnn")):
        forward, first = static_rnn(cell_fw, inputs, initial_state_fw, dtype, scope="fw")
        backward, last = static_rnn(cell_bw, list(reversed(inputs)), initial_state_bw, dtype, scope="bw")
    return [concat([a, b], 1) for a, b in zip(forward, reversed(backward))], first, last
