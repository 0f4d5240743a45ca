"""Einstein summation: reading the equation, the shape of the result and its MACs."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Size, equal, product

ELLIPSIS = "..."


@dataclass(frozen=True, slots=True)
class Equation:
    """Index labels of each operand and of the result; those under an ellipsis are `...0`, `...1`, ..."""

    operands: tuple[tuple[str, ...], ...]
    output: tuple[str, ...]


def parse(equation: str, ranks: Sequence[int]) -> Equation:
    """Read an equation for operands of these ranks."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = [_labels(term, equation) for term in left.split(",")]
    if len(terms) != len(ranks):
        raise Fault(
            f"einsum: {equation!r} has {len(terms)} operands, but {len(ranks)} were given", FaultCode.INVALID_ARGUMENT
        )
    operands = []
    widest = 0
    for number, (term, rank) in enumerate(zip(terms, ranks)):
        named = len(term) - term.count(ELLIPSIS)
        if named > rank or (named < rank and ELLIPSIS not in term):
            raise Fault(
                f"einsum: {equation!r} names {named} indices of operand {number}, which has {rank} dimensions",
                FaultCode.WRONG_RANK,
            )
        widest = max(widest, rank - named)
        operands.append((term, rank - named))
    expanded = tuple(_expand(term, width, widest) for term, width in operands)
    if arrow:
        output = _expand(_labels(right, equation), widest, widest)
    else:
        flat = [label for term in expanded for label in term]
        once = sorted({label for label in flat if not label.startswith(ELLIPSIS) and flat.count(label) == 1})
        output = (*(f"{ELLIPSIS}{i}" for i in range(widest)), *once)
    for label in output:
        if output.count(label) > 1:
            raise Fault(f"einsum: {equation!r} has {label!r} more than once in its output", FaultCode.INVALID_ARGUMENT)
        if not label.startswith(ELLIPSIS) and not any(label in term for term in expanded):
            raise Fault(
                f"einsum: {equation!r} has {label!r} in its output, but in none of its operands",
                FaultCode.INVALID_ARGUMENT,
            )
    return Equation(expanded, output)


def sizes(equation: Equation, shapes: Sequence[Sequence[Size]], words: str) -> dict[str, Size]:
    """Return the size of each index; sizes of 1 broadcast."""
    found: dict[str, Size] = {}
    origin: dict[str, int] = {}
    for number, (labels, shape) in enumerate(zip(equation.operands, shapes)):
        own: dict[str, Size] = {}
        for label, size in zip(labels, shape):
            if label in own and equal(own[label], size) is False:
                raise Fault(
                    f"einsum: {words!r} repeats {label!r} in operand {number}, with sizes {own[label]} and {size}",
                    FaultCode.SHAPE_MISMATCH,
                )
            own[label] = size
        for label, size in own.items():
            known = found.get(label)
            if known is None or equal(known, 1) is True:
                found[label], origin[label] = size, number
            elif equal(size, 1) is not True and equal(size, known) is False:
                if equal(size, 1) is False and equal(known, 1) is False:
                    raise Fault(
                        f"einsum: {words!r} gives {label!r} size {known} in operand {origin[label]}, "
                        f"but {size} in operand {number}",
                        FaultCode.SHAPE_MISMATCH,
                    )
            elif isinstance(size, int) and equal(size, 1) is False:
                found[label] = size
    return found


def shape(equation: Equation, extent: dict[str, Size]) -> tuple[Size, ...]:
    """Return the shape of the result."""
    return tuple(extent.get(label, 1) for label in equation.output)


def macs(equation: Equation, shapes: Sequence[Sequence[Size]]) -> Size:
    """Return the MACs of contracting the operands from left to right, each pair as one batched product.

    A pair that contracts no index is an elementwise product and counts nothing; an index of one
    operand alone is summed beforehand.
    """
    remaining = [
        {label: size for label, size in zip(labels, operand) if equal(size, 1) is not True}
        for labels, operand in zip(equation.operands, shapes)
    ]
    total: Size = 0
    while len(remaining) > 1:
        left, right, *rest = remaining
        later = set(equation.output).union(*rest)
        left, right = (
            {label: size for label, size in mine.items() if label in later or label in other}
            for mine, other in ((left, right), (right, left))
        )
        union = {**left, **right}
        contracted = [label for label in left if label in right and label not in later]
        if contracted:
            total = total + product(union.values())
        remaining = [{label: size for label, size in union.items() if label not in contracted}, *rest]
    return total


def order(equation: Equation, shapes: Sequence[Sequence[Size]]) -> tuple[str, ...] | None:
    """Return the indices of the result of contracting two operands in the order in which they lie in memory.

    One batched product makes it: first what both operands have, then what only the left has, then only the right; the
    operands change places where that spares turning the result around. None where it is made in another way.
    """
    left, right = (
        {label for label, size in zip(labels, shape) if equal(size, 1) is not True}
        for labels, shape in zip(equation.operands, shapes)
    )
    if not (left & right).difference(equation.output):
        return None
    both = [label for label in equation.output if label in left and label in right]
    first = [label for label in equation.output if label in left and label not in right]
    second = [label for label in equation.output if label not in left]
    place = equation.output.index
    turned = bool(first and second) and place(second[-1]) < place(first[0])
    return (*both, *second, *first) if turned else (*both, *first, *second)


def flattened(
    equation: Equation, shapes: Sequence[Sequence[Size]], lies: tuple[str, ...]
) -> list[tuple[tuple[int, ...], tuple[Size, ...]]]:
    """Return, for each of two operands, how its dimensions are permuted for a batched product, and then flattened.

    `lies` are the indices of the result as they lie in memory, see `order`.
    """
    extents = [dict(zip(labels, shape)) for labels, shape in zip(equation.operands, shapes)]
    both = [label for label in lies if label in extents[0] and label in extents[1]]
    summed = sorted(label for label in extents[0] if label in extents[1] and label not in lies)
    found = []
    for labels, extent in zip(equation.operands, extents):
        own = [label for label in lies if label in extent and label not in both]
        is_left = not own or lies[len(both) : len(both) + len(own)] == tuple(own)
        parts = (both, own, summed) if is_left else (both, summed, own)
        permutation = tuple(labels.index(label) for part in parts for label in part)
        found.append((permutation, tuple(product(extent[label] for label in part) for part in parts)))
    return found


def sums_alone(equation: Equation, shapes: Sequence[Sequence[Size]]) -> bool:
    """Tell whether an index of one operand alone is summed."""
    owners: dict[str, int] = {}
    for labels, operand in zip(equation.operands, shapes):
        for label in {label for label, size in zip(labels, operand) if equal(size, 1) is not True}:
            owners[label] = owners.get(label, 0) + 1
    return any(count == 1 and label not in equation.output for label, count in owners.items())


def _labels(term: str, equation: str) -> tuple[str, ...]:
    before, dots, after = term.partition(ELLIPSIS)
    for letter in before + after:
        if not (letter.isascii() and letter.isalpha()):
            raise Fault(f"einsum: {equation!r} has {letter!r}, but indices must be letters", FaultCode.INVALID_ARGUMENT)
    return (*before, *((ELLIPSIS,) if dots else ()), *after)


def _expand(labels: Sequence[str], width: int, widest: int) -> tuple[str, ...]:
    found: list[str] = []
    for label in labels:
        if label == ELLIPSIS:
            found.extend(f"{ELLIPSIS}{i}" for i in range(widest - width, widest))
        else:
            found.append(label)
    return tuple(found)
