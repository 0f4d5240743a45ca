"""Which operations of a network, or of several, are the same again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cutaway.core.architecture import EITHER, Architecture, Op, Quantity
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Size
from cutaway.passes.cost import as_quantity
from cutaway.passes.unique_modules import op_key


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An operation in the module it runs in; `node` names it there: `conv2d`, `conv2d_1`."""

    op: Op
    node: str


@dataclass(frozen=True, slots=True)
class UniqueOp:
    """An operation and every place where it is the same."""

    op: Op
    occurrences: tuple[Occurrence, ...]

    @property
    def count(self) -> Quantity:
        """How often it takes place; None where that is not known."""
        total: Size = 0
        for each in self.occurrences:
            if each.op.repeat is None:
                return None
            total = total + each.op.repeat
        return as_quantity(total)


@dataclass(frozen=True, slots=True)
class Ranked:
    """How often an operation occurs, in how many networks, and in how many variants."""

    name: str
    networks: int
    count: int
    variants: int


def unique_ops(ops: Iterable[Op]) -> list[UniqueOp]:
    """Return the unique operations in the order of their first occurrence."""
    groups: dict[object, list[Occurrence]] = {}
    taken: dict[tuple[str, str], int] = {}
    for op in ops:
        if op.op == EITHER:
            continue
        base = node_name(op.op)
        number = taken.get((op.module, base), 0)
        taken[op.module, base] = number + 1
        groups.setdefault(op_key(op), []).append(Occurrence(op, f"{base}_{number}" if number else base))
    return [UniqueOp(group[0].op, tuple(group)) for group in groups.values()]


def rank(architectures: Sequence[Architecture]) -> list[Ranked]:
    """Return the operations of several networks, those that most of them have first."""
    networks: dict[str, set[int]] = {}
    counts: dict[str, int] = {}
    variants: dict[str, set[object]] = {}
    for at, architecture in enumerate(architectures):
        for op in architecture.ops:
            if op.op == EITHER:
                continue
            networks.setdefault(op.op, set()).add(at)
            counts[op.op] = counts.get(op.op, 0) + 1
            variants.setdefault(op.op, set()).add(op_key(op))
    ranked = [Ranked(name, len(networks[name]), counts[name], len(variants[name])) for name in counts]
    return sorted(ranked, key=lambda each: (-each.networks, -each.count, each.name))


def node_name(op: str) -> str:
    """Return the last part of an operation's name, as a graph names its nodes."""
    last = op.rpartition(".")[2]
    return last.strip("_") if last.startswith("__") else last
