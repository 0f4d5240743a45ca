"""Multiply-accumulates of operators of torch's dispatcher, from the sizes of their tensors."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.architecture import Quantity, Value

_PRODUCTS = {"mm": 0, "bmm": 0, "matmul": 0, "addmm": 1, "baddbmm": 1, "mv": 0, "dot": 0, "addmv": 1}
"""Operators of matrix products -> where the left factor is."""
_CONVOLUTIONS = frozenset(["conv1d", "conv2d", "conv3d", "convolution", "_convolution"])
_TRANSPOSED = frozenset(["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"])
_INVOLVED = frozenset(
    """einsum bilinear scaled_dot_product_attention convolution_backward lstm_cell gru_cell
    rnn_tanh_cell rnn_relu_cell cdist chain_matmul linalg_multi_dot tensordot inner addbmm addr ger outer
    multi_head_attention_forward""".split()
)
"""Operators that multiply and accumulate in ways that are not counted here."""
RECURRENT = {"lstm": 2, "gru": 1, "rnn_tanh": 1, "rnn_relu": 1}
"""Operators over all steps of a sequence -> how many states they are given."""


def macs(name: str, inputs: Sequence[Value], outputs: Sequence[Value]) -> Quantity:
    """Return what an operator costs; None where that is not known."""
    home, _, rest = name.partition(".")
    own = rest.partition(".")[0]
    if home != "aten":
        return 0 if name.startswith(("_operator", "operator", "<built-in")) or "getitem" in name else None
    made = _elements(outputs[0]) if outputs else None
    if own == "linear" and len(inputs) > 1:
        return _times(made, _last(inputs[1]))
    if own in _PRODUCTS and len(inputs) > _PRODUCTS[own]:
        return _times(made, _last(inputs[_PRODUCTS[own]]))
    if own in _CONVOLUTIONS and len(inputs) > 1:
        return _times(made, _elements(inputs[1], 1))
    if own in _TRANSPOSED and len(inputs) > 1:
        return _times(_elements(inputs[0]), _elements(inputs[1], 1))
    if own == "scaled_dot_product_attention" and len(inputs) > 2:
        return _attention(inputs)
    if own in RECURRENT and inputs:
        return _recurrent(inputs, 1 + RECURRENT[own] + name.endswith(".data"))
    return None if own in _INVOLVED or own.startswith(("linalg", "_scaled_dot", "_efficient", "_flash")) else 0


def _attention(inputs: Sequence[Value]) -> Quantity:
    query, key, value = (each.shape for each in inputs[:3])
    if not query or not key or not value:
        return None
    scores = _times(_elements(inputs[0]), key[-2])
    rows = _elements(Value("", (*query[:-1], key[-2], value[-1]), None))
    return None if scores is None or rows is None else scores + rows


def _recurrent(inputs: Sequence[Value], first: int) -> Quantity:
    """Multiply each matrix with every step of every sequence; parameters begin at `first`."""
    steps = _elements(Value("", (inputs[0].shape or (None,))[:-1], None))
    total: Quantity = 0
    for each in inputs[first:]:
        if each.shape is None or len(each.shape) == 2:
            cost = _times(steps, _elements(each))
            total = None if total is None or cost is None else total + cost
    return total


def _elements(value: Value, start: int = 0) -> Quantity:
    count: Quantity = 1
    for size in value.shape[start:] if value.shape is not None else (None,):
        count = _times(count, size)
    return count


def _last(value: Value) -> Quantity:
    return value.shape[-1] if value.shape else None


def _times(left: Quantity, right: Quantity) -> Quantity:
    return None if left is None or right is None else left * right
