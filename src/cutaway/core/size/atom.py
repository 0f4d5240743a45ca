"""What sizes are made of: named integers, and functions of sizes that no polynomial expresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from cutaway.core.size.dim import Dim
    from cutaway.core.size.polynomial import Polynomial

    Size: TypeAlias = int | Dim

FLOORDIV, MOD, MIN, MAX, QUOTIENT, POWER = "floordiv", "mod", "min", "max", "quotient", "power"


class Symbol:
    """A named integer that is at least `least`, if that is given. An anonymous one stands for an unknown size."""

    __slots__ = ("_hash", "anonymous", "depth", "least", "name", "order")

    def __init__(self, name: str, least: int | None = 1, anonymous: bool = False) -> None:
        self.name, self.least, self.anonymous = name, least, anonymous
        self.depth = 0
        self.order = name
        self._hash = hash((name, least))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Symbol)
            and self.name == other.name
            and self.least == other.least
            and self.anonymous == other.anonymous
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Symbol, (self.name, self.least, self.anonymous)  # hashes differ from process to process

    def __str__(self) -> str:
        return "?" if self.anonymous else self.name

    def __repr__(self) -> str:
        return f"Symbol({self.name!r}, {self.least!r}{', anonymous' if self.anonymous else ''})"


class Func:
    """One of `floordiv`, `mod`, `min`, `max` of two sizes, or their `quotient` or `power`, which is known to be whole."""

    __slots__ = ("_hash", "depth", "kind", "left", "order", "right")

    def __init__(self, kind: str, left: Size, right: Size) -> None:
        self.kind, self.left, self.right = kind, left, right
        self.depth = 1 + max(depth(left), depth(right))
        self.order = f"{kind}({order(left)},{order(right)})"
        self._hash = hash((kind, left, right))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Func)
            and self._hash == other._hash
            and self.kind == other.kind
            and self.left == other.left
            and self.right == other.right
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Func, (self.kind, self.left, self.right)

    def __repr__(self) -> str:
        return f"Func({self.kind!r}, {self.left!r}, {self.right!r})"


Atom: TypeAlias = Symbol | Func
Monomial: TypeAlias = tuple[tuple[Atom, int], ...]
"""A product of powers of atoms, in the order of their strings."""


def depth(size: int | Polynomial) -> int:
    """Return how many functions are nested in a size."""
    if isinstance(size, int):
        return 0
    return max((atom.depth for monomial in size.terms for atom, _ in monomial), default=0)


def order(size: int | Polynomial) -> str:
    """Return a string by which sizes are put in order."""
    if isinstance(size, int):
        return str(size)
    parts = [f"{c}*{'*'.join(f'{a.order}^{p}' for a, p in m)}" for m, c in size.terms.items()]
    return "+".join(sorted(parts))
