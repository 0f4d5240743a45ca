"""Changes of layout, joins, parts, attention, constants."""

from __future__ import annotations

from typing import Any

from cutaway.recover.graph import Input, Literal
from cutaway.recover.targets.keras.table import LAST, Rewriting, row


@row(".reshape")
def reshape(call: Rewriting) -> None:
    """Another shape."""
    call.emit("ops.reshape", call.name(), sizes=tuple(call.get("sizes")))


@row("nn.Flatten .flatten")
def flatten(call: Rewriting) -> None:
    """Dimensions joined into one."""
    if call.op == "nn.Flatten" and call.get("start_dim", 1) == 1:
        call.emit("layers.Flatten", call.name())
        return
    call.emit("ops.reshape", call.name(), sizes=call.out_shape())


@row(".permute")
def permute(call: Rewriting) -> None:
    """Dimensions in another order."""
    rank = len(call.get("dims"))
    call.emit("ops.transpose", call.name(), axes=tuple(dim % rank for dim in call.get("dims")))


@row(".transpose")
def transpose(call: Rewriting) -> None:
    """Two dimensions swapped."""
    call.emit("ops.swapaxes", call.name(), axes=tuple(call.get("dims")))


@row(".squeeze")
def squeeze(call: Rewriting) -> None:
    """Dimensions of size one removed."""
    call.emit("ops.squeeze", call.name(), axis=call.get("dim"))


@row(".unsqueeze")
def unsqueeze(call: Rewriting) -> None:
    """A dimension of size one."""
    call.emit("ops.expand_dims", call.name(), axis=call.get("dim"))


@row("torch.cat torch.stack")
def join(call: Rewriting) -> None:
    """Tensors one after another, or along a new dimension."""
    op = "ops.concatenate" if call.op == "torch.cat" else "ops.stack"
    call.emit(op, *call.node.inputs, axis=call.get("dim", 0))


@row(".chunk torch.split .unbind")
def split(call: Rewriting) -> None:
    """A tensor in parts."""
    axis = call.get("dim", 0)
    if call.op == ".unbind":
        call.emit("ops.unstack", call.name(), axis=axis)
        return
    if call.op == ".chunk":
        size = call.shape()[axis]
        if isinstance(size, int) and size % call.get("chunks"):
            call.unsupported("its parts are not all of one size")
        call.emit("ops.split", call.name(), sections=call.get("chunks"), axis=axis)
        return
    sizes = call.get("sizes")
    places: list[Any] = []
    if isinstance(sizes, int):
        call.unsupported("its parts are not listed")
    for size in sizes[:-1]:
        places.append(size + (places[-1] if places else 0))
    call.emit("ops.split", call.name(), sections=places, axis=axis)


@row(".expand")
def expand(call: Rewriting) -> None:
    """Dimensions of size one repeated."""
    call.emit("ops.broadcast_to", call.name(), shape=call.out_shape())


@row(".repeat")
def repeat(call: Rewriting) -> None:
    """A tensor repeated along its dimensions."""
    call.emit("ops.tile", call.name(), repeats=tuple(call.get("sizes")))


@row(".repeat_interleave")
def interleave(call: Rewriting) -> None:
    """Each element repeated."""
    call.emit("ops.repeat", call.name(), repeats=call.get("repeats"), axis=call.get("dim"))


@row("torch.flip")
def flip(call: Rewriting) -> None:
    """A tensor turned round."""
    call.emit("ops.flip", call.name(), axis=tuple(call.get("dims")))


@row("torch.roll")
def roll(call: Rewriting) -> None:
    """A tensor shifted."""
    call.emit("ops.roll", call.name(), shift=tuple(call.get("shifts")), axis=tuple(call.get("dims")))


@row("F.pad")
def pad(call: Rewriting) -> None:
    """Numbers added around a tensor."""
    flat, rank, mode = list(call.get("pad")), len(call.shape()), call.get("mode", "constant")
    pairs = [(0, 0)] * rank
    for place in range(len(flat) // 2):
        pairs[rank - 1 - place] = (flat[2 * place], flat[2 * place + 1])
    if any(isinstance(amount, int) and amount < 0 for pair in pairs for amount in pair):
        call.unsupported("it cuts off")
    if mode not in ("constant", "reflect"):
        call.unsupported(f"its mode is {mode}")
    value = call.get("value", 0)
    is_image = rank == 4 and mode == "constant" and not value and pairs[0] == (0, 0) == pairs[3]
    if is_image and all(isinstance(amount, int) for pair in pairs for amount in pair):
        call.emit("layers.ZeroPadding2D", call.name(), padding=(pairs[1], pairs[2]))
        return
    config: dict[str, Any] = {"pad_width": tuple(pairs)}
    if mode != "constant":
        config["mode"] = mode
    elif value:
        config["constant_values"] = value
    call.emit("ops.pad", call.name(), **config)


@row("getitem")
def item(call: Rewriting) -> None:
    """An index; places by their numbers are taken along a dimension."""
    index = call.get("index")
    if len(call.node.inputs) == 1:
        if isinstance(index, tuple) and any(isinstance(each, list) for each in index):
            call.unsupported("it takes places of a list")
        call.emit("getitem", call.name(), index=index)
        return
    tensors = [each for each in index if isinstance(each, Input)] if isinstance(index, tuple) else []
    if len(tensors) != 1 or any(each != slice(None) for each in index if not isinstance(each, Input)):
        call.unsupported("it has several tensors as index")
    call.emit("ops.take", call.name(), call.name(1), axis=index.index(tensors[0]))


@row("torch.gather")
def gather(call: Rewriting) -> None:
    """An element for each place of an index."""
    call.emit("ops.take_along_axis", call.name(), call.name(1), axis=call.get("dim"))


@row("F.scaled_dot_product_attention")
def attention(call: Rewriting) -> None:
    """Attention; of four dimensions, heads have been moved after positions."""
    query, key, value = (call.name(place) for place in range(3))
    width = call.shape()[-1]
    scale = call.get("scale")
    masked = "attn_mask" in call.config
    if call.node.op.startswith(LAST):
        config: dict[str, Any] = {} if scale is None else {"scale": scale}
        if call.get("is_causal"):
            config["is_causal"] = True
        extra = []
        if masked:
            is_bool = call.graph.fact(call.node.inputs[3]).dtype == "bool"
            config["mask" if is_bool else "bias"] = Input(3)
            extra.append(call.name(3))
        call.emit("ops.dot_product_attention", query, key, value, *extra, **config)
        return
    if masked or call.get("is_causal") or not isinstance(width, int):
        call.unsupported("it has a mask, and not four dimensions")
    shape, keys = call.shape(), call.shape(1)
    turned = call.temporary("ops.swapaxes", key, shape=(*keys[:-2], keys[-1], keys[-2]), axes=(-2, -1))
    scores = call.temporary("@", query, turned, shape=(*shape[:-1], keys[-2]))
    scaled = call.temporary(
        "*", scores, Literal(width**-0.5 if scale is None else scale), shape=(*shape[:-1], keys[-2])
    )
    weights = call.temporary("layers.Softmax", scaled, shape=(*shape[:-1], keys[-2]), axis=-1)
    call.emit("@", weights, value)


@row("torch.full")
def full(call: Rewriting) -> None:
    """A tensor of one number."""
    call.emit("ops.full", *call.node.inputs, dtype=call.get("dtype"))


@row("torch.arange")
def numbers(call: Rewriting) -> None:
    """Numbers from one to another."""
    call.emit("ops.arange", *call.node.inputs, dtype=call.get("dtype"))


@row("torch.tensor")
def constant(call: Rewriting) -> None:
    """Numbers that the program has."""
    call.emit("ops.convert_to_tensor", *call.node.inputs, dtype=call.get("dtype"))


@row("torch.triu torch.tril")
def triangle(call: Rewriting) -> None:
    """The part above or below a diagonal."""
    call.emit(f"ops.{call.op.rpartition('.')[2]}", call.name(), k=call.get("diagonal", 0))
