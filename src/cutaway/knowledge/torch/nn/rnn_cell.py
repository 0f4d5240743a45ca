"""One step of a recurrent network: `LSTMCell`, `GRUCell`, `RNNCell` and the functions that they call."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.functional.argument import same_dtype
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.parameter import Parameter
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.promote import float_type
from cutaway.knowledge.torch.tensor.tensor import new
from cutaway.ops.recurrent import cell_macs

torch = KnownModule("torch")


def _cell(name: str, input: Any, hidden: Any, w_ih: Any, w_hh: Any) -> Out:
    if not session.require_equal(input.shape[-1], w_ih.shape[1], name):
        raise Fault(
            f"{name}: input has {input.shape[-1]} features, but input_size is {w_ih.shape[1]}", FaultCode.SHAPE_MISMATCH
        )
    if not session.require_equal(hidden.shape[-1], w_hh.shape[1], name):
        raise Fault(
            f"{name}: the hidden state has {hidden.shape[-1]} features, but hidden_size is {w_hh.shape[1]}",
            FaultCode.SHAPE_MISMATCH,
        )
    if not session.require_equal(input.shape[0], hidden.shape[0], name):
        raise Fault(
            f"{name}: input has a batch of {input.shape[0]}, but the hidden state has {hidden.shape[0]}",
            FaultCode.SHAPE_MISMATCH,
        )
    same_dtype(name, input=input, hidden=hidden, weight=w_ih)
    macs = cell_macs(input.shape[0], input.shape[1], hidden.shape[1], w_ih.shape[0])
    return Out(hidden.shape, input.dtype, macs=macs)


@op("torch.lstm_cell", "torch._VF.lstm_cell")
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return _cell("lstm_cell", input, hx[0], w_ih, w_hh), Out(hx[1].shape, input.dtype)


@op("torch.gru_cell", "torch._VF.gru_cell")
def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return _cell("gru_cell", input, hx, w_ih, w_hh)


@op("torch.rnn_tanh_cell", "torch._VF.rnn_tanh_cell")
def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    out = _cell("rnn_tanh_cell", input, hx, w_ih, w_hh)
    return Out(out.shape, float_type(out.dtype), macs=out.macs)


@op("torch.rnn_relu_cell", "torch._VF.rnn_relu_cell")
def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return _cell("rnn_relu_cell", input, hx, w_ih, w_hh)


@layer
class RNNCellBase(Module):
    """One step of a recurrent network."""

    __module__ = "torch.nn.modules.rnn"
    __constants__ = ("input_size", "hidden_size", "bias")

    def __init__(
        self, input_size: Any, hidden_size: Any, bias: Any, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        self.weight_ih = Parameter(new((num_chunks * hidden_size, input_size), dtype))
        self.weight_hh = Parameter(new((num_chunks * hidden_size, hidden_size), dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(new((num_chunks * hidden_size,), dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Fill the weights with random numbers, which are not known."""

    def _step(self, function: Any, input: Any, hx: Any) -> Any:
        name, pair = self._get_name(), function is lstm_cell
        if input.ndim not in (1, 2):
            raise ArgumentFault(
                f"{name}: expected input to be 1D or 2D, got {input.ndim}D instead", FaultCode.WRONG_RANK
            )
        for state in () if hx is None else hx if pair else (hx,):
            if state.ndim not in (1, 2):
                raise ArgumentFault(
                    f"{name}: expected the hidden state to be 1D or 2D, got {state.ndim}D instead",
                    FaultCode.WRONG_RANK,
                )
        is_batched = input.ndim == 2
        if not is_batched:
            input = input.unsqueeze(0)
        if hx is None:
            hx = torch.zeros(input.shape[0], self.hidden_size, dtype=input.dtype, device=input.device)
            hx = (hx, hx) if pair else hx
        elif not is_batched and (hx[0] if pair else hx).ndim != 1:
            raise Fault(f"{name}: the input is 1D, but the hidden state is 2D", FaultCode.WRONG_RANK)
        elif not is_batched:
            hx = tuple(state.unsqueeze(0) for state in hx) if pair else hx.unsqueeze(0)
        result = function(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if not is_batched:
            result = tuple(state.squeeze(0) for state in result) if pair else result.squeeze(0)
        return result


@layer
class RNNCell(RNNCellBase):
    """One step of an Elman network."""

    __module__ = "torch.nn.modules.rnn"

    def __init__(
        self,
        input_size: Any,
        hidden_size: Any,
        bias: Any = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        functions = {"tanh": rnn_tanh_cell, "relu": rnn_relu_cell}
        if self.nonlinearity not in functions:
            raise Fault(f"RNNCell: unknown nonlinearity {self.nonlinearity}", FaultCode.INVALID_ARGUMENT)
        return self._step(functions[self.nonlinearity], input, hx)


@layer
class LSTMCell(RNNCellBase):
    """One step of a long short-term memory network."""

    __module__ = "torch.nn.modules.rnn"

    def __init__(
        self, input_size: Any, hidden_size: Any, bias: Any = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        return self._step(lstm_cell, input, hx)


@layer
class GRUCell(RNNCellBase):
    """One step of a gated recurrent network."""

    __module__ = "torch.nn.modules.rnn"

    def __init__(
        self, input_size: Any, hidden_size: Any, bias: Any = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        return self._step(gru_cell, input, hx)
