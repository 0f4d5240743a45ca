"""Recurrent modules (`LSTM`, `GRU`, `RNN`) and the fused functions that they call."""

from __future__ import annotations

import numbers
from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size import dim
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.registry import KnownModule, row
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.packed import PackedSequence, count
from cutaway.knowledge.torch.nn.parameter import Parameter
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.tensor import Tensor, new
from cutaway.ops.elementwise import written
from cutaway.ops.recurrent import stack_macs

torch = KnownModule("torch")

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _stack(input: Any, states: Any, params: Any, num_layers: int, bidirectional: Any, packed: bool) -> tuple[Out, ...]:
    """Shape a stack of layers.

    MACs are those of the matrix products. torch's own `FlopCounterMode` sees them or not depending
    on whether the device decomposes the fused kernel; they are counted here always.
    """
    states = states if isinstance(states, (list, tuple)) else (states,)
    directions = 2 if bidirectional else 1
    hidden = states[0].shape[-1]
    gates, inputs = params[0].shape
    per_layer = len(params) // (num_layers * directions)
    rows = input.shape[0] if packed else input.shape[0] * input.shape[1]
    macs = stack_macs(
        rows, inputs, hidden, gates, num_layers, directions, states[1].shape[-1] if per_layer in (3, 5) else None
    )
    output = Out((*input.shape[:-1], hidden * directions), input.dtype, macs=macs)
    return (output, *(Out(state.shape, input.dtype) for state in states))


def _fused(name: str) -> tuple[Any, Any]:
    """Make the rows of one kind of network: for padded input, and torch's overload for packed input."""

    @op(f"torch.{name}.data", strided=True)
    def on_packed(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional):
        return _stack(data, hx, params, num_layers, bidirectional, packed=True)

    @op(f"torch.{name}", f"torch._VF.{name}", strided=True)
    def on_padded(
        input=None,
        hx=None,
        params=None,
        has_biases=None,
        num_layers=None,
        dropout=None,
        train=None,
        bidirectional=None,
        batch_first=None,
        *,
        data=None,
        batch_sizes=None,
    ):
        if data is not None:
            return _stack(data, hx, params, num_layers, bidirectional, packed=True)
        if isinstance(has_biases, (list, tuple)):  # all by position: data, batch_sizes, hx, params, ...
            return _stack(input, params, has_biases, dropout, batch_first, packed=True)
        return _stack(input, hx, params, num_layers, bidirectional, packed=False)

    return on_padded, on_packed


_FUSED = {mode: _fused(mode.lower()) for mode in _GATES}


@row("torch.nn.modules.rnn.apply_permutation")
def apply_permutation(tensor, permutation, dim=1):
    return tensor.index_select(dim, permutation)


@layer
class RNNBase(Module):
    """What `RNN`, `LSTM` and `GRU` share; `mode` names the cell."""

    __module__ = "torch.nn.modules.rnn"
    __constants__ = (
        "mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional",
        "proj_size",
    )  # fmt: skip

    def __init__(
        self,
        mode: str,
        input_size: Any,
        hidden_size: Any,
        num_layers: Any = 1,
        bias: Any = True,
        batch_first: Any = False,
        dropout: Any = 0.0,
        bidirectional: Any = False,
        proj_size: Any = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = dropout if isinstance(dropout, Unknown) else float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        _check_configuration(self, dropout)
        gate_size = _GATES[mode] * hidden_size
        state_size = proj_size if proj_size > 0 else hidden_size
        directions = 2 if bidirectional else 1
        self._flat_weights_names: list[str] = []
        self._all_weights: list[list[str]] = []
        self._flat_weights: list[Any] = []
        session.current().limit_parts(num_layers, "layers")
        for index in range(num_layers):
            for suffix in ("", "_reverse")[:directions]:
                inputs = input_size if index == 0 else state_size * directions
                shapes: dict[str, tuple[Any, ...]] = {
                    "weight_ih": (gate_size, inputs),
                    "weight_hh": (gate_size, state_size),
                }
                if bias:
                    shapes |= {"bias_ih": (gate_size,), "bias_hh": (gate_size,)}
                if proj_size > 0:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                names = [f"{kind}_l{index}{suffix}" for kind in shapes]
                for name, shape in zip(names, shapes.values()):
                    attribute.put(self, name, Parameter(new(shape, dtype)))
                self._flat_weights_names.extend(names)
                self._all_weights.append(names)
        self._init_flat_weights()
        self.reset_parameters()

    def _init_flat_weights(self) -> None:
        self._flat_weights = [attribute.get(self, name, None) for name in self._flat_weights_names]
        self.flatten_parameters()

    _update_flat_weights = _init_flat_weights

    def flatten_parameters(self) -> None:
        """Lay the weights out in one piece of memory, which changes nothing that can be seen."""

    def reset_parameters(self) -> None:
        """Fill the weights with random numbers, which are not known."""

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        super()._apply(fn, recurse)
        self._init_flat_weights()
        return self

    @property
    def all_weights(self) -> list[list[Any]]:
        return [[attribute.get(self, name) for name in names] for names in self._all_weights]

    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def check_input(self, input: Any, batch_sizes: Any) -> None:
        weight = self._flat_weights[0]
        if isinstance(weight, Tensor) and input.dtype is not weight.dtype and not torch.is_autocast_enabled():
            raise ArgumentFault(
                f"{self._get_name()}: input is {input.dtype}, but the weights are {weight.dtype}",
                FaultCode.DTYPE_MISMATCH,
            )
        expected = 2 if batch_sizes is not None else 3
        if input.ndim != expected:
            raise Fault(
                f"{self._get_name()}: input must have {expected} dimensions, but has {input.ndim}",
                FaultCode.WRONG_RANK,
            )
        if not session.require_equal(input.shape[-1], self.input_size, self._get_name()):
            raise Fault(
                f"{self._get_name()}: input has {input.shape[-1]} features in its last dimension, "
                f"but input_size is {self.input_size}",
                FaultCode.SHAPE_MISMATCH,
            )

    def _mini_batch(self, input: Any, batch_sizes: Any) -> Any:
        if batch_sizes is not None:
            return count(batch_sizes)
        return input.shape[0] if self.batch_first else input.shape[1]

    def get_expected_hidden_size(self, input: Any, batch_sizes: Any) -> tuple[Any, Any, Any]:
        width = self.proj_size if self.proj_size > 0 else self.hidden_size
        return self.num_layers * self._directions(), self._mini_batch(input, batch_sizes), width

    def check_hidden_size(
        self, hx: Any, expected_hidden_size: Any, msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        if len(hx.shape) != 3 or any(dim.equal(a, b) is False for a, b in zip(hx.shape, expected_hidden_size)):
            text = msg.format(written(expected_hidden_size), written(hx.shape))
            raise Fault(f"{self._get_name()}: {text[0].lower()}{text[1:]}", FaultCode.SHAPE_MISMATCH)

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Any) -> Any:
        return hx if permutation is None else apply_permutation(hx, permutation)

    def _initial_state(self, input: Any, batch: Any) -> Any:
        width = self.proj_size if self.proj_size > 0 else self.hidden_size
        return self._zeros(input, batch, width)

    def _zeros(self, input: Any, batch: Any, width: Any) -> Any:
        layers = self.num_layers * self._directions()
        return torch.zeros(layers, batch, width, dtype=input.dtype, device=input.device)

    def _run(self, function: Any, *arguments: Any) -> tuple[Any, Any]:
        output, *states = function(*arguments)
        return output, tuple(states) if self.mode == "LSTM" else states[0]

    def _forward(self, input: Any, hx: Any = None) -> Any:
        self._update_flat_weights()
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.ndim not in (2, 3):
            raise ArgumentFault(
                f"{self._get_name()}: expected input to be 2D or 3D, got {input.ndim}D instead",
                FaultCode.WRONG_RANK,
            )
        is_batched = input.ndim == 3
        batch_dim = 0 if self.batch_first else 1
        if not is_batched:
            input = input.unsqueeze(batch_dim)
        if hx is None:
            hx = self._initial_state(input, input.shape[batch_dim])
        else:
            for state in hx if self.mode == "LSTM" else (hx,):
                if state.ndim != (3 if is_batched else 2):
                    raise Fault(
                        f"{self._get_name()}: for {'batched 3-D' if is_batched else 'unbatched 2-D'} input, the hidden "
                        f"state should also be {3 if is_batched else 2}-D but is {state.ndim}-D",
                        FaultCode.WRONG_RANK,
                    )
            if not is_batched:
                hx = self._each(hx, lambda state: state.unsqueeze(1))
        self.check_forward_args(input, hx, None)
        output, hidden = self._run(
            _FUSED[self.mode][0], input, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training,
            self.bidirectional, self.batch_first,
        )  # fmt: skip
        if not is_batched:
            output = output.squeeze(batch_dim)
            hidden = self._each(hidden, lambda state: state.squeeze(1))
        return output, hidden

    def _forward_packed(self, packed: Any, hx: Any) -> Any:
        input, batch_sizes, sorted_indices, unsorted_indices = packed
        if hx is None:
            hx = self._initial_state(input, count(batch_sizes))
        else:
            hx = self.permute_hidden(hx, sorted_indices)
        self.check_forward_args(input, hx, batch_sizes)
        output, hidden = self._run(
            _FUSED[self.mode][1], input, batch_sizes, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training,
            self.bidirectional,
        )  # fmt: skip
        output = PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices)
        return output, self.permute_hidden(hidden, unsorted_indices)

    def _each(self, states: Any, change: Any) -> Any:
        return tuple(change(state) for state in states) if self.mode == "LSTM" else change(states)


def _check_configuration(module: Any, dropout: Any) -> None:
    if not isinstance(dropout, Unknown) and (
        not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool)  # type: ignore[operator]
    ):
        raise ArgumentFault(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed",
            FaultCode.INVALID_ARGUMENT,
        )
    for name in ("bias", "batch_first"):
        if not isinstance(attribute.get(module, name), (bool, Unknown)):
            raise TypeFault(
                f"{name} should be of type bool, got: {type(attribute.get(module, name)).__name__}",
                FaultCode.WRONG_TYPE,
            )
    for name in ("input_size", "hidden_size"):
        size = attribute.get(module, name)
        if isinstance(size, Unknown):
            continue
        if not isinstance(size, (int, Dim)):
            raise TypeFault(f"{name} should be of type int, got: {type(size).__name__}", FaultCode.WRONG_TYPE)
        if dim.less(0, size) is False:
            raise ArgumentFault(f"{name} must be greater than zero", FaultCode.INVALID_ARGUMENT)
    if module.num_layers <= 0:
        raise ArgumentFault("num_layers must be greater than zero", FaultCode.INVALID_ARGUMENT)
    if module.proj_size < 0:
        raise ArgumentFault(
            "proj_size should be a positive integer or zero to disable projections", FaultCode.INVALID_ARGUMENT
        )
    if module.proj_size > 0 and module.proj_size >= module.hidden_size:
        raise ArgumentFault("proj_size has to be smaller than hidden_size", FaultCode.INVALID_ARGUMENT)
    if module.mode not in _GATES:
        raise ArgumentFault("Unrecognized RNN mode: " + module.mode, FaultCode.INVALID_ARGUMENT)


def _no_projection(kwargs: dict[str, Any]) -> None:
    if "proj_size" in kwargs:
        raise ArgumentFault("proj_size argument is only supported for LSTM, not RNN or GRU", FaultCode.INVALID_ARGUMENT)


@layer
class RNN(RNNBase):
    """An Elman network with tanh or relu."""

    __module__ = "torch.nn.modules.rnn"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _no_projection(kwargs)
        if len(args) > 3:
            self.nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{self.nonlinearity.upper()}", *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> Any:
        return self._forward(input, hx)


@layer
class LSTM(RNNBase):
    """A long short-term memory network; its state is a pair."""

    __module__ = "torch.nn.modules.rnn"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> Any:
        return self._forward(input, hx)

    def get_expected_cell_size(self, input: Any, batch_sizes: Any) -> tuple[Any, Any, Any]:
        return self.num_layers * self._directions(), self._mini_batch(input, batch_sizes), self.hidden_size

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        self.check_input(input, batch_sizes)
        expected = self.get_expected_hidden_size(input, batch_sizes)
        self.check_hidden_size(hidden[0], expected, "Expected hidden[0] size {}, got {}")
        expected = self.get_expected_cell_size(input, batch_sizes)
        self.check_hidden_size(hidden[1], expected, "Expected hidden[1] size {}, got {}")

    def permute_hidden(self, hx: Any, permutation: Any) -> Any:
        if permutation is None:
            return hx
        return tuple(apply_permutation(state, permutation) for state in hx)

    def _initial_state(self, input: Any, batch: Any) -> Any:
        return super()._initial_state(input, batch), self._zeros(input, batch, self.hidden_size)


@layer
class GRU(RNNBase):
    """A gated recurrent network."""

    __module__ = "torch.nn.modules.rnn"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _no_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> Any:
        return self._forward(input, hx)
