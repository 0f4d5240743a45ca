"""Orders of dimensions: changes that a framework's layers need are put off, so that most of them cancel out.

A reader puts a node `layout` around a layer whose channels come second, or last, where those of its network do not. Here
each value is its base with the dimensions in another order; nodes are moved onto the bases as far as they allow it, and a
change of order remains only where a node needs one.
"""

from __future__ import annotations

from typing import Any

from cutaway.core.contents import Fact
from cutaway.core.record import replace
from cutaway.recover.graph import Graph, Input, Literal, Node, Operand, Path

LAYOUT = "layout"
"""The operation that changes the order of dimensions for a framework's sake."""

ELEMENTWISE = {
    "nn.ReLU", "nn.ReLU6", "nn.Sigmoid", "nn.Tanh", "nn.Hardswish", "nn.Hardsigmoid", "nn.Mish", "nn.SiLU", "nn.SELU",
    "nn.Softplus", "nn.GELU", "nn.LeakyReLU", "nn.ELU", "nn.CELU", "nn.Threshold", "nn.Softshrink", "nn.Hardshrink",
    "torch.clamp", "torch.where", ".to", "neg", "torch.maximum", "torch.minimum", "torch.div", "torch.fmod", "torch.ne",
    "F.softsign", "F.logsigmoid", "F.tanhshrink", "+", "-", "*", "/", "**", "%", "==", ">", ">=", "<", "<=", "&", "|", "^",
    "torch.abs", "torch.exp", "torch.log", "torch.sqrt", "torch.rsqrt", "torch.square", "torch.erf", "torch.erfc", "torch.floor",
    "torch.ceil", "torch.round", "torch.sign", "torch.sin", "torch.cos", "torch.tan", "torch.reciprocal", "torch.log1p",
    "torch.expm1", "torch.logical_not", "torch.isnan", "torch.tanh", "torch.sigmoid", "torch.lerp",
}  # fmt: skip
"""Operations on each element, whatever the order of dimensions."""
_ALONG = {"nn.Softmax", "nn.LogSoftmax", "torch.cat", ".chunk", "torch.split", "torch.cumsum", "torch.flip", "F.glu"}
"""Operations along one dimension that keep the number of dimensions."""
_REDUCTIONS = {".mean", ".sum", ".amax", ".amin", ".prod", ".logsumexp", ".argmax", ".argmin", "torch.var", "torch.std"}

Order = tuple[int, ...]


def settle_layouts(graph: Graph) -> None:
    """Move nodes onto the bases of their inputs, and leave a change of order only where one is needed."""
    pass_ = _Pass(graph)
    for node in graph.nodes:
        pass_.visit(node)
    graph.outputs = [pass_.plain(name, ()) for name in graph.outputs]
    graph.nodes = pass_.nodes


class _Pass:
    """What is known while nodes are visited in order: of each value, its base and the order of its dimensions in it."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.nodes: list[Node] = []
        self.pending: dict[str, tuple[str, Order]] = {}
        self.aliases: dict[str, str] = {}
        self.written: dict[tuple[str, Order], str] = {}
        self.homes: dict[str, Path] = {}

    def visit(self, node: Node) -> None:
        """Add a node, in the layout that its inputs have."""
        node.inputs = [self.aliases.get(each, each) if isinstance(each, str) else each for each in node.inputs]
        self.homes.update(dict.fromkeys((*node.outputs, *(f"{name}@base" for name in node.outputs)), node.path))
        source = node.inputs[0] if node.inputs else None
        if node.op == LAYOUT and isinstance(source, str):
            self._turn(node, source, put_off=True)
        elif node.op in (".permute", ".transpose") and source in self.pending:
            self._turn(node, source, put_off=False)  # type: ignore[arg-type]
        elif not any(name in self.pending for name in node.reads()) or node.missing or not self._moved(node):
            node.inputs = [self.plain(each, node.path) if isinstance(each, str) else each for each in node.inputs]
            self.nodes.append(node)

    def _turn(self, node: Node, source: str, put_off: bool) -> None:
        base, order = self.pending.get(source, (source, None))
        rank = len(node.config["dims"]) if node.op != ".transpose" else len(order or ())
        dims = _dims(node, rank)
        composed = dims if order is None else tuple(order[place] for place in dims)
        (out,) = node.outputs
        if composed == tuple(range(rank)):
            self.aliases[out] = base
            return
        self.pending[out] = base, composed
        if not put_off:
            self.aliases[out] = self.plain(out, node.path)

    def plain(self, name: str, path: Path) -> str:
        """Return a value as it is, with its dimensions in their order."""
        name = self.aliases.get(name, name)
        if name not in self.pending:
            return name
        base, order = self.pending[name]
        return self._ordered(base, order, path, name)

    def _ordered(self, base: str, order: Order, path: Path, name: str = "") -> str:
        if order == tuple(range(len(order))):
            return base
        key = base, order
        if key not in self.written:
            out = f"{name or base}@{''.join(map(str, order))}"
            fact = self.graph.fact(base)
            shape = None if fact.shape is None else tuple(fact.shape[place] for place in order)
            self.graph.facts[out] = replace(fact, shape=shape, numbers=None)
            self.nodes.append(Node(".permute", [base], [out], {"dims": order}, path=self._between(base, path)))
            self.written[key] = out
        return self.written[key]

    def _between(self, base: str, path: Path) -> Path:
        """Return the innermost module around what makes a value and what reads it, outside of layers."""
        maker = self.homes.get(base, ())
        shared = 0
        while shared < min(len(maker), len(path) - 1) and maker[shared] == path[shared]:
            shared += 1
        return path[:shared]

    def _as(self, operand: Operand, order: Order, path: Path) -> Operand | None:
        """Return what an operand is the reordering of; None where that needs more than a change of order."""
        if isinstance(operand, Literal):
            return operand
        shape = self.graph.shape(operand)
        if shape == ():
            return operand
        back = _inverse(order)
        tensor = self.graph.tensors.get(operand)
        if tensor is not None:
            padded = (1,) * (len(order) - len(tensor.shape)) + tensor.shape
            own = tensor.reshaped(*padded).permuted(*back)
            while own.shape and own.shape[0] == 1 and len(own.shape) > 1 and len(own.shape) > len(tensor.shape):
                own = own.reshaped(*own.shape[1:])
            if own == tensor:
                return operand
            name = f"{operand}@{''.join(map(str, back))}"
            self.graph.tensors[name] = own
            self.graph.facts[name] = Fact(own.shape, own.dtype)
            return name
        if operand in self.pending:
            base, own_order = self.pending[operand]
            if len(own_order) != len(order):
                return None
            return base if own_order == order else self._ordered(base, tuple(own_order[at] for at in back), path)
        if shape is None or len(shape) != len(order):
            return None
        return self._ordered(operand, back, path)

    def _moved(self, node: Node) -> bool:
        """Add a node on the bases of its inputs; tell whether that is possible."""
        order = next(self.pending[name][1] for name in node.reads() if name in self.pending)
        rank = len(order)
        if node.op in ELEMENTWISE:
            shape = self.graph.shape(node.outputs[0])
            return shape is not None and len(shape) == rank and self._rewrite(node, order, node.config, order)
        if node.op in _ALONG and isinstance(node.config.get("dim", node.config.get("dims")), (int, tuple)):
            key = "dim" if "dim" in node.config else "dims"
            return self._rewrite(node, order, {**node.config, key: _mapped(node.config[key], order)}, order)
        if (node.op in _REDUCTIONS or node.op == ".squeeze") and "dim" in node.config and len(node.inputs) == 1:
            dims = node.config["dim"]
            gone = {dim % rank for dim in (dims if isinstance(dims, tuple) else (dims,))}
            config = {**node.config, "dim": _mapped(dims, order)}
            return self._rewrite(node, order, config, order if node.config.get("keepdim") else _without(order, gone))
        if node.op == "getitem" and len(node.inputs) == 1:
            return self._index(node, order)
        if node.op == "F.pad" and node.config.get("mode", "constant") == "constant":
            return self._pad(node, order)
        return node.op in (".reshape", "nn.Flatten", ".flatten") and self._reshaped(node, order)

    def _reshaped(self, node: Node, order: Order) -> bool:
        """Add a reshape on the base, where only dimensions of size one have changed places."""
        if not self._keeps_order(node, order):
            return False
        base = self.pending[node.inputs[0]][0]  # type: ignore[index]
        shape, own = self.graph.shape(node.outputs[0]), self.graph.shape(base)
        node.inputs = [base]
        is_flat = own is not None and shape is not None and len(shape) == 2 and own[0] == shape[0]
        if node.op != ".reshape" and is_flat:
            node.op, node.config = "nn.Flatten", {"start_dim": 1}
        else:
            node.op, node.config = ".reshape", {"sizes": shape}
        self.nodes.append(node)
        return True

    def _keeps_order(self, node: Node, order: Order) -> bool:
        """Tell whether only dimensions of size one have changed places."""
        shape = self.graph.shape(self.pending[node.inputs[0]][0])  # type: ignore[index]
        if shape is None or len(node.inputs) != 1 or self.graph.shape(node.outputs[0]) is None:
            return False
        kept = [place for place in order if shape[place] != 1]
        return kept == sorted(kept)

    def _rewrite(self, node: Node, order: Order, config: dict[str, Any], after: Order) -> bool:
        inputs = []
        for operand in node.inputs:
            own = self._as(operand, order, node.path)
            if own is None:
                return False
            inputs.append(own)
        outputs: list[str] = []
        for name in node.outputs:
            if not name:
                outputs.append(name)
                continue
            fact = self.graph.fact(name)
            if fact.shape is not None and len(fact.shape) != len(after):
                return False
            if after == tuple(range(len(after))):
                outputs.append(name)
                continue
            base = f"{name}@base"
            shape = None if fact.shape is None else tuple(fact.shape[place] for place in _inverse(after))
            self.graph.facts[base] = replace(fact, shape=shape, numbers=None)
            self.pending[name] = base, after
            outputs.append(base)
        self.nodes.append(replace(node, inputs=inputs, outputs=outputs, config=config))
        return True

    def _index(self, node: Node, order: Order) -> bool:
        index = node.config["index"]
        if not isinstance(index, tuple) or any(
            each is None or each is ... or isinstance(each, (Input, list)) for each in index
        ):
            return False
        whole = [*index, *[slice(None)] * (len(order) - len(index))]
        moved = [whole[place] for place in _inverse(order)]
        while moved and moved[-1] == slice(None):
            moved.pop()
        gone = {place for place, each in enumerate(whole) if not isinstance(each, slice)}
        return self._rewrite(node, order, {"index": tuple(moved)}, _without(order, gone))

    def _pad(self, node: Node, order: Order) -> bool:
        rank = len(order)
        flat = list(node.config["pad"])
        pairs = [(0, 0)] * rank
        for place in range(len(flat) // 2):
            pairs[rank - 1 - place] = (flat[2 * place], flat[2 * place + 1])
        moved = [pairs[place] for place in _inverse(order)]
        while moved and moved[0] == (0, 0):
            moved.pop(0)
        pad = tuple(amount for pair in reversed(moved) for amount in pair)
        return self._rewrite(node, order, {**node.config, "pad": pad}, order)


def _dims(node: Node, rank: int) -> Order:
    dims = tuple(dim % rank for dim in node.config["dims"])
    if node.op != ".transpose":
        return dims
    order = list(range(rank))
    order[dims[0]], order[dims[1]] = order[dims[1]], order[dims[0]]
    return tuple(order)


def _inverse(order: Order) -> Order:
    return tuple(order.index(place) for place in range(len(order)))


def _mapped(dims: Any, order: Order) -> Any:
    if isinstance(dims, tuple):
        return tuple(sorted(order[dim] for dim in dims))
    mapped = order[dims]
    return -1 if mapped == len(order) - 1 and len(order) > 2 else mapped


def _without(order: Order, gone: set[int]) -> Order:
    """Return the order that remains when some dimensions of the value are gone."""
    kept = [place for at, place in enumerate(order) if at not in gone]
    ranks = {place: at for at, place in enumerate(sorted(kept))}
    return tuple(ranks[place] for place in kept)
