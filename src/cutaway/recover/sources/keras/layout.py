"""Changes of layout, joins, parts, products and attention."""

from __future__ import annotations

import math
from typing import Any

from cutaway.recover.graph import Input, Literal
from cutaway.recover.sources.keras.table import row
from cutaway.recover.sources.torch.creation import constant as torch_constant
from cutaway.recover.sources.torch.layout import item as torch_item
from cutaway.recover.sources.traced import Call


@row("reshape", "x")
def reshape(call: Call) -> None:
    """Another shape; that of a weight is changed where it is stored."""
    tensor, shape = call.tensor("x"), call.out_shape()
    if tensor is not None and all(isinstance(size, int) for size in shape):
        call.graph.tensors[call.outputs[0]] = tensor.reshaped(*shape)
        return
    call.emit(".reshape", call.name("x"), sizes=shape)


@row("transpose", "x")
def transpose(call: Call) -> None:
    """Dimensions in another order."""
    axes = call.get("axes")
    rank = len(call.known_shape("x"))
    call.emit(".permute", call.name("x"), dims=tuple(axes) if axes else tuple(reversed(range(rank))))


@row("swapaxes", "x")
def swap(call: Call) -> None:
    """Two dimensions swapped."""
    call.emit(".transpose", call.name("x"), dims=(call.get("axis1"), call.get("axis2")))


@row("moveaxis", "x")
def moveaxis(call: Call) -> None:
    """Dimensions moved."""
    rank = len(call.known_shape("x"))
    given = [call.get(key) for key in ("source", "destination")]
    sources, targets = (list(each) if isinstance(each, list) else [each] for each in given)
    places = {target % rank: source % rank for source, target in zip(sources, targets)}
    rest = iter(dim for dim in range(rank) if dim not in places.values())
    call.emit(".permute", call.name("x"), dims=tuple(places[at] if at in places else next(rest) for at in range(rank)))


@row("expand_dims", "x")
def expand_dims(call: Call) -> None:
    """A dimension of size one."""
    axis = call.get("axis")
    if isinstance(axis, list):
        call.emit(".reshape", call.name("x"), sizes=call.out_shape())
        return
    call.emit(".unsqueeze", call.name("x"), dim=axis)


@row("squeeze", "x")
def squeeze(call: Call) -> None:
    """Dimensions of size one removed."""
    axis = call.get("axis")
    if not isinstance(axis, int):
        call.emit(".reshape", call.name("x"), sizes=call.out_shape())
        return
    call.emit(".squeeze", call.name("x"), dim=axis)


@row("concatenate", "")
def concatenate(call: Call) -> None:
    """Tensors one after another."""
    call.emit("torch.cat", *call.inputs, dim=call.get("axis", -1))


@row("stack", "")
def stack(call: Call) -> None:
    """Tensors along a new dimension."""
    call.emit("torch.stack", *call.inputs, dim=call.get("axis", 0))


@row("split", "x")
def split(call: Call) -> None:
    """A tensor in parts."""
    axis = call.get("axis", 0)
    sizes = [call.out_shape(place)[axis] for place in range(len(call.outputs))]
    if len(set(map(str, sizes))) == 1:
        call.emit(".chunk", call.name("x"), chunks=len(sizes), dim=axis)
    else:
        call.emit("torch.split", call.name("x"), sizes=sizes, dim=axis)


@row("flip", "x")
def flip(call: Call) -> None:
    """A tensor turned round."""
    axis = call.get("axis")
    call.emit("torch.flip", call.name("x"), dims=tuple(axis) if isinstance(axis, list) else (axis,))


@row("repeat", "x")
def repeat(call: Call) -> None:
    """Each element repeated."""
    call.emit(".repeat_interleave", call.name("x"), repeats=call.get("repeats"), dim=call.get("axis"))


@row("tile", "x")
def tile(call: Call) -> None:
    """A tensor repeated along its dimensions."""
    times = call.get("repeats")
    call.emit(".repeat", call.name("x"), sizes=tuple(times if isinstance(times, list) else [times]))


@row("broadcast_to", "x")
def broadcast(call: Call) -> None:
    """Dimensions of size one repeated."""
    call.emit(".expand", call.name("x"), sizes=call.out_shape())


@row("get_item", "input")
def item(call: Call) -> None:
    """An index."""
    torch_item(call)


@row("take", "x indices")
def take(call: Call) -> None:
    """Places of a dimension by their numbers; rows of a stored table are an embedding."""
    table, axis = call.tensor("x"), call.get("axis")
    if "indices" in call.attributes:
        index = call.get("indices")
        if not isinstance(index, int) or axis is None:
            call.unsupported("its indices are a list")
        place = axis % len(call.known_shape("x"))
        call.emit("getitem", call.name("x"), index=(*[slice(None)] * place, index))
        return
    if table is not None and len(table.shape) == 2 and axis == 0:
        rows, width = table.shape
        call.emit(
            "nn.Embedding", call.name("indices"), weights={"weight": table}, num_embeddings=rows, embedding_dim=width
        )
        return
    if axis is None:
        call.unsupported("it takes from all dimensions")
    place = axis % len(call.known_shape("x"))
    call.emit("getitem", call.name("x"), call.name("indices"), index=(*[slice(None)] * place, Input(1)))


@row("pad", "x")
def pad(call: Call) -> None:
    """Numbers added around a tensor."""
    pairs = [list(pair) if isinstance(pair, list) else [pair, pair] for pair in call.get("pad_width")]
    mode = call.get("mode", "constant")
    while pairs and pairs[0] == [0, 0]:
        pairs.pop(0)
    if not pairs:
        call.alias(call.name("x"))
        return
    config: dict[str, Any] = {"pad": tuple(amount for pair in reversed(pairs) for amount in pair)}
    if mode != "constant":
        call.unsupported(f"its mode is {mode}")
    if call.get("constant_values"):
        config["value"] = call.get("constant_values")
    call.emit("F.pad", call.name("x"), **config)


@row("matmul dot", "x1 x2")
def matmul(call: Call) -> None:
    """A product of matrices; with a stored matrix on the right, a linear layer."""
    weight = call.tensor("x2")
    if weight is not None and len(weight.shape) == 2:
        size, out = weight.shape
        call.emit("nn.Linear", call.name("x1"), weights={"weight": weight.permuted(1, 0)}, in_features=size, out_features=out,
                  bias=False)  # fmt: skip
        return
    call.emit("@", call.name("x1"), call.name("x2"))


@row("einsum", "")
def einsum(call: Call) -> None:
    """A sum of products; with a stored kernel on the right, a linear layer."""
    equation = str(call.get("subscripts", "")).replace(" ", "")
    if not equation.isascii() or not equation or not all(sign.isalpha() or sign in ",->." for sign in equation):
        call.unsupported("its equation is not known")
    operands, _, result = equation.partition("->")
    letters = operands.split(",")
    weight = call.graph.tensors.get(call.inputs[-1]) if len(call.inputs) == 2 else None
    if weight is not None and len(letters) == 2 and "." not in equation and _is_linear(letters[0], letters[1], result):
        left, right = letters
        shared = [letter for letter in right if letter in left]
        new = [letter for letter in right if letter not in left]
        ins = math.prod(weight.shape[right.index(letter)] for letter in shared)
        outs = math.prod(weight.shape[right.index(letter)] for letter in new)
        shape = call.graph.shape(call.inputs[0]) or ()
        lead = tuple(shape[: len(shape) - len(shared)])
        matrix = weight.permuted(*(right.index(letter) for letter in (*new, *shared))).reshaped(outs, ins)
        source = call.inputs[0]
        if len(shared) > 1:
            source = call.temporary(".reshape", source, shape=(*lead, ins), sizes=(*lead, ins))
        config = {"in_features": ins, "out_features": outs, "bias": False}
        if len(new) == 1:
            call.emit("nn.Linear", source, weights={"weight": matrix}, **config)
            return
        made = call.temporary("nn.Linear", source, shape=(*lead, outs), weights={"weight": matrix}, **config)
        call.emit(".reshape", made, sizes=call.out_shape())
        return
    call.emit("torch.einsum", Literal(equation), *call.inputs)


def _is_linear(left: str, right: str, result: str) -> bool:
    """Tell whether the last dimensions of a tensor are multiplied by a matrix."""
    shared = [letter for letter in left if letter in right]
    new = [letter for letter in right if letter not in left]
    return bool(shared) and left.endswith("".join(shared)) and result == left[: -len(shared)] + "".join(new)


@row("dot_product_attention", "query key value bias mask")
def attention(call: Call) -> None:
    """Attention; heads come after positions."""
    if call.get("attn_logits_soft_cap") is not None or "bias" in call.arguments:
        call.unsupported("its scores have a bias or a limit")
    config: dict[str, Any] = {}
    turned = []
    for name in ("query", "key", "value"):
        shape = call.known_shape(name)
        order = (shape[0], shape[2], shape[1], shape[3])
        turned.append(call.temporary(".transpose", call.name(name), shape=order, dims=(1, 2)))
    if "mask" in call.arguments:
        turned.append(call.name("mask"))
        config["attn_mask"] = Input(3)
    if call.get("is_causal", False):
        config["is_causal"] = True
    scale, width = call.get("scale"), call.known_shape("query")[-1]
    if scale is not None and not (isinstance(width, int) and math.isclose(scale, width**-0.5, rel_tol=1e-6)):
        config["scale"] = scale
    shape = call.out_shape()
    made = call.temporary(
        "F.scaled_dot_product_attention", *turned, shape=(shape[0], shape[2], shape[1], shape[3]), **config
    )
    call.emit(".transpose", made, dims=(1, 2))


@row("zeros ones full zeros_like ones_like full_like", "like")
def filled(call: Call) -> None:
    """A tensor of one number."""
    number = {"zeros": 0, "ones": 1}.get(call.key.removesuffix("_like"), call.get("fill_value"))
    dtype = call.op.outputs[0].dtype or "float32"
    if not isinstance(number, (int, float)):
        call.unsupported("the number is computed")
    call.emit(
        "torch.full", Literal(call.out_shape()), Literal(float(number) if "float" in dtype else number), dtype=dtype
    )


@row("arange", "")
def numbers(call: Call) -> None:
    """Numbers from one to another."""
    start, stop, step = call.get("start", 0), call.get("stop"), call.get("step", 1)
    if stop is None:
        start, stop = 0, start
    arguments = [Literal(stop)] if start == 0 and step == 1 else [Literal(start), Literal(stop)]
    if step != 1:
        arguments.append(Literal(step))
    call.emit("torch.arange", *arguments, dtype=call.op.outputs[0].dtype)


@row("array constant", "data")
def constant(call: Call) -> None:
    """A tensor of numbers that the program has."""
    torch_constant(call)
