"""A class for all blocks that are alike: what differs between them are its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from cutaway.core.record import dataclass, field, replace
from cutaway.recover.graph import Graph
from cutaway.recover.structure.blocks import Block, Layer, Step
from cutaway.recover.structure.names import class_name, identifier, snake, unused
from cutaway.recover.targets.dialect import Dialect
from cutaway.recover.targets.literal import literal

_FEW, _MANY = 3, 3
_SHORTEST_NAME = 3


class _Missing:
    """The value of a slot in a block that does not have the part that it belongs to."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


@dataclass(frozen=True, slots=True)
class Slot:
    """A number or another literal in the code of a block: what it is for, where it stands, and its value."""

    hint: str
    part: str
    value: Any
    default: Any = None
    in_forward: bool = False
    owner: str = ""  # the part of the block that it is in, however deep


@dataclass(slots=True)
class Argument:
    """An argument of a class: its name, its value in each block, and a default."""

    name: str
    values: tuple[Any, ...]
    default: Any = MISSING


@dataclass(frozen=True, slots=True)
class Optional:
    """What some blocks of a class do not have: the step at a place, in the place of which is its input `kept`.

    `part` is the part that the step calls; `flag` is the argument that says whether a block has it.
    """

    step: int
    kept: int
    part: str
    flag: str


@dataclass(slots=True, eq=False)
class BlockClass:
    """A class: the block that its code is written from, all blocks that it stands for, its arguments, and its slots' texts."""

    name: str
    blocks: list[Block]
    arguments: list[Argument] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    optional: Optional | None = None
    is_sequence: bool = False

    @property
    def block(self) -> Block:
        """The block that the code is written from."""
        return self.blocks[0]


class Classes:
    """The classes of a tree of blocks, in an order in which each comes after those that it uses."""

    def __init__(self, graph: Graph, root: Block, dialect: Dialect) -> None:
        self.graph = graph
        self.dialect = dialect
        self.root = root
        self.all: list[BlockClass] = []
        self.of: dict[int, tuple[BlockClass, int]] = {}
        self._taken = set(dialect.reserved)
        self._inline: set[int] = set()
        for together in _levels(root):
            self._enter(together)

    def is_inline(self, block: Block) -> bool:
        """Tell whether a block is a sequence that is written where it is used."""
        return id(block) in self._inline

    def arguments(self, block: Block) -> list[tuple[Argument, Any]]:
        """Return what a block is constructed with."""
        block_class, place = self.of[id(block)]
        return [(argument, argument.values[place]) for argument in block_class.arguments]

    def _enter(self, blocks: Sequence[Block]) -> None:
        groups: dict[Any, list[Block]] = {}
        for block in blocks:
            groups.setdefault(self.key(block), []).append(block)
        optional: dict[Any, Optional] = {}
        for key in list(groups):
            for choice in _removable(groups[key][0]) if key in groups else ():
                without = self.key(groups[key][0], choice)
                if without in groups and without != key and without not in optional:
                    groups[key] += groups.pop(without)
                    optional[key] = choice
                    break
        for key, members in groups.items():
            if self._is_written_in_place(members):
                self._inline.update(map(id, members))
            else:
                self.all.append(self._class(members, optional.get(key)))

    def _is_written_in_place(self, members: list[Block]) -> bool:
        """Tell whether blocks are sequences that need no class: there are few of them, and they are simple."""
        block = members[0]
        if block is self.root or not all(each.is_sequence for each in members):
            return False
        layers = [part for part in block.parts.values() if isinstance(part, Layer)]
        if not block.is_numbered:
            return self.dialect.names_parts and len(members) == 1 and len(layers) == len(block.parts) <= _FEW
        return len(members) < _MANY or len(layers) != len(block.parts) or not 2 <= len(layers) <= _FEW + 1

    def _class(self, members: list[Block], optional: Optional | None) -> BlockClass:
        name = unused(self._name(members), self._taken)
        entry = BlockClass(name, members, optional=optional)
        entry.is_sequence = all(block.is_numbered for block in members)
        for place, block in enumerate(members):
            self.of[id(block)] = entry, place
        slots = [list(self.slots(members[0]))]
        present = [True] * len(members)
        for place, block in enumerate(members[1:], 1):
            own = list(self.slots(block))
            if optional is not None and len(block.steps) < len(members[0].steps):
                present[place] = False
                own = _aligned(slots[0], own, optional.part)
            slots.append(own)
        taken = set(entry.block.parts) | {"x"}
        entry.arguments = []
        entry.texts = [""] * len(slots[0])
        # What only some blocks have comes last: it is told by the arguments of what all have, if it can be.
        for place, slot in sorted(enumerate(slots[0]), key=lambda pair: slots[-1][pair[0]].value is MISSING):
            values = tuple(each[place].value for each in slots)
            entry.texts[place] = self._text(entry, slot, values, taken)
        if optional is not None:
            entry.arguments.append(Argument(optional.flag, tuple(present), False))
        entry.arguments.sort(key=lambda argument: argument.default is not MISSING)
        return entry

    def _text(self, entry: BlockClass, slot: Slot, values: tuple[Any, ...], taken: set[str]) -> str:
        known = [value for value in values if value is not MISSING]
        if len(known) == len(values) and all(_same(value, known[0]) for value in known):
            return literal(known[0])
        for argument in entry.arguments:
            if all(value is MISSING or _same(value, other) for value, other in zip(values, argument.values)):
                return self._reference(argument.name, slot)
        for argument in entry.arguments:
            relation = _relation(values, argument.values)
            if relation:
                return relation.format(self._reference(argument.name, slot))
        if all(_same(value, known[0]) for value in known):
            return literal(known[0])
        return self._new_argument(entry, slot, values, taken)

    def _new_argument(self, entry: BlockClass, slot: Slot, values: tuple[Any, ...], taken: set[str]) -> str:
        known = [value for value in values if value is not MISSING]
        name = "size" if slot.hint == "sizes" else identifier(slot.hint, "size")
        if name in taken:
            name = identifier(
                f"{slot.part}_{slot.hint}" if slot.part and not slot.part.isdigit() else slot.hint, "size"
            )
        name = unused(name, taken)
        default = (
            slot.default if slot.default is not None and any(_same(slot.default, each) for each in known) else MISSING
        )
        filled = tuple(known[0] if value is MISSING else value for value in values)
        if default is not MISSING:
            filled = tuple(default if value is MISSING else value for value in values)
        entry.arguments.append(Argument(name, filled, default))
        return self._reference(name, slot)

    def _reference(self, name: str, slot: Slot) -> str:
        return f"self.{name}" if slot.in_forward else name

    # Keys: what is the same in blocks of one class.

    def key(self, block: Block, without: Optional | None = None) -> Any:
        """Return what blocks of one class have in common."""
        gone = without.part if without is not None else ""
        parts = tuple((name, self._part_key(part)) for name, part in block.parts.items() if not gone or name != gone)
        names: dict[str, str] = {name: f"i{place}" for place, name in enumerate(block.inputs)}
        for name, own in block.parameters.items():
            tensor = self.graph.tensors[name]
            names[name] = f"p:{own}:{len(tensor.shape)}:{tensor.dtype}"
        steps: list[Any] = []
        made = 0
        for place, step in enumerate(block.steps):
            if without is not None and place == without.step:
                names[step.outputs[0]] = names[step.inputs[without.kept]]
                continue
            read = tuple(names[name] for name in step.inputs)
            if step.part:
                steps.append((step.part, read, len(step.outputs)))
            else:
                assert step.node is not None
                local = [(names[each], 9) if isinstance(each, str) else ("", 9) for each in step.node.inputs]
                text, _ = self.dialect.render(step.node, local, _in_key)
                steps.append((step.node.op, text, step.node.missing))
            for name in step.outputs:
                if name:
                    names[name] = f"v{made}"
                    made += 1
        return parts, tuple(steps), tuple(names[name] for name in block.outputs), tuple(block.lists)

    def _part_key(self, part: Layer | Block) -> Any:
        if isinstance(part, Layer):
            return part.node.op, tuple(part.node.config), part.node.config.get("dtype")
        if self.is_inline(part):
            return tuple((step.part, self._part_key(part.parts[step.part])) for step in part.steps)
        return self.of[id(part)][0].name

    # Slots: what may differ.

    def slots(self, block: Block) -> Iterator[Slot]:
        """Yield the literals in the code of a block, in a fixed order."""
        for name, part in block.parts.items():
            for slot in self.part_slots(name, part):
                yield replace(slot, owner=name)
        for name, own in block.parameters.items():
            for size in self.graph.tensors[name].shape:
                yield Slot("size", own, size)
        for step in block.steps:
            if not step.part:
                yield from self._step_slots(step)

    def part_slots(self, name: str, part: Layer | Block) -> Iterator[Slot]:
        """Yield the literals in the construction of a part."""
        if isinstance(part, Layer):
            form = self.dialect.forms[part.node.op]
            for argument, value in part.node.config.items():
                yield Slot(argument, name, value, form.defaults.get(argument))
        elif self.is_inline(part):
            for step in part.steps:
                yield from self.part_slots(step.part, part.parts[step.part])
        else:
            for own, value in self.arguments(part):
                yield Slot(own.name, name, value, None if own.default is MISSING else own.default)

    def _step_slots(self, step: Step) -> Iterator[Slot]:
        found: list[Slot] = []

        def write(hint: str, value: Any) -> str:
            found.append(Slot(hint, "", value, None, True))
            return "0"

        assert step.node is not None
        self.dialect.render(step.node, [("x", 9)] * len(step.node.inputs), write)
        yield from found

    # Names.

    def _name(self, members: list[Block]) -> str:
        """Return the name of a class: that in the file, or one from the names of its blocks, or from what it does."""
        for block in members:
            qualified = self.graph.classes.get(block.path, "")
            short = qualified.rpartition(".")[2]
            if short.isidentifier() and short.isascii() and not qualified.startswith("torch.nn."):
                return class_name(short, numbered=True)
        if members[0] is self.root:
            return class_name(self.graph.name, "Network", numbered=True)
        return _told(members)


_MAY_VARY = {"sizes", "size", "value", "pad", "start", "stop", "scale", "scale_factor", "min", "max", "k"}
"""What numbers in expressions are for, where blocks of one class may differ in them."""


def _in_key(hint: str, value: Any) -> str:
    """Return how a literal of an expression is written in a key: sizes may differ, the order of dimensions may not."""
    return "0" if hint in _MAY_VARY and not isinstance(value, (str, bool)) else literal(value)


def _told(members: list[Block]) -> str:
    """Return the name of a class from the names of the modules around its blocks."""
    first = members[0]
    last = first.label.replace(".", "_")
    layers = [part.node.op.rpartition(".")[2] for part in first.parts.values() if isinstance(part, Layer)]
    if (
        first.is_sequence
        and len(layers) == len(first.parts) <= _FEW + 1
        and all(step.part.isdigit() for step in first.steps)
    ):
        return "".join(re.sub(r"\dd$", "", layer) for layer in layers)
    if not last.isdigit() and class_name(last, ""):
        name = class_name(last, "")
        if name.lower() not in ("layer", "block", "layers", "blocks") and len(name) >= _SHORTEST_NAME:
            return name
    if _gates(first):
        return "SqueezeExcitation"
    adds = any(step.node is not None and step.node.op == "+" and first.inputs[0] in step.inputs for step in first.steps)
    if adds or _adds_late(first):
        return "ResidualBlock"
    outer = next((part for part in reversed(first.path[:-1]) if not part.isdigit()), "")
    name = class_name(outer.replace(".", "_"), "")
    if name.endswith("s") and not name.endswith("ss"):
        name = name[:-1]
    if name in ("Block", "Layer"):
        return name
    return f"{name}Block" if name else "Block"


def _gates(block: Block) -> bool:
    """Tell whether the input is multiplied by what is computed from its mean over all places."""
    pools = any(isinstance(part, Layer) and "AdaptiveAvgPool" in part.node.op for part in block.parts.values())
    last = block.steps[-1].node
    return pools and last is not None and last.op == "*" and block.inputs[0] in block.steps[-1].inputs


def _adds_late(block: Block) -> bool:
    """Tell whether the input, or what one part makes of it, is added at the end."""
    near = set(block.inputs) | {name for step in block.steps if step.inputs == block.inputs for name in step.outputs}
    return any(step.node is not None and step.node.op == "+" and near & set(step.inputs) for step in block.steps[-2:])


def _levels(root: Block) -> list[list[Block]]:
    """Return the blocks of a tree in groups of which each needs only earlier ones; those of a group may be of one class.

    A numbered sequence may be written in place, so what contains it may be alike to what does not.
    """
    levels: dict[tuple[int, int, int], list[Block]] = {}

    def visit(block: Block) -> tuple[int, int]:
        height = depth = 0
        for part in block.parts.values():
            if isinstance(part, Block):
                inner_height, inner_depth = visit(part)
                height = max(height, inner_height + (not part.is_numbered))
                depth = max(depth, inner_depth + 1)
        key = (height, 0, depth) if block.is_numbered else (height, 1, 0)
        levels.setdefault(key, []).append(block)
        return height, depth

    visit(root)
    return [levels[key] for key in sorted(levels)]


def _removable(block: Block) -> Iterator[Optional]:
    """Yield the steps without which a block may be one of another kind: what they return can be one of their inputs."""
    for place, step in enumerate(block.steps):
        if len(step.outputs) != 1:
            continue
        if step.part:
            called_once = sum(other.part == step.part for other in block.steps) == 1
            if called_once and len(step.inputs) == 1 and not step.part.isdigit() and "." not in step.part:
                yield Optional(
                    place, 0, step.part, identifier(snake(step.part))
                )  # a class may be called as the part is
        elif step.node is not None and step.node.op == "+" and len(step.inputs) == 2:
            yield Optional(place, 0, "", "residual")
            yield Optional(place, 1, "", "residual")


def _aligned(whole: Sequence[Slot], own: Sequence[Slot], optional: str) -> list[Slot]:
    """Return the slots of a block without an optional part, beside those of one with it."""
    rest = iter(own)
    return [
        Slot(slot.hint, slot.part, MISSING) if optional and slot.owner == optional else next(rest) for slot in whole
    ]


def _same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)


def _relation(values: tuple[Any, ...], others: tuple[Any, ...]) -> str:
    """Return how numbers follow from others by a factor; empty where they do not."""
    pairs = [(value, other) for value, other in zip(values, others) if value is not MISSING]
    if not all(type(value) is int and type(other) is int and value >= 0 and other > 0 for value, other in pairs):
        return ""
    if len({other for _, other in pairs}) < 2:
        return ""
    value, other = pairs[0]
    if all(v == o // 2 for v, o in pairs):
        return "{} // 2"
    if any(v == 0 for v, _ in pairs):
        return ""
    if value % other == 0 and all(v == o * (value // other) for v, o in pairs):
        return f"{value // other} * {{}}"
    if other % value == 0 and all(o == v * (other // value) for v, o in pairs):
        return f"{{}} // {other // value}"
    return ""
