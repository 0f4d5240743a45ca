"""Where values of a folded graph come together: what an operation reads may be another value in each variant.

An operation that is only there under a condition is mostly passed by where it is not: what would have read its result
reads what it would have read. So each such operation has one joint behind it, however many of them follow each
other, and no combination of their conditions has to be followed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from cutaway.core.architecture import EITHER, Op, Shape, Value
from cutaway.core.record import dataclass, field
from cutaway.passes.condition_dependence import Branch, Explainer, Leaf, Tree, decided, when


@dataclass(slots=True, eq=False)
class Entry:
    """Something of the folded network: what it is in each variant that has it."""

    key: Any
    variants: dict[int, Any] = field(default_factory=dict)
    below: list[Entry] = field(default_factory=list)
    path: str = ""

    @property
    def first(self) -> Any:
        """What it is in the first variant that has it."""
        return next(iter(self.variants.values()))


class Folding(Protocol):
    """What is known of the variants that are folded."""

    explainer: Explainer

    def name(self, number: int, name: str) -> str:
        """Return the name that a value of a variant has in the folded graph."""

    def shape(self, shapes: Mapping[int, Shape]) -> Shape:
        """Return a shape whose sizes are decided by conditions."""

    def presence(self, entry: Entry, within: Sequence[int]) -> Tree:
        """Return when an entry is there."""


class Joins:
    """The operations of a folded graph as they are put together, and what each value is in each variant."""

    def __init__(self, folding: Folding, entries: Sequence[Entry]) -> None:
        self.folding = folding
        self.ops: list[Op] = []
        self.inputs: dict[int, list[str]] = {}
        self._count = len(folding.explainer.variants)
        self._tables: dict[str, dict[int, str]] = {}
        self._makers: dict[str, tuple[int, Entry]] = {}
        self._known: dict[Any, str] = {}
        for at, entry in enumerate(entries):
            for number, op in entry.variants.items():
                for value in op.outputs:
                    self._makers[folding.name(number, value.name)] = at, entry

    def value(self, entry: Entry, at: int) -> Value:
        """Return what an operation reads; where that is another value in some variants, where these come together."""
        ops: dict[int, Op] = entry.variants
        shape = self.folding.shape({n: op.inputs[at].shape for n, op in ops.items()})
        reads = {n: self.folding.name(n, op.inputs[at].name) for n, op in ops.items()}
        return Value(
            self._joined(reads, shape, entry.first.inputs[at].dtype, entry), shape, entry.first.inputs[at].dtype
        )

    def _joined(self, reads: Mapping[int, str], shape: Shape, dtype: str | None, reader: Entry) -> str:
        names = set(reads.values())
        if len(names) == 1:
            return names.pop()
        return self._passed_by(reads, shape, dtype, reader) or self._explained(reads, shape, dtype, reader)

    def _passed_by(self, reads: Mapping[int, str], shape: Shape, dtype: str | None, reader: Entry) -> str | None:
        """Return the joint behind the last operation that is not always there, if what it reads is read instead."""
        makers = [self._makers[name] for name in set(reads.values()) if name in self._makers]
        if not makers:
            return None
        last = max(makers, key=lambda maker: maker[0])[1]
        results = {n: self.folding.name(n, op.outputs[0].name) for n, op in last.variants.items() if op.outputs}
        if any(reads[n] != results.get(n) for n in reads if n in last.variants):
            return None
        for source in self.inputs.get(id(last), ()):
            table = self._table(source)
            if all(reads[n] == table.get(n) for n in reads if n not in last.variants):
                own = next(iter(results.values()))
                made_of = {n: own if n in last.variants else table.get(n, "") for n in range(self._count)}
                return self._joint((id(last), source), last, (own, source), made_of, shape, dtype, reader)
        return None

    def _joint(
        self,
        key: Any,
        last: Entry,
        sides: tuple[str, str],
        table: dict[int, str],
        shape: Shape,
        dtype: str | None,
        reader: Entry,
    ) -> str:
        known = self._known.get(key)
        if known is None:
            condition = when(self.folding.presence(last, range(self._count)))
            known = self._known[key] = self._either(condition or "", sides, shape, dtype, reader)
            self._tables[known] = table
        return known

    def _explained(self, reads: Mapping[int, str], shape: Shape, dtype: str | None, reader: Entry) -> str:
        tree = self.folding.explainer.explain(reads)
        return self._of(tree, shape, dtype, reader)

    def _of(self, tree: Tree, shape: Shape, dtype: str | None, reader: Entry) -> str:
        if isinstance(tree, Leaf):
            return str(tree.value)
        if not isinstance(tree, Branch):
            return ""
        known = self._known.get(tree)
        if known is None:
            sides = self._of(tree.then, shape, dtype, reader), self._of(tree.otherwise, shape, dtype, reader)
            known = self._known[tree] = self._either(tree.condition, sides, shape, dtype, reader)
            variants = self.folding.explainer.variants
            names = {number: decided(tree, holds) for number, holds in enumerate(variants)}
            self._tables[known] = {number: name for number, name in names.items() if name is not None}
        return known

    def _table(self, name: str) -> dict[int, str]:
        """Return what a value is in each variant."""
        if name not in self._tables:
            maker = self._makers.get(name)
            numbers = range(self._count) if maker is None else maker[1].variants
            self._tables[name] = dict.fromkeys(numbers, name)
        return self._tables[name]

    def _either(self, condition: str, sides: tuple[str, str], shape: Shape, dtype: str | None, reader: Entry) -> str:
        name = f"e{len(self._known) + 1}"
        module = reader.key[0].path if reader.key[0] is not None else ""
        self.ops.append(
            Op(
                EITHER,
                {"condition": condition},
                tuple(Value(side, shape, dtype) for side in sides),
                (Value(name, shape, dtype),),
                module,
                reader.first.source,
                0,
                False,
            )
        )
        return name
