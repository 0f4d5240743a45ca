"""Arithmetic, reductions, changes of layout."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import Dim
from cutaway.recover.graph import Literal
from cutaway.recover.sources.onnx.layout import concat as onnx_concatenate
from cutaway.recover.sources.onnx.layout import indexed
from cutaway.recover.sources.onnx.registry import Call
from cutaway.recover.sources.tflite.operator import known_shape, operands, operator, out_shape

_LAYERS = {"RELU": "nn.ReLU", "RELU6": "nn.ReLU6", "LOGISTIC": "nn.Sigmoid", "TANH": "nn.Tanh", "HARD_SWISH": "nn.Hardswish",
           "ELU": "nn.ELU"}  # fmt: skip
_FUNCTIONS = {
    "EXP": "torch.exp", "LOG": "torch.log", "SQRT": "torch.sqrt", "RSQRT": "torch.rsqrt", "SQUARE": "torch.square",
    "ABS": "torch.abs", "SIN": "torch.sin", "COS": "torch.cos", "FLOOR": "torch.floor", "CEIL": "torch.ceil",
    "ROUND": "torch.round", "SIGN": "torch.sign", "LOGICAL_NOT": "torch.logical_not",
}  # fmt: skip
_INFIX = {
    "ADD": "+", "SUB": "-", "MUL": "*", "DIV": "/", "POW": "**", "GREATER": ">", "GREATER_EQUAL": ">=", "LESS": "<",
    "LESS_EQUAL": "<=", "EQUAL": "==", "LOGICAL_AND": "&", "LOGICAL_OR": "|",
}  # fmt: skip


@operator(" ".join(_LAYERS))
def activation(call: Call) -> None:
    """An activation without settings."""
    config: dict[str, Any] = {"alpha": 1.0} if call.op == "ELU" else {}
    call.emit(_LAYERS[call.op], call.name(), **config)


@operator(" ".join(_FUNCTIONS))
def function(call: Call) -> None:
    """A function of one tensor."""
    call.emit(_FUNCTIONS[call.op], call.name())


@operator(" ".join(_INFIX))
def arithmetic(call: Call) -> None:
    """An operator."""
    call.emit(_INFIX[call.op], *operands(call))


@operator("NEG")
def negative(call: Call) -> None:
    """A number with the other sign."""
    call.emit("neg", call.name())


@operator("NOT_EQUAL")
def unequal(call: Call) -> None:
    """Where two tensors differ."""
    call.emit("torch.ne", *operands(call))


@operator("MAXIMUM MINIMUM")
def extremes(call: Call) -> None:
    """The larger or smaller of two numbers."""
    left, right = operands(call)
    if isinstance(right, Literal) and isinstance(left, str):
        call.emit("torch.clamp", left, **{"min" if call.op == "MAXIMUM" else "max": right.value})
        return
    call.emit(f"torch.{call.op.lower()}", left, right)


@operator("SQUARED_DIFFERENCE")
def squared_difference(call: Call) -> None:
    """The square of a difference."""
    left, right = operands(call)
    made = call.temporary("-", left, right, shape=call.graph.shape(call.operation.outputs[0]))
    call.emit("**", made, Literal(2))


@operator("SELECT SELECT_V2")
def select(call: Call) -> None:
    """One of two tensors, element by element."""
    call.emit("torch.where", call.name(0), call.operand(1, 2), call.operand(2, 1))


@operator("MEAN SUM REDUCE_MAX REDUCE_MIN REDUCE_PROD")
def reduction(call: Call) -> None:
    """A number for all along some dimensions."""
    axes = call.numbers(1)
    if axes is None:
        call.unsupported("its axes are computed")
    rank = len(known_shape(call))
    dims = [axis % rank for axis in axes]
    method = {"MEAN": ".mean", "SUM": ".sum", "REDUCE_MAX": ".amax", "REDUCE_MIN": ".amin", "REDUCE_PROD": ".prod"}[
        call.op
    ]
    if method == ".prod" and len(dims) != 1:
        call.unsupported("it has several axes")
    last = dims == list(range(rank - len(dims), rank))
    chosen = [dim - rank for dim in dims] if last and rank > 2 else dims
    config: dict[str, Any] = {"dim": chosen[0] if len(chosen) == 1 else tuple(chosen)}
    if call.get("keep_dims", False):
        config["keepdim"] = True
    call.emit(method, call.name(), **config)


@operator("ARG_MAX ARG_MIN")
def position(call: Call) -> None:
    """Where the largest or smallest number is."""
    axis = call.numbers(1)
    if axis is None:
        call.unsupported("its axis is computed")
    made = call.temporary(f".arg{call.op[4:].lower()}", call.name(), shape=out_shape(call), dim=axis[0])
    call.emit(".to", made, dtype=call.graph.fact(call.operation.outputs[0]).dtype)


@operator("RESHAPE EXPAND_DIMS SQUEEZE")
def reshape(call: Call) -> None:
    """Another shape."""
    tensor, shape = call.tensor(0), out_shape(call)
    if tensor is not None and all(isinstance(size, int) for size in shape):
        call.graph.tensors[call.outputs[0]] = tensor.reshaped(*shape)
        return
    call.emit(".reshape", call.name(), sizes=shape)


@operator("TRANSPOSE")
def transpose(call: Call) -> None:
    """Dimensions in another order."""
    order = call.numbers(1)
    if order is None:
        call.unsupported("its order is computed")
    tensor = call.tensor(0)
    if tensor is not None:
        call.graph.tensors[call.outputs[0]] = tensor.permuted(*order)
        return
    call.emit(".permute", call.name(), dims=tuple(order))


@operator("CONCATENATION")
def concatenate(call: Call) -> None:
    """Tensors one after another."""
    onnx_concatenate(call)


@operator("PACK")
def pack(call: Call) -> None:
    """Tensors along a new dimension."""
    call.emit("torch.stack", *(name for name in call.operation.inputs if name), dim=call.get("axis", 0))


@operator("UNPACK")
def unpack(call: Call) -> None:
    """The tensors along a dimension."""
    call.emit(".unbind", call.name(), dim=call.get("axis", 0))


@operator("SPLIT")
def split(call: Call) -> None:
    """A tensor in equal parts; its axis comes first."""
    axis = call.numbers(0)
    if axis is None:
        call.unsupported("its axis is computed")
    call.emit(".chunk", call.name(1), chunks=len(call.operation.outputs), dim=axis[0])


@operator("PAD PADV2 MIRROR_PAD")
def pad(call: Call) -> None:
    """Numbers added around a tensor."""
    amounts = call.numbers(1)
    if amounts is None:
        call.unsupported("how much it adds is computed")
    if call.op == "MIRROR_PAD" and call.get("mode", 0) != 0:
        call.unsupported("it repeats the border")
    pairs = list(zip(amounts[::2], amounts[1::2]))
    value = call.operand(2) if call.has(2) else Literal(0)
    while pairs and pairs[0] == (0, 0):
        pairs.pop(0)
    if not isinstance(value, Literal):
        call.unsupported("the number that it adds is computed")
    config: dict[str, Any] = {"pad": tuple(amount for pair in reversed(pairs) for amount in pair)}
    if call.op == "MIRROR_PAD":
        config["mode"] = "reflect"
    elif value.value:
        config["value"] = value.value
    call.emit("F.pad", call.name(), **config)


@operator("BATCH_MATMUL")
def matmul(call: Call) -> None:
    """A product of matrices."""
    sides = []
    for place, key in enumerate(("adj_x", "adj_y")):
        name, shape = call.name(place), known_shape(call, place)
        if call.get(key, False):
            name = call.temporary(".transpose", name, shape=(*shape[:-2], shape[-1], shape[-2]), dims=(-2, -1))
        sides.append(name)
    weight = call.graph.tensors.get(sides[1])
    if weight is not None and len(weight.shape) == 2:
        size, out = weight.shape
        call.emit("nn.Linear", sides[0], weights={"weight": weight.permuted(1, 0)}, in_features=size, out_features=out,
                  bias=False)  # fmt: skip
        return
    call.emit("@", *sides)


@operator("STRIDED_SLICE SLICE")
def slices(call: Call) -> None:
    """A range of places along dimensions."""
    starts, ends = call.numbers(1), call.numbers(2)
    if starts is None or ends is None or call.get("ellipsis_mask", 0) or call.get("new_axis_mask", 0):
        call.unsupported("where it begins or ends is computed")
    index: list[Any] = []
    shape = known_shape(call)
    for place, (start, end, size) in enumerate(zip(starts, ends, shape)):
        if call.op == "SLICE":
            index.append(slice(start or None, None if end == -1 or start + end == size else start + end))
            continue
        steps = call.numbers(3) or [1] * len(starts)
        if call.get("shrink_axis_mask", 0) >> place & 1:
            index.append(start)
            continue
        first = None if call.get("begin_mask", 0) >> place & 1 or start == 0 else start
        whole = isinstance(end, int) and isinstance(size, int) and end >= size
        last = None if call.get("end_mask", 0) >> place & 1 or whole or (isinstance(end, Dim) and end == size) else end
        if not isinstance(steps[place], int) or steps[place] < 0:
            call.unsupported("it runs backwards")
        index.append(slice(first, last, None if steps[place] == 1 else steps[place]))
    indexed(call, call.name(), index)


@operator("TILE")
def tile(call: Call) -> None:
    """A tensor repeated along its dimensions."""
    times = call.numbers(1)
    if times is None:
        call.unsupported("how often is computed")
    call.emit(".repeat", call.name(), sizes=tuple(times))


@operator("BROADCAST_TO")
def broadcast(call: Call) -> None:
    """Dimensions of size one repeated."""
    call.emit(".expand", call.name(), sizes=out_shape(call))


@operator("GATHER")
def gather(call: Call) -> None:
    """Rows of a table by their numbers."""
    table, axis = call.tensor(0), call.get("axis", 0)
    if table is None or len(table.shape) != 2 or axis != 0 or call.get("batch_dims", 0):
        call.unsupported("it does not take rows of a stored table")
    rows, width = table.shape
    call.emit("nn.Embedding", call.name(1), weights={"weight": table}, num_embeddings=rows, embedding_dim=width)


@operator("CAST")
def cast(call: Call) -> None:
    """Another element type."""
    dtype = call.graph.fact(call.operation.outputs[0]).dtype
    if dtype is None:
        call.unsupported("the element type is not known")
    call.emit(".to", call.name(), dtype=dtype)


@operator("SHAPE")
def shape_of(call: Call) -> None:
    """The sizes of a tensor."""
    call.emit("shape_of", call.name(), start=0, end=None)
