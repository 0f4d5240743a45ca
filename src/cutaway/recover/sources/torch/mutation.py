"""Tensors that are changed where they are: what reads them later, or a view of them, reads what they became."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutaway.core.contents import Fact
from cutaway.core.record import dataclass, replace
from cutaway.core.size.dim import floordiv
from cutaway.recover.graph import Graph, Input, Node

_COPIES = ("clone", "lift_fresh_copy", "contiguous_copy", "to_copy", "_to_copy",
           "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes")  # fmt: skip
_VIEWS = (".reshape", ".flatten", "nn.Flatten", ".transpose", ".permute", ".unsqueeze", ".squeeze", ".expand", "getitem",
          ".unbind", ".chunk", "torch.split", "identity")  # fmt: skip
_OTHER_VIEWS = frozenset(
    "diagonal unfold as_strided view_as_real view_as_complex real imag hsplit vsplit dsplit tensor_split expand_as".split()
)
"""Operations whose results are views that nothing can be put back into."""
_MAY_COPY = ("reshape", "reshape_as", "flatten", "contiguous")
_KEEP_ORDER = (".reshape", ".flatten", "nn.Flatten", ".unsqueeze", ".squeeze", "identity")
_NO_PART = "it changes a tensor through a view of it that has no code"


@dataclass(frozen=True, slots=True)
class Origin:
    """What a node was made for: the key of an operation, the tensor that it changes where it is, and its name."""

    key: str
    changes: str | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class _View:
    """A value as a part of another: the nodes that take the part, each with the place of its output."""

    root: str
    steps: tuple[tuple[Node, int], ...] = ()
    is_sure: bool = True


def settle_changes(graph: Graph, origins: Mapping[int, Origin]) -> None:
    """Let nodes read tensors as they are after all changes before."""
    if any(origin.changes is not None for origin in origins.values()):
        pass_ = _Pass(graph, origins)
        for node in graph.nodes:
            pass_.visit(node)
        graph.nodes = pass_.nodes
        graph.outputs = [pass_.fresh(name) for name in graph.outputs]


class _Pass:
    """What is known while nodes are visited in order."""

    def __init__(self, graph: Graph, origins: Mapping[int, Origin]) -> None:
        self.graph = graph
        self.origins = origins
        self.nodes: list[Node] = []
        self.views: dict[str, _View] = {}
        self.versions: dict[str, tuple[int, str]] = {}
        self.taken: dict[str, tuple[int, str]] = {}
        self.number = 0
        self.what = ""  # the operation that changes a tensor

    def visit(self, node: Node) -> None:
        """Add a node; it reads tensors as they are now."""
        origin = self.origins.get(id(node), Origin(""))
        given = list(node.inputs)
        node.inputs = [self.fresh(each) if isinstance(each, str) else each for each in given]
        self.nodes.append(node)
        if origin.changes is not None and node.outputs:
            self._change(node, origin.changes)
        elif (
            (node.op in _VIEWS or origin.key in _OTHER_VIEWS)
            and given
            and isinstance(given[0], str)
            and origin.key not in _COPIES
            and not node.missing
        ):
            view = self._view(given[0])
            keeps = all(step.op in _KEEP_ORDER for step, _ in view.steps)
            sure = view.is_sure and (origin.key not in _MAY_COPY or keeps)
            for place, name in enumerate(node.outputs):
                self.views[name] = _View(view.root, (*view.steps, (node, place)), sure)
                self.taken[name] = self._version(view.root)[0], name

    def fresh(self, name: str) -> str:
        """Return the name under which a value is now; a view of what has changed is taken again."""
        view = self.views.get(name)
        if view is None:
            return self.versions[name][1] if name in self.versions else name
        version, current = self._version(view.root)
        if not view.steps:
            return current
        at, known = self.taken.get(name, (0, name))
        if at == version:
            return known
        values = self._along(view, current)
        self.taken[name] = version, values[-1]
        return values[-1]

    def _view(self, name: str) -> _View:
        return self.views.get(name, _View(name))

    def _version(self, root: str) -> tuple[int, str]:
        return self.versions.get(root, (0, root))

    def _along(self, view: _View, current: str) -> list[str]:
        """Return the values of a view and of all that it is a view of, taken from a tensor as it is now."""
        values = [current]
        for step, place in view.steps:
            outputs = [self._named(name) for name in step.outputs]
            self.nodes.append(replace(step, inputs=[values[-1], *step.inputs[1:]], outputs=outputs))
            values.append(outputs[place])
        return values

    def _named(self, like: str) -> str:
        self.number += 1
        name = f"{like}:now{self.number}"
        self.graph.facts[name] = self.graph.fact(like)
        return name

    def _change(self, node: Node, changed: str) -> None:
        """Note that a tensor, and what it is a view of, has become something else."""
        out, view = node.outputs[0], self._view(changed)
        self.what = self.origins[id(node)].name or node.op
        version, current = self._version(view.root)
        new = out
        if view.steps and (node.missing or not view.is_sure):
            new = self._missing(node, view.root, [current, out], node.missing or f"{self.what}: {_NO_PART}")
        elif view.steps:
            values = self._along(view, current)
            for (step, place), whole in zip(reversed(view.steps), reversed(values[:-1])):
                new = self._put(step, place, whole, new, node)
                if self.nodes[-1].missing:
                    self.graph.facts[new] = self.graph.fact(view.root)
                    break
        self.versions[view.root] = version + 1, new
        self.views[out] = view
        self.taken[out] = self.taken[changed] = version + 1, out
        self.views[changed] = view

    def _missing(self, node: Node, like: str, inputs: list[str], why: str) -> str:
        name = self._named(like)
        self.nodes.append(Node("missing", list(inputs), [name], path=node.path, missing=why))
        return name

    def _put(self, step: Node, place: int, whole: str, part: str, node: Node) -> str:
        """Return a tensor with another part in the place of the one that a step takes."""
        shape = self.graph.shape(whole)
        if step.op == "identity":
            return part
        if shape is None or any(size is None for size in shape):
            return self._missing(node, whole, [whole, part], f"{self.what}: {_NO_PART}")
        if step.op in _KEEP_ORDER:
            return self._add(node, whole, ".reshape", [part], sizes=shape)
        if step.op == ".transpose":
            return self._add(node, whole, ".transpose", [part], dims=step.config["dims"])
        if step.op == ".permute":
            dims = [dim % len(shape) for dim in step.config["dims"]]
            return self._add(node, whole, ".permute", [part], dims=tuple(dims.index(at) for at in range(len(shape))))
        if step.op == ".unbind":
            return self._add(node, whole, "torch.select_scatter", [whole, part], dim=step.config["dim"], index=place)
        if step.op in (".chunk", "torch.split"):
            dim = step.config["dim"] % len(shape)
            shapes = [self.graph.shape(name) for name in step.outputs]
            if all(each is not None and each[dim] is not None for each in shapes):
                sizes = [each[dim] for each in shapes if each is not None]
                start: Any = sum(sizes[:place])
                return self._scattered(node, whole, part, [(dim, slice(start, start + sizes[place]))])
        if step.op == "getitem":
            entries = simple_index(step.config["index"], len(shape))
            if entries is not None:
                return self._scattered(node, whole, part, entries)
        return self._missing(node, whole, [whole, part], f"{self.what}: {_NO_PART}")

    def _scattered(self, node: Node, whole: str, part: str, entries: list[tuple[int, Any]]) -> str:
        if not entries:
            return part
        (dim, entry), rest = entries[0], entries[1:]
        if rest:
            # The dimensions after one that a number takes away are counted without it.
            left = [(at - (not isinstance(entry, slice)), each) for at, each in rest]
            index = (*[slice(None)] * dim, entry)
            inner = self._add(
                node,
                whole,
                "getitem",
                [whole],
                shape=part_shape(self.graph.shape(whole) or (), dim, entry),
                index=index,
            )
            part = self._scattered(node, inner, part, left)
        op, config = scatter(dim, entry)
        return self._add(node, whole, op, [whole, part], **config)

    def _add(self, node: Node, like: str, op: str, inputs: list[str], shape: Any = None, **config: Any) -> str:
        name = self._named(like)
        if shape is not None:
            self.graph.facts[name] = Fact(shape, self.graph.fact(like).dtype)
        self.nodes.append(Node(op, list(inputs), [name], config, path=node.path))
        return name


def simple_index(index: Any, rank: int) -> list[tuple[int, Any]] | None:
    """Return the dimensions of which an index takes a part, with that part; None where it has tensors, or adds dimensions."""
    listed = list(index) if isinstance(index, tuple) else [index]
    if listed.count(...) == 1:
        at = listed.index(...)
        listed[at : at + 1] = [slice(None)] * (rank - len(listed) + 1)
    if any(each is None or each is ... or isinstance(each, (Input, list, bool, tuple)) for each in listed):
        return None
    return [(dim, each) for dim, each in enumerate(listed) if each != slice(None)]


def scatter(dim: int, entry: Any) -> tuple[str, dict[str, Any]]:
    """Return the function that puts a part into a tensor, and its settings."""
    if not isinstance(entry, slice):
        return "torch.select_scatter", {"dim": dim, "index": entry}
    bounds = {"start": entry.start, "end": entry.stop, "step": entry.step}
    return "torch.slice_scatter", {"dim": dim, **{name: value for name, value in bounds.items() if value is not None}}


def part_shape(shape: tuple[Any, ...], dim: int, entry: Any) -> tuple[Any, ...] | None:
    """Return the shape of a part along one dimension; None where it is not known."""
    if not isinstance(entry, slice):
        return (*shape[:dim], *shape[dim + 1 :])
    size = shape[dim]
    start, stop, step = entry.start or 0, size if entry.stop is None else entry.stop, entry.step or 1
    if isinstance(size, int) and isinstance(start, int) and isinstance(stop, int):
        return (*shape[:dim], len(range(*slice(start, stop, step).indices(size))), *shape[dim + 1 :])
    if any(isinstance(each, int) and each < 0 for each in (start, stop)):
        return None
    return (*shape[:dim], floordiv(stop - start + step - 1, step), *shape[dim + 1 :])
