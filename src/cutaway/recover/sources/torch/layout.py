"""Changes of layout: shapes, orders of dimensions, parts and joins; indices."""

from __future__ import annotations

from typing import Any

from cutaway.recover.graph import Input, Literal, Operand
from cutaway.recover.sources.torch.mutation import part_shape, scatter, simple_index
from cutaway.recover.sources.torch.table import row
from cutaway.recover.sources.traced import Call


def _flat(value: Any) -> list[Any]:
    """Return sizes or dimensions that are given as a list, or one by one."""
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    return _flat(values[0]) if len(values) == 1 and isinstance(values[0], (list, tuple)) else values


@row("view reshape _unsafe_view unflatten view_as reshape_as _reshape_alias", "input other")
def reshape(call: Call) -> None:
    """Another shape."""
    if call.get("dtype") is not None and call.key == "view":
        call.unsupported("it looks at the same bytes as another type")
    call.emit(".reshape", call.name(), sizes=call.out_shape())


@row("flatten")
def flatten(call: Call) -> None:
    """Dimensions joined into one."""
    start, end, rank = call.get("start_dim", 0), call.get("end_dim", -1), call.rank
    if end in (-1, rank - 1) and start == 1:
        call.emit("nn.Flatten", call.name(), start_dim=1)
    elif end in (-1, rank - 1):
        call.emit(".flatten", call.name(), start_dim=start)
    else:
        call.emit(".flatten", call.name(), start_dim=start, end_dim=end)


@row("permute")
def permute(call: Call) -> None:
    """Dimensions in another order."""
    call.emit(".permute", call.name(), dims=tuple(_flat(call.get("dims"))))


@row("transpose swapaxes swapdims transpose_copy")
def transpose(call: Call) -> None:
    """Two dimensions swapped."""
    first, second = (call.get(f"dim{n}", call.get(f"axis{n}")) for n in (0, 1))
    call.emit(".transpose", call.name(), dims=(first, second))


@row("t numpy_T mT T adjoint")
def turned(call: Call) -> None:
    """The last two dimensions swapped."""
    if call.rank < 2:
        call.alias(call.name())
    elif call.rank == 2 or call.key in ("mT", "adjoint"):
        call.emit(".transpose", call.name(), dims=(0, 1) if call.rank == 2 else (-2, -1))
    else:
        call.emit(".permute", call.name(), dims=tuple(reversed(range(call.rank))))


@row("movedim")
def movedim(call: Call) -> None:
    """Dimensions moved."""
    rank = call.rank
    sources, targets = _flat(call.get("source")), _flat(call.get("destination"))
    places = {target % rank: source % rank for source, target in zip(sources, targets)}
    rest = iter(dim for dim in range(rank) if dim not in places.values())
    call.emit(".permute", call.name(), dims=tuple(places[at] if at in places else next(rest) for at in range(rank)))


@row("squeeze")
def squeeze(call: Call) -> None:
    """Dimensions of size one removed."""
    dims = call.get("dim")
    if dims is None:
        dims = [place for place, size in enumerate(call.known_shape()) if size == 1]
    gone = [dim for dim in _flat(dims) if call.known_shape()[dim] == 1]
    if not gone:
        call.alias(call.name())
    else:
        call.emit(".squeeze", call.name(), dim=gone[0] if len(gone) == 1 else tuple(gone))


@row("unsqueeze")
def unsqueeze(call: Call) -> None:
    """A dimension of size one."""
    call.emit(".unsqueeze", call.name(), dim=call.get("dim"))


@row("cat concat concatenate", "")
def concatenate(call: Call) -> None:
    """Tensors one after another."""
    kept = [name for name in call.inputs if call.graph.shape(name) != (0,)]
    if len(kept) == 1:
        call.alias(kept[0])
        return
    call.emit("torch.cat", *kept, dim=call.get("dim", call.get("axis", 0)))


@row("stack", "")
def stack(call: Call) -> None:
    """Tensors along a new dimension."""
    call.emit("torch.stack", *call.inputs, dim=call.get("dim", 0))


@row("hstack vstack dstack row_stack column_stack", "")
def stacked(call: Call) -> None:
    """Tensors side by side."""
    rank = len(call.graph.shape(call.inputs[0]) or ())
    dim = {"hstack": 1, "vstack": 0, "dstack": 2, "row_stack": 0, "column_stack": 1}[call.key]
    if rank < 2 + (dim == 2):
        call.unsupported("its tensors have too few dimensions")
    call.emit("torch.cat", *call.inputs, dim=dim)


@row("split split_with_sizes chunk tensor_split unsafe_split unsafe_chunk")
def split(call: Call) -> None:
    """A tensor in parts."""
    dim = call.get("dim", 0)
    if len(call.outputs) == 1:
        call.alias(call.name())
        return
    sizes = [call.out_shape(place)[dim] for place in range(len(call.outputs))]
    whole = call.known_shape()[dim]
    if call.key in ("chunk", "unsafe_chunk") or (len(set(map(str, sizes))) == 1 and isinstance(whole, int)):
        call.emit(".chunk", call.name(), chunks=len(call.outputs), dim=dim)
    else:
        call.emit("torch.split", call.name(), sizes=sizes, dim=dim)


@row("unbind")
def unbind(call: Call) -> None:
    """The tensors along a dimension."""
    call.emit(".unbind", call.name(), dim=call.get("dim", 0))


@row("expand expand_as broadcast_to", "input other")
def expand(call: Call) -> None:
    """Dimensions of size one repeated."""
    out, own = call.out_shape(), call.known_shape()
    if out == tuple(own):
        call.alias(call.name())
        return
    padded = (None,) * (len(out) - len(own)) + tuple(own)
    call.emit(".expand", call.name(), sizes=tuple(-1 if size == before else size for size, before in zip(out, padded)))


@row("repeat tile")
def repeat(call: Call) -> None:
    """A tensor repeated along its dimensions."""
    times = _flat(call.get("repeats", call.get("sizes", call.get("repeat", call.get("dims")))))
    times = [1] * (call.rank - len(times)) + times
    if any(isinstance(each, str) for each in times):
        call.unsupported("how often is computed")
    call.emit(".repeat", call.name(), sizes=tuple(times))


@row("repeat_interleave", "input repeats")
def interleave(call: Call) -> None:
    """Each element repeated."""
    repeats = call.get("repeats")
    if repeats is None:
        call.unsupported("how often is computed")
    config = {} if call.get("dim") is None else {"dim": call.get("dim")}
    call.emit(".repeat_interleave", call.name(), repeats=repeats, **config)


@row("flip roll")
def moved(call: Call) -> None:
    """A tensor turned round, or shifted."""
    dims = call.get("dims")
    if call.key == "flip":
        call.emit("torch.flip", call.name(), dims=tuple(_flat(dims)))
        return
    shifts = _flat(call.get("shifts"))
    config: dict[str, Any] = {} if dims in (None, []) else {"dims": tuple(_flat(dims))}
    call.emit("torch.roll", call.name(), shifts=tuple(shifts), **config)


@row("select")
def select(call: Call) -> None:
    """One place of a dimension."""
    dim = call.get("dim", 0) % call.rank
    call.emit("getitem", call.name(), index=(*[slice(None)] * dim, call.get("index")))


@row("slice narrow")
def part(call: Call) -> None:
    """A range of places of a dimension."""
    dim, start, step = call.get("dim", 0) % call.rank, call.get("start", 0), call.get("step", 1)
    end = call.get("end") if call.key == "slice" else start + call.get("length")
    start = None if start == 0 else start
    end = None if isinstance(end, int) and end >= 2**31 - 1 else end
    if start is None and end is None and step == 1:
        call.alias(call.name())
        return
    index = (*[slice(None)] * dim, slice(start, end, None if step == 1 else step))
    call.emit("getitem", call.name(), index=index)


@row("__getitem__ index")
def item(call: Call) -> None:
    """An index."""
    if "key" not in call.attributes and (call.key == "index" or call.rest):
        given = call.get("indices") or ["tensor"] * len(call.rest)
        places = iter(range(1, len(call.inputs)))
        entries = tuple(slice(None) if each is None else Input(next(places)) for each in given)
        if next(places, None) is not None:
            call.unsupported("how its index is made up is not known")
        call.emit("getitem", *call.inputs, index=entries)
        return
    index = index_entries(call)
    rank = None if call.op.outputs[0].shape is None else len(call.op.outputs[0].shape)
    if index and all(type(each) is int for each in index) and rank != call.rank - len(index):
        if rank != call.rank:
            call.unsupported("whether its numbers are one index or several is not known")
        index = [index]  # a list takes several places, where a tuple takes one
    if all(each == slice(None) or each is ... for each in index):
        call.alias(call.name())
        return
    while index and index[-1] in (slice(None), ...):
        index.pop()
    call.emit("getitem", *call.inputs, index=tuple(index))


def index_entries(call: Call) -> list[Any]:
    """Return the entries of an index: ranges, numbers, and inputs by their places."""
    tensors = iter(range(1, len(call.inputs)))
    entries = call.attributes.get("key", call.attributes.get("indices", []))
    index: list[Any] = []
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry, dict) and "slice" in entry:
            index.append(slice(*entry["slice"]))
        elif entry == "...":
            index.append(...)
        elif isinstance(entry, str):
            index.append(Input(next(tensors)))
        else:
            index.append(entry)
    return index


@row("index_select", "input index")
def index_select(call: Call) -> None:
    """Places of a dimension by their numbers."""
    dim = call.get("dim") % call.rank
    call.emit("getitem", call.name(), call.name("index"), index=(*[slice(None)] * dim, Input(1)))


@row("gather", "input index")
def gather(call: Call) -> None:
    """An element for each place of an index."""
    call.emit("torch.gather", call.name(), call.name("index"), dim=call.get("dim"), index=Input(1))


@row("embedding", "input weight")
def embedding(call: Call) -> None:
    """Rows of a table by their numbers."""
    index, weight = call.inputs[0], call.inputs[1]
    if call.op.op == "torch.embedding" or call.op.op.startswith("aten."):
        weight, index = index, weight
    table = call.graph.tensors.get(weight)
    if table is None:
        call.emit("F.embedding", index, weight)
        return
    call.emit(
        "nn.Embedding", index, weights={"weight": table}, num_embeddings=table.shape[0], embedding_dim=table.shape[1]
    )


@row("diff", "input prepend append")
def difference(call: Call) -> None:
    """Differences of neighbours."""
    if call.op.op.startswith("aten.") and len(call.inputs) > 1 and not {"n", "dim"} <= set(call.attributes):
        call.unsupported("whether it adds numbers before or after is not known")
    given = [name for name in ("prepend", "append") if name in call.arguments]
    config: dict[str, Any] = {name: Input(place) for place, name in enumerate(given, 1)}
    if call.get("n", 1) != 1:
        config["n"] = call.get("n")
    call.emit("torch.diff", call.name(), *(call.name(name) for name in given), dim=call.get("dim", -1), **config)


@row("tril triu")
def triangle(call: Call) -> None:
    """The part above or below a diagonal."""
    config = {"diagonal": call.get("diagonal")} if call.get("diagonal", 0) else {}
    call.emit(f"torch.{call.key}", call.name(), **config)


@row("channel_shuffle")
def channel_shuffle(call: Call) -> None:
    """Channels of groups one after another."""
    call.emit("torch.channel_shuffle", call.name(), groups=call.get("groups"))


@row("__setitem__")
def put(call: Call) -> None:
    """A part of a tensor replaced: where all dimensions are taken by numbers and ranges, or where a mask is true."""
    entries = index_entries(call) if "key" in call.attributes else [Input(1)]
    shape, whole = call.known_shape(), call.name()
    value: Operand = Literal(call.attributes["value"]) if "value" in call.attributes else call.inputs[-1]
    if entries == [Input(1)] and isinstance(value, Literal):
        mask = call.graph.fact(call.inputs[1])
        if mask.dtype == "bool" and mask.shape == shape:
            call.emit(".masked_fill", whole, call.inputs[1], value)
            return
    if entries and all(isinstance(each, Input) for each in entries):
        new = filling(call, value, ()) if isinstance(value, Literal) else value
        _index_put(call, whole, call.inputs[1 : 1 + len(entries)], new)
        return
    simple = simple_index(tuple(entries), len(shape))
    if simple is None:
        call.unsupported("it changes a part of a tensor that is given by other tensors")
    wholes, places = [whole], []
    removed = 0
    for dim, entry in simple:
        inner = call.graph.shape(wholes[-1]) or ()
        at = dim - removed
        part = part_shape(inner, at, entry)
        if part is None:
            call.unsupported("the size of the part that it changes is not known")
        places.append((at, entry))
        wholes.append(call.temporary("getitem", wholes[-1], shape=part, index=(*[slice(None)] * at, entry)))
        removed += not isinstance(entry, slice)
    new = filling(call, value, call.graph.shape(wholes[-1]) or ())
    for (at, entry), outer in list(zip(places, wholes))[::-1]:
        op, config = scatter(at, entry)
        if outer == whole:
            call.emit(op, whole, new, **config)
            return
        new = call.temporary(op, outer, new, shape=call.graph.shape(outer), **config)
    call.alias(new)


@row("index_put", "")
def index_put(call: Call) -> None:
    """The places that tensors say replaced."""
    if call.get("indices") is not None or len(call.inputs) < 3:
        call.unsupported("which dimensions its tensors are for is not known")
    _index_put(call, call.inputs[0], call.inputs[1:-1], call.inputs[-1])


def _index_put(call: Call, whole: str, index: list[str], new: str) -> None:
    places = tuple(Input(place) for place in range(1, len(index) + 1))
    config: dict[str, Any] = {"accumulate": True} if call.get("accumulate", False) else {}
    call.emit("torch.index_put", whole, *index, new, indices=places, values=Input(len(index) + 1), **config)


@row("scatter scatter_add", "input index src")
def scattered(call: Call) -> None:
    """Elements written, or added, to the places of an index."""
    names = [call.name(), call.name("index")]
    config: dict[str, Any] = {"dim": call.get("dim"), "index": Input(1)}
    number = call.get("value", call.get("src"))
    if call.get("reduce") is not None:
        call.unsupported("it reduces")
    if "src" in call.arguments:
        names.append(call.name("src"))
        config["src"] = Input(2)
    elif isinstance(number, (int, float)):
        config["value"] = number
    else:
        call.unsupported("what it writes is not known")
    call.emit(f"torch.{call.key}", *names, **config)


def filling(call: Call, value: Operand, shape: tuple[Any, ...]) -> str:
    """Return a tensor of a shape, filled with a number or with a tensor that is repeated."""
    dtype = call.graph.fact(call.name()).dtype
    if isinstance(value, Literal):
        if not isinstance(value.value, (int, float)) or dtype is None:
            call.unsupported("the number is not known")
        number = float(value.value) if "float" in dtype else value.value
        return call.temporary("torch.full", Literal(shape), Literal(number), shape=shape, dtype=dtype)
    if call.graph.fact(value).dtype != dtype and dtype is not None:
        value = call.temporary(".to", value, shape=call.graph.shape(value), dtype=dtype)
    return value if call.graph.shape(value) == shape else call.temporary(".expand", value, shape=shape, sizes=shape)


@row("fill zero", "input value")
def fill(call: Call) -> None:
    """A tensor filled with a number."""
    value = Literal(0) if call.key == "zero" else call.arg("value")
    if value is None:
        call.unsupported("the number is not known")
    call.alias(filling(call, value, call.known_shape()))


@row("copy", "input src")
def copy(call: Call) -> None:
    """A tensor filled with another one."""
    call.alias(filling(call, call.name("src"), call.known_shape()))
