"""Scopes for a graph that names none: chains of layers, and blocks between places where a single value passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from cutaway.core.record import dataclass
from cutaway.recover.graph import CONVOLUTIONS, LAYERS, Graph, Node, Path

_FEWEST_IN_CHAIN, _FEWEST_IN_BLOCK = 3, 4
_WIDELY_READ = 6
_LONGEST_PERIOD = 24


@dataclass(slots=True)
class _Segment:
    """Nodes between two places where only one value passes."""

    nodes: list[Node]
    key: Any

    @property
    def is_block(self) -> bool:
        """Whether it is more than a layer."""
        return len(self.nodes) >= _FEWEST_IN_BLOCK and sum(bool(node.weights) for node in self.nodes) >= 2

    @property
    def is_layer(self) -> bool:
        """Whether it is one layer."""
        node = self.nodes[0]
        return len(self.nodes) == 1 and node.op.startswith(LAYERS) and len(list(node.reads())) == 1


def dissolve_layers(graph: Graph) -> None:
    """Leave in the scope of another framework's layer only what is a layer here; its activation follows it."""
    groups: dict[Path, list[Node]] = {}
    for node in graph.nodes:
        for length in range(len(node.path), 0, -1):
            if node.path[:length] in graph.layers:
                groups.setdefault(node.path[:length], []).append(node)
                break
    for path, nodes in groups.items():
        weighted = [node for node in nodes if node.weights]
        for node in nodes:
            if len(weighted) > 1 and node.weights:
                kind = (
                    "depthwise"
                    if node is weighted[0] and node.op.startswith(CONVOLUTIONS)
                    else f"part{weighted.index(node)}"
                )
                node.path = (*path[:-1], f"{path[-1]}_{kind}") if node is not weighted[-1] else path
            elif node.weights or (len(nodes) == 1 and node.op.startswith(LAYERS)):
                node.path = path
            else:
                node.path = path[:-1]


def name_scopes(graph: Graph) -> None:
    """Put the nodes of a graph without any scopes into some, where its structure shows them."""
    if any(node.path for node in graph.nodes) or any(node.missing for node in graph.nodes):
        return
    segments = _joined(_segments(graph))
    runs = list(_runs(segments))
    chains = [run for kind, run in runs if kind == "chain"]
    has_blocks = any(kind == "blocks" for kind, _ in runs)
    lists = 0
    for kind, run in runs:
        if kind == "blocks":
            lists += 1
            name = "blocks" if lists == 1 else f"blocks{lists}"
            for place, unit in enumerate(_units(run)):
                for segment in unit:
                    _place(segment.nodes, name, str(place))
        elif kind == "chain":
            name = "features" if not has_blocks else "stem" if run is chains[0] and runs[0][1] is run else "head"
            for place, segment in enumerate(run):
                _place(
                    segment.nodes,
                    name if run is chains[-1] or name == "stem" else f"{name}{chains.index(run)}",
                    str(place),
                )
        else:
            for segment in run:
                _name_chains(graph, segment)


def _place(nodes: Sequence[Node], *path: str) -> None:
    for node in nodes:
        node.path = path


def _segments(graph: Graph) -> list[_Segment]:
    """Cut a graph wherever one value alone passes on; inputs of the network, and what is read all over, pass anywhere."""
    last: dict[str, int] = {}
    reads: Counter[str] = Counter()
    for place, node in enumerate(graph.nodes):
        for name in node.reads():
            last[name] = place
            reads[name] += 1
    for name in graph.outputs:
        last[name] = len(graph.nodes)
    passing = set(graph.inputs[1:]) | {name for name, times in reads.items() if times >= _WIDELY_READ}
    segments: list[_Segment] = []
    live = {graph.inputs[0]} if graph.inputs else set()
    nodes: list[Node] = []
    for place, node in enumerate(graph.nodes):
        nodes.append(node)
        live.update(name for name in node.outputs if name and last.get(name, -1) > place)
        live = {name for name in live if last.get(name, -1) > place}
        if len(live - passing) <= 1:
            segments.append(_Segment(nodes, _key(graph, nodes)))
            nodes = []
    if nodes:
        segments.append(_Segment(nodes, _key(graph, nodes)))
    return segments


def _key(graph: Graph, nodes: Sequence[Node]) -> Any:
    """Return what segments of one kind have in common."""
    names: dict[str, int] = {}
    key = []
    for node in nodes:
        read = tuple(names.get(name, -2 if name in graph.tensors else -1) for name in node.reads())
        key.append((node.op, read, tuple(node.config), tuple(node.weights)))
        for name in node.outputs:
            names[name] = len(names)
    return tuple(key)


def _joined(segments: Sequence[_Segment]) -> list[_Segment]:
    """Add an activation, or a normalisation, to the block that it follows."""
    result: list[_Segment] = []
    for segment in segments:
        before = result[-1] if result else None
        if before is not None and before.is_block and segment.is_layer and not segment.nodes[0].weights:
            if "Pool" not in segment.nodes[0].op and segment.nodes[0].op != "nn.Flatten":
                result[-1] = _Segment([*before.nodes, *segment.nodes], (*before.key, *segment.key))
                continue
        result.append(segment)
    return result


def _runs(segments: Sequence[_Segment]) -> Iterator[tuple[str, list[_Segment]]]:
    """Yield runs of blocks, chains of layers, and what is neither."""
    at = 0
    while at < len(segments):
        end = at
        while end < len(segments) and segments[end].is_block:
            end += 1
        if end - at >= 2:
            yield "blocks", list(segments[at:end])
            at = end
            continue
        end = at
        while end < len(segments) and segments[end].is_layer:
            end += 1
        if end - at >= _FEWEST_IN_CHAIN:
            yield "chain", list(segments[at:end])
            at = end
            continue
        yield "other", [segments[at]]
        at += 1


def _units(run: Sequence[_Segment]) -> Iterator[list[_Segment]]:
    """Yield what repeats in a run of blocks: several that come again and again in the same order are one."""
    at = 0
    keys = [segment.key for segment in run]
    while at < len(run):
        best = (1, 1)
        for period in range(1, min(_LONGEST_PERIOD, (len(run) - at) // 2) + 1):
            count = 1
            while keys[at + count * period : at + (count + 1) * period] == keys[at : at + period]:
                count += 1
            is_one = all(one != other for one, other in pairwise(keys[at : at + period]))
            if count > 1 and is_one and period * count > best[0] * best[1]:
                best = period, count
        period, count = best
        for _ in range(count):
            yield list(run[at : at + period])
            at += period


def _name_chains(graph: Graph, segment: _Segment) -> None:
    """Put chains of layers inside of an entangled segment into scopes."""
    readers: Counter[str] = Counter(name for node in graph.nodes for name in node.reads())
    readers.update(graph.outputs)
    makers = {name: node for node in segment.nodes for name in node.outputs}
    following: dict[int, Node] = {}
    for node in segment.nodes:
        read = list(node.reads())
        maker = makers.get(read[0]) if len(read) == 1 else None
        if maker is not None and _is_link(maker) and _is_link(node) and readers[read[0]] == 1:
            following[id(maker)] = node
    inner = {id(node) for node in following.values()}
    number = 0
    for node in segment.nodes:
        if id(node) in inner or id(node) not in following:
            continue
        chain = [node]
        while id(chain[-1]) in following:
            chain.append(following[id(chain[-1])])
        if len(chain) >= _FEWEST_IN_BLOCK and sum(bool(each.weights) for each in chain) >= 2:
            number += 1
            for place, each in enumerate(chain):
                each.path = (f"block{number}", str(place))


def _is_link(node: Node) -> bool:
    return node.op.startswith(LAYERS) and len(node.outputs) == 1
