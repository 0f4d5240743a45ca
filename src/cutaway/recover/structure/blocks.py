"""A tree of blocks: which nodes are called as one module, as the names in a file say, where the dataflow allows it."""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence

from cutaway.core.record import dataclass, field
from cutaway.recover.graph import CONVOLUTIONS, LAYERS, Graph, Node, Path, Tensor
from cutaway.recover.structure.names import identifier, plain_number, unused

_AGAIN = re.compile(r"^(.+)_(\d+)$")
_NUMBERED = re.compile(r"^(.*\D)(\d+)$", re.DOTALL)


@dataclass(slots=True, eq=False)
class Step:
    """One step of a forward pass: the call of a part by its name, or a node that is an expression."""

    node: Node | None
    part: str = ""
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Layer:
    """A layer of the framework, and the nodes that call it."""

    node: Node


@dataclass(slots=True, eq=False)
class Block:
    """A module: its parts by name, its own parameters, and the steps of its forward pass in order."""

    path: Path
    label: str = ""  # what the file calls it
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    parts: dict[str, Layer | Block] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)  # the name of a value -> that of the parameter
    lists: dict[str, list[str]] = field(default_factory=dict)  # a list of modules -> the parts that are in it

    @property
    def is_sequence(self) -> bool:
        """Whether it only calls its parts one after another, each on what the one before it returns."""
        if len(self.inputs) != 1 or len(self.outputs) != 1 or self.parameters or self.lists or not self.steps:
            return False
        value = self.inputs[0]
        for step in self.steps:
            if step.node is not None and not step.part:
                return False
            if step.inputs != [value] or len(step.outputs) != 1:
                return False
            value = step.outputs[0]
        return value == self.outputs[0] and len({step.part for step in self.steps}) == len(self.steps)

    @property
    def is_numbered(self) -> bool:
        """Whether it is a sequence whose parts are numbered."""
        return self.is_sequence and all(step.part.isdigit() for step in self.steps)


def blocks(graph: Graph, only_layers: Container[str] = ()) -> Block:
    """Return the tree of a graph's blocks; `only_layers` are the layers that no function does the same as."""
    return _Builder(graph, only_layers).build((), list(range(len(graph.nodes))), {})


def rename_reserved(block: Block, reserved: Container[str]) -> None:
    """Give other names to parts and parameters that a framework's classes have attributes of the same name as."""
    taken = {part.partition(".")[0] for part in block.parts} | set(block.parameters.values())

    def renamed(name: str) -> str:
        outer, dot, number = name.partition(".")
        if outer not in reserved:
            return name
        names.setdefault(outer, unused(f"{outer}_", taken))
        return f"{names[outer]}{dot}{number}"

    names: dict[str, str] = {}
    block.parts = {renamed(part): inner for part, inner in block.parts.items()}
    block.lists = {renamed(name): [renamed(part) for part in parts] for name, parts in block.lists.items()}
    block.parameters = {name: renamed(own) for name, own in block.parameters.items()}
    for step in block.steps:
        step.part = renamed(step.part)
    for inner in block.parts.values():
        if isinstance(inner, Block):
            rename_reserved(inner, reserved)


class _Builder:
    """The construction of the tree."""

    def __init__(self, graph: Graph, only_layers: Container[str]) -> None:
        self.graph = graph
        self.only_layers = only_layers
        self.paths: list[Path] = [tuple(map(plain_number, node.path)) for node in graph.nodes]
        self.readers: dict[str, list[int]] = {}
        for place, node in enumerate(graph.nodes):
            for name in node.reads():
                self.readers.setdefault(name, []).append(place)
        self.makers = {name: place for place, node in enumerate(graph.nodes) for name in node.outputs if name}
        self.results = set(graph.outputs)
        self.labels: dict[Path, str] = {}

    def build(self, path: Path, members: list[int], lists: dict[str, list[str]]) -> Block:
        """Return the block of some nodes; their paths begin with that of the block."""
        block = Block(path, self.labels.get(path, path[-1] if path else ""))
        inside = set(members)
        block.inputs = self._inputs(members, inside) if path else list(self.graph.inputs)
        block.outputs = self._outputs(members, inside) if path else list(self.graph.outputs)
        self._enumerate(path, members)
        groups, direct = self._groups(path, members)
        taken: set[str] = set()
        pending: list[tuple[int, list[int], Step]] = []
        layers: dict[str, str] = {}
        for name, group in groups.items():
            nodes = [self.graph.nodes[place] for place in group]
            if self._is_leaf(path, name, group):
                for place, node in zip(group, nodes):
                    part = self._layer(block, node, name, taken, layers)
                    pending.append((place, [place], Step(node, part, list(node.reads()), list(node.outputs))))
                continue
            inner = self.build((*path, name), group, {})
            part = _part_name(name, taken)
            block.parts[part] = inner
            step = Step(None, part, inner.inputs, inner.outputs)
            pending.append((group[-1], group, step))
        for place in direct:
            node = self.graph.nodes[place]
            part = self._layer(block, node, "", taken, layers) if node.weights or node.op in self.only_layers else ""
            pending.append((place, [place], Step(node, part, list(node.reads()), list(node.outputs))))
        block.steps = _ordered(pending)
        block.parts = {
            part: block.parts[part] for part in dict.fromkeys(step.part for step in block.steps if step.part)
        }
        _number_lists(block)
        if block.is_numbered and path:
            _close_gaps(block)
        else:
            _name_numbered(block, taken)
        self._own_parameters(block, [self.graph.nodes[place] for place in direct], taken)
        self._own_parameters(block, [step.node for _, _, step in pending if step.node is not None and step.part], taken)
        return block

    # Which nodes belong together.

    def _enumerate(self, path: Path, members: list[int]) -> None:
        """Number modules that are named by a word and a number each, `layer_0` to `layer_11`, where there are no others."""
        depth = len(path)
        inner_members = [place for place in members if len(self.paths[place]) > depth]
        names = dict.fromkeys(self.paths[place][depth] for place in inner_members)
        matches = {name: _NUMBERED.match(name) for name in names}
        stems = {match.group(1) for match in matches.values() if match}
        numbers = sorted(int(match.group(2)) for match in matches.values() if match)
        if not path or None in matches.values() or len(stems) != 1:
            return
        (stem,) = stems
        if len(names) < 3 and (stem[-1] not in "-_" or numbers[0] != 0):
            return
        # Beside nodes of the block itself they are a list; alone, the block is the list.
        prefix = f"{identifier(stem)}s." if len(inner_members) < len(members) else ""
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))) or numbers[0] > 1:
            return
        for place in inner_members:
            own = self.paths[place]
            match = matches[own[depth]]
            assert match is not None
            inner = (*own[:depth], f"{prefix}{int(match.group(2)) - numbers[0]}")
            self.labels[inner] = own[depth]
            self.paths[place] = (*inner, *own[depth + 1 :])

    def _groups(self, path: Path, members: list[int]) -> tuple[dict[str, list[int]], list[int]]:
        """Return the nodes of each module inside of a block, and those that are in none; what can't be one call is dissolved."""
        depth = len(path)
        while True:
            groups: dict[str, list[int]] = {}
            direct = []
            for place in members:
                own = self.paths[place]
                if len(own) > depth:
                    groups.setdefault(own[depth], []).append(place)
                else:
                    direct.append(place)
            if not self._dissolve_one(path, groups):
                return self._shared(path, groups), direct

    def _dissolve_one(self, path: Path, groups: Mapping[str, list[int]]) -> bool:
        """Dissolve a group that can't be called as one module, or that is none; tell whether there was one."""
        depth = len(path)
        for name, group in groups.items():
            inner = {self.paths[place][depth + 1] for place in group if len(self.paths[place]) > depth + 1}
            direct = [place for place in group if len(self.paths[place]) == depth + 1]
            if not inner and self._is_leaf(path, name, group):
                continue
            only_functions = not inner and all(not self.graph.nodes[place].weights for place in group)
            lone = not inner and len(group) == 1
            is_list = not direct and bool(inner) and all(part.isdigit() for part in inner)
            if lone or (only_functions and len(group) <= 2):
                self._move(group, depth, lambda rest: ())
                return True
            if not self._is_convex(group) or (is_list and not self._is_chain(path, name, group)):
                is_named = "." not in name and not name.isdigit()
                outer = f"{name}." if is_list and is_named else f"{name.replace('.', '_')}_"
                self._move(group, depth, _prefixed(outer))
                return True
        return False

    def _move(self, group: Iterable[int], depth: int, renamed: Callable[[Path], Path]) -> None:
        for place in group:
            own = self.paths[place]
            self.paths[place] = (*own[:depth], *renamed(own[depth + 1 :]))

    def _is_chain(self, path: Path, name: str, group: list[int]) -> bool:
        """Tell whether numbered modules are called one after another, each on what the one before it returns."""
        depth = len(path) + 1
        parts: dict[str, list[int]] = {}
        for place in group:
            parts.setdefault(self.paths[place][depth], []).append(place)
        ordered = sorted(parts, key=int)
        value = None
        for part in ordered:
            members = parts[part]
            inside = set(members)
            inputs, outputs = self._inputs(members, inside), self._outputs(members, inside)
            if len(inputs) != 1 or len(outputs) != 1 or (value is not None and inputs != [value]):
                return False
            if value is not None and self._is_read_elsewhere(value, set(members)):
                return False
            value = outputs[0]
        return True

    def _is_read_elsewhere(self, value: str, inside: set[int]) -> bool:
        return value in self.results or any(reader not in inside for reader in self.readers.get(value, ()))

    def _is_leaf(self, path: Path, name: str, group: list[int]) -> bool:
        """Tell whether a group is one layer, possibly called several times."""
        nodes = [self.graph.nodes[place] for place in group]
        first = nodes[0]
        if any(len(self.paths[place]) != len(path) + 1 for place in group) or not first.op.startswith(LAYERS):
            return False
        return all(_is_same_layer(first, node) for node in nodes[1:])

    def _is_convex(self, group: list[int]) -> bool:
        """Tell whether nothing outside of a group lies between nodes of it: it can be called at once."""
        inside = set(group)
        tainted: set[str] = set()
        for place in range(group[0], group[-1] + 1):
            node = self.graph.nodes[place]
            if place in inside:
                if any(name in tainted for name in node.reads()):
                    return False
            elif any(name in tainted or self.makers.get(name, -1) in inside for name in node.reads()):
                tainted.update(node.outputs)
        return True

    def _shared(self, path: Path, groups: dict[str, list[int]]) -> dict[str, list[int]]:
        """Join layers without weights that are named as later calls of another, `relu_1`, with that."""
        joined: dict[str, list[int]] = {}
        for name, group in groups.items():
            match = _AGAIN.match(name)
            base = match.group(1) if match else ""
            first = joined.get(base)
            if (
                first is not None
                and self._is_leaf(path, base, first)
                and self._is_leaf(path, name, group)
                and _is_same_layer(self.graph.nodes[first[0]], self.graph.nodes[group[0]])
            ):
                for place in group:
                    self.paths[place] = (*path, base)
                first += group
            else:
                joined[name] = group
        return joined

    # What goes in and comes out.

    def _inputs(self, members: list[int], inside: set[int]) -> list[str]:
        names: dict[str, None] = {}
        for place in members:
            for name in self.graph.nodes[place].reads():
                if name not in self.graph.tensors and self.makers.get(name, -1) not in inside:
                    names[name] = None
        return list(names)

    def _outputs(self, members: list[int], inside: set[int]) -> list[str]:
        names = [name for place in members for name in self.graph.nodes[place].outputs if name]
        return [name for name in names if self._is_read_elsewhere(name, inside)]

    # Parts and parameters.

    def _layer(self, block: Block, node: Node, name: str, taken: set[str], layers: dict[str, str]) -> str:
        """Return the name of the part that is a layer; the same one where the same layer is called again."""
        chosen = _layer_name(node, name)
        known = block.parts.get(chosen)
        if isinstance(known, Layer) and _is_same_layer(known.node, node):
            return chosen
        if not chosen.isdigit() and "." not in chosen:
            chosen = identifier(chosen)
        key = f"{chosen}:{next((tensor.stored.name for tensor in node.weights.values()), '')}"
        if key in layers and _is_same_layer(block.parts[layers[key]].node, node):  # type: ignore[union-attr]
            return layers[key]
        part = unused(chosen, taken)
        layers[key] = part
        block.parts[part] = Layer(node)
        return part

    def _own_parameters(self, block: Block, nodes: Sequence[Node], taken: set[str]) -> None:
        """Enter the stored tensors that a block's own nodes read, or that it returns."""
        names = [name for node in nodes for name in node.reads()]
        for name in [*names, *block.outputs]:
            tensor = self.graph.tensors.get(name)
            if tensor is not None and name not in block.parameters:
                block.parameters[name] = unused(_parameter_name(tensor), taken)


_KINDS = {
    "Conv": "conv", "Linear": "linear", "Norm": "norm", "Embedding": "embedding", "LSTM": "lstm", "GRU": "gru",
    "Dense": "dense", "ZeroPadding": "pad", "Pooling": "pool", "Cropping": "crop", "UpSampling": "upsample",
}  # fmt: skip
_WEIGHT_ENDS = re.compile(r"[._/]?(weight|bias|kernel|gamma|beta|running_mean|running_var)(_\w*|:0|)$")


def _layer_name(node: Node, name: str) -> str:
    """Return what a layer is called: by the name of its weight, by its scope, or by what it is."""
    for path in (node.path, node.path[:-1]):
        prefix = ".".join((*path, ""))
        for tensor in node.weights.values():
            stored = tensor.stored.name
            if "::" in stored or not stored.startswith(prefix):
                continue
            inner = stored[len(prefix) :]
            owner = _WEIGHT_ENDS.sub("", inner)
            if (
                owner
                and owner != inner
                and "." not in owner
                and "/" not in owner
                and (owner == name or not name.isdigit() or owner.isdigit())
            ):
                return owner
    return name or kind_of(node)


def _number_lists(block: Block) -> None:
    """Note the lists of modules, and number what is in each from 0 on, in the order of the file."""
    for part in block.parts:
        name, dot, _ = part.partition(".")
        if dot:
            block.lists.setdefault(name, []).append(part)
    names = {part: part for part in block.parts}
    for name, parts in block.lists.items():
        parts.sort(key=lambda part: int(part.partition(".")[2]))
        for place, part in enumerate(parts):
            names[part] = f"{name}.{place}"
        block.lists[name] = [names[part] for part in parts]
    listed = {part: place for parts in block.lists.values() for place, part in enumerate(parts)}
    renamed = [(names[part], inner) for part, inner in block.parts.items()]
    block.parts = dict(renamed)
    for name, parts in block.lists.items():  # the elements of a list come in its order
        inners = {part: block.parts[part] for part in parts}
        places = [at for at, (part, _) in enumerate(renamed) if part in listed and part.partition(".")[0] == name]
        for at, part in zip(places, parts):
            renamed[at] = part, inners[part]
    block.parts = dict(renamed)
    for step in block.steps:
        step.part = names.get(step.part, step.part)


def _close_gaps(block: Block) -> None:
    """Number the parts of a sequence anew where a number is missing after a convolution: a normalisation was folded into it."""
    parts = [step.part for step in block.steps]
    for part, after in itertools.pairwise(parts):
        inner = block.parts[part]
        if int(after) > int(part) + 1 and isinstance(inner, Layer) and inner.node.op.startswith(CONVOLUTIONS):
            break
    else:
        return
    names = {part: str(place) for place, part in enumerate(parts)}
    block.parts = {names[part]: block.parts[part] for part in parts}
    for step in block.steps:
        step.part = names[step.part]


def _name_numbered(block: Block, taken: set[str]) -> None:
    """Give names to the numbered parts of a block that is not a sequence."""
    names = {part: part for part in block.parts}
    for part, inner in block.parts.items():
        if part.isdigit():
            word = kind_of(inner.node) if isinstance(inner, Layer) else "block"
            names[part] = unused(word, taken)
    block.parts = {names[part]: inner for part, inner in block.parts.items()}
    for step in block.steps:
        step.part = names.get(step.part, step.part)


def kind_of(node: Node) -> str:
    """Return what a layer is, in a word."""
    return next(
        (word for part, word in _KINDS.items() if part in node.op), identifier(node.op.rpartition(".")[2].lower())
    )


def _part_name(name: str, taken: set[str]) -> str:
    """Return the name of a block in the block around it; one of a list has its number after a dot."""
    stem, dot, number = name.partition(".")
    if dot and number.isdigit():
        taken.add(identifier(stem))
        return f"{identifier(stem)}.{number}"
    return name if name.isdigit() else unused(identifier(name), taken)


def _parameter_name(tensor: Tensor) -> str:
    stored = tensor.stored.name
    if tensor.constant or "::" in stored:
        return "constant"
    last = stored.rpartition(".")[2]
    return identifier(last, "constant") if last.isidentifier() and not last.isdigit() else "constant"


def _is_same_layer(first: Node, second: Node) -> bool:
    """Tell whether two nodes call the same layer: the same settings, and the same weights."""
    return first.op == second.op and first.config == second.config and first.weights == second.weights


def _prefixed(prefix: str) -> Callable[[Path], Path]:
    """Return a function that puts a prefix before the first name of a path."""
    return lambda rest: (prefix + rest[0], *rest[1:]) if rest else ()


def _ordered(pending: list[tuple[int, list[int], Step]]) -> list[Step]:
    """Return steps in an order in which each has its inputs, near the order of the file."""
    makers = {name: at for at, (_, _, step) in enumerate(pending) for name in step.outputs if name}
    waits: list[set[int]] = []
    followers: dict[int, list[int]] = {}
    for at, (_, _, step) in enumerate(pending):
        needed = {makers[name] for name in step.inputs if name in makers and makers[name] != at}
        waits.append(needed)
        for maker in needed:
            followers.setdefault(maker, []).append(at)
    ready = [(pending[at][0], at) for at, needed in enumerate(waits) if not needed]
    heapq.heapify(ready)
    ordered = []
    while ready:
        _, at = heapq.heappop(ready)
        ordered.append(pending[at][2])
        for follower in followers.get(at, ()):
            waits[follower].discard(at)
            if not waits[follower]:
                heapq.heappush(ready, (pending[follower][0], follower))
    if len(ordered) != len(pending):
        raise AssertionError("the steps of a block wait for each other")
    return ordered
