"""What a fact depends on: from its values in some variants of a network, the conditions that decide it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from cutaway.core.architecture import Quantity
from cutaway.core.condition import SAME_TRUTH, negated
from cutaway.core.record import dataclass
from cutaway.core.size.atom import Symbol
from cutaway.core.size.dim import Dim, Size
from cutaway.core.size.parser import detached

Holds: TypeAlias = Mapping[str, bool]

MOST_TOGETHER = 4
"""Conditions that something may depend on together for their combinations to be followed."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """The value of a fact, whatever else holds."""

    value: Any


@dataclass(frozen=True, slots=True)
class Branch:
    """A fact that is one thing where a condition holds, and another where it does not."""

    condition: str
    then: Tree
    otherwise: Tree


@dataclass(frozen=True, slots=True)
class Open:
    """A fact that depends on conditions together, of which not all combinations were followed."""

    conditions: tuple[str, ...]


Tree: TypeAlias = "Leaf | Branch | Open"


class Explainer:
    """Explains facts by the conditions that hold in each variant, and gathers the combinations that would tell more."""

    def __init__(self, variants: Sequence[Holds], failed: Sequence[Holds] = ()) -> None:
        self.variants, self.failed = variants, failed
        self.order = list(dict.fromkeys(text for holds in variants for text in holds))
        self.wanted: dict[tuple[tuple[str, bool], ...], None] = {}
        self._neighbours = list(_neighbours(variants))
        self._asks = True

    def explain(self, values: Mapping[int, Any], ask: bool = True) -> Tree:
        """Return what decides a fact, from its values by the number of the variant; `ask` for variants that it needs."""
        rows = list(values.items())
        if all(value == rows[0][1] for _, value in rows):
            return Leaf(rows[0][1])
        relevant = {c for a, b, c in self._neighbours if a in values and b in values and values[a] != values[b]}
        ordered = [text for text in self.order if text in relevant]
        self._asks = ask and len(ordered) <= MOST_TOGETHER
        tree = self._tree(rows, ordered)
        if tree is None:
            self._asks = ask and len(self.order) <= MOST_TOGETHER
            tree = self._tree(rows, self.order)
        return Open(tuple(ordered or self.order)) if tree is None else tree

    def _tree(self, rows: list[tuple[int, Any]], conditions: list[str]) -> Tree | None:
        """Split by one condition after the other; None where the conditions do not explain the values."""
        for at, condition in enumerate(conditions):
            met = [(number, self.variants[number].get(condition)) for number, _ in rows]
            sides = {holds for _, holds in met if holds is not None}
            if not sides:
                continue
            if len(sides) == 1:
                number = next(number for number, holds in met if holds is not None)
                other = {**self.variants[number], condition: not self.variants[number][condition]}
                if any(_agree(failure, other) for failure in self.failed):
                    continue  # there is no network on the other side
                if self._asks:
                    self.wanted.setdefault(tuple(sorted(other.items())))
                return Open(tuple(conditions[at:]))
            rest = conditions[at + 1 :]
            parts = [
                self._tree([row for row, (_, holds) in zip(rows, met) if holds is not (not side)], rest)
                for side in (True, False)
            ]
            if parts[0] is None or parts[1] is None:
                return None
            if parts[0] == parts[1]:
                return parts[0]
            return Branch(condition, parts[0], parts[1])
        if all(value == rows[0][1] for _, value in rows):
            return Leaf(rows[0][1])
        return None


def _agree(one: Holds, other: Holds) -> bool:
    """Tell whether two ways to decide conditions differ in none that both of them met."""
    return all(other.get(text, holds) is holds for text, holds in one.items())


def _neighbours(variants: Sequence[Holds]) -> Iterable[tuple[int, int, str]]:
    """Yield pairs of variants that differ in one condition alone, as far as both met it."""
    for a, one in enumerate(variants):
        for b in range(a + 1, len(variants)):
            other = variants[b]
            differing = [text for text, holds in one.items() if other.get(text, holds) is not holds]
            if len(differing) == 1:
                yield a, b, differing[0]


def decided(tree: Tree, holds: Holds) -> Any:
    """Return the value of a fact where conditions are decided in one way, None where that is not known."""
    while isinstance(tree, Branch):
        if tree.condition not in holds:
            return None
        tree = tree.then if holds[tree.condition] else tree.otherwise
    return tree.value if isinstance(tree, Leaf) else None


def when(tree: Tree) -> str | None:
    """Return the condition under which a fact is true, in words; None where it always is."""
    if isinstance(tree, Leaf) and tree.value:
        return None
    open_ones = dict.fromkeys(_open(tree))
    if open_ones:
        shown = list(open_ones)[:MOST_TOGETHER]
        return f"it depends on {', '.join(shown)}{' and others' if len(open_ones) > len(shown) else ''} together"
    ways = list(_ways(tree, ()))
    if len(ways) == 1:
        return " and ".join(map(_side, ways[0])) if len(ways[0]) > 1 else ways[0][0]
    return " or ".join(f"({' and '.join(map(_side, way))})" if len(way) > 1 else _side(way[0]) for way in ways)


def is_simple(tree: Tree) -> bool:
    """Tell whether a fact is known in every case, and depends on few conditions."""
    if isinstance(tree, Branch):
        return is_simple(tree.then) and is_simple(tree.otherwise) and len(list(_ways(tree, ()))) <= MOST_TOGETHER
    return isinstance(tree, Leaf)


def _side(text: str) -> str:
    return f"({text})" if " or " in text or " and " in text else text


def _ways(tree: Tree, conditions: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    if isinstance(tree, Branch):
        yield from _ways(tree.then, (*conditions, tree.condition))
        yield from _ways(tree.otherwise, (*conditions, negated(tree.condition)))
    elif isinstance(tree, Leaf) and tree.value:
        yield conditions


def _open(tree: Tree) -> Iterable[str]:
    if isinstance(tree, Branch):
        yield from _open(tree.then)
        yield from _open(tree.otherwise)
    elif isinstance(tree, Open):
        yield from tree.conditions


def indicator(condition: str) -> Dim:
    """Return the number that is 1 where a condition holds, and 0 where it does not."""
    return Dim({((Symbol(f"[{condition}]", 0), 1),): 1})


@functools.lru_cache(maxsize=1024)
def chance(condition: str) -> Size | None:
    """Return the number that is 1 where a condition in words holds, as an expression; None where it has no such."""
    import ast

    def of(node: ast.expr) -> Size:
        match node:
            case ast.UnaryOp(ast.Not(), operand):
                return 1 - of(operand)
            case ast.BoolOp(operator, values):
                together: Size = 1
                is_or = isinstance(operator, ast.Or)
                for value in values:
                    together = together * ((1 - of(value)) if is_or else of(value))
                return once(1 - together if is_or else together)
            case ast.Compare(left, [operator], [right]) if type(operator) in opposites:
                positive: Size = indicator(ast.unparse(ast.Compare(left, [opposites[type(operator)]()], [right])))
                return 1 - positive
            case ast.Call(ast.Name(name) as called, [ast.Compare(left, [operator], [right])]) if type(
                operator
            ) in opposites and SAME_TRUTH.fullmatch(name):
                compared = ast.Compare(left, [opposites[type(operator)]()], [right])
                return 1 - of(ast.Call(called, [compared], []))
        return indicator(ast.unparse(node))

    opposites: dict[type, Any] = {
        ast.NotEq: ast.Eq,
        ast.IsNot: ast.Is,
        ast.NotIn: ast.In,
        ast.GtE: ast.Lt,
        ast.LtE: ast.Gt,
    }
    try:
        return of(ast.parse(condition, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def once(size: Size) -> Size:
    """Return a size in which no condition is multiplied with itself: 1 and 0 remain the same."""
    if not isinstance(size, Dim):
        return size
    total: Size = 0
    for monomial, coefficient in size.terms.items():
        factors = tuple(
            (atom, 1 if isinstance(atom, Symbol) and atom.name.startswith("[") else power) for atom, power in monomial
        )
        total = total + Dim({factors: coefficient}) if factors else total + coefficient
    return total


def weight_of(tree: Tree, value: Callable[[Any], Size | None] = lambda value: int(bool(value))) -> Size | None:
    """Return a number that is decided by conditions as one expression; None where it is not known."""
    if isinstance(tree, Open):
        return None
    if isinstance(tree, Leaf):
        return value(tree.value)
    then, otherwise = weight_of(tree.then, value), weight_of(tree.otherwise, value)
    if then is None or otherwise is None:
        return None
    share = chance(tree.condition)
    return None if share is None else once(otherwise + (then - otherwise) * share)


def quantity(tree: Tree) -> Quantity:
    """Return a quantity that is decided by conditions."""
    size = weight_of(tree, lambda value: value)
    return None if size is None else detached(size)
