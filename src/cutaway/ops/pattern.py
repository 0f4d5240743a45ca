"""Patterns of named axes, such as `b (h p) c -> b h (p c)`: how they take a shape apart and put it together."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Size, equal, floordiv, mod, product
from cutaway.ops.reshape import text

ELLIPSIS = "…"
REDUCTIONS = ("min", "max", "sum", "mean", "prod", "any", "all")


class PatternFault(Fault):
    """A pattern that is malformed, or that a shape does not fit."""


@dataclass(frozen=True)
class Expression:
    """One side of a pattern: groups of axes; a number in a group is an axis of that size without a name."""

    groups: tuple[tuple[str, ...], ...]
    anonymous: Mapping[str, int]
    parenthesised_ellipsis: bool

    @property
    def axes(self) -> list[str]:
        """All axes, in order."""
        return list(itertools.chain.from_iterable(self.groups))


@dataclass(frozen=True)
class Plan:
    """How a tensor is rearranged: split into `split`, permuted to `order`, whose last axes are reduced, then
    `added` axes are inserted at positions of the result, and groups merged to `shape`; `copies` if that can't be
    done in place."""

    split: tuple[Size, ...]
    order: tuple[int, ...]
    reduced: tuple[int, ...]
    added: tuple[tuple[int, Size], ...]
    shape: tuple[Size, ...]
    copies: bool


def parse(expression: str, underscore: bool = False, duplicates: bool = False) -> Expression:
    """Read one side of a pattern."""
    if expression.count(".") != 3 * expression.count("...") or expression.count("...") > 1:
        raise PatternFault(f"{expression!r}: dots are allowed only in one ellipsis (...)", FaultCode.INVALID_ARGUMENT)
    groups: list[tuple[str, ...]] = []
    anonymous: dict[str, int] = {}
    seen: set[str] = set()
    open_group: list[str] | None = None
    parenthesised = False
    spaced = expression.replace("...", ELLIPSIS).replace("(", " ( ").replace(")", " ) ")
    for token in spaced.split():
        if token == "(":
            if open_group is not None:
                raise PatternFault(f"{expression!r}: parentheses can't be nested", FaultCode.INVALID_ARGUMENT)
            open_group = []
        elif token == ")":
            if open_group is None:
                raise PatternFault(f"{expression!r}: parentheses are not balanced", FaultCode.INVALID_ARGUMENT)
            groups.append(tuple(open_group))
            open_group = None
        else:
            if token in seen and not duplicates and not (underscore and token == "_"):
                raise PatternFault(f"{expression!r}: the axis {token!r} appears twice", FaultCode.INVALID_ARGUMENT)
            axes = _axis(token, expression, underscore, anonymous)
            seen.update(axes)
            parenthesised |= token == ELLIPSIS and open_group is not None
            if open_group is None:
                groups.append(axes)
            else:
                open_group.extend(axes)
    if open_group is not None:
        raise PatternFault(f"{expression!r}: parentheses are not balanced", FaultCode.INVALID_ARGUMENT)
    return Expression(tuple(groups), anonymous, parenthesised)


_numbers = itertools.count()


def _axis(token: str, expression: str, underscore: bool, anonymous: dict[str, int]) -> tuple[str, ...]:
    """Return the axis that a word names; a 1 names none, any other number a new one."""
    if token == ELLIPSIS:
        return (ELLIPSIS,)
    if token.isdecimal():
        if int(token) == 0:
            raise PatternFault(f"{expression!r}: an axis can't have length 0", FaultCode.INVALID_ARGUMENT)
        if int(token) == 1:
            return ()
        name = f"{token}#{next(_numbers)}"
        anonymous[name] = int(token)
        return (name,)
    if not is_axis(token) and not (underscore and token == "_"):
        raise PatternFault(f"{expression!r}: {token!r} is no name of an axis", FaultCode.INVALID_ARGUMENT)
    return (token,)


def is_axis(name: str) -> bool:
    """Tell whether this may name an axis."""
    return name.isidentifier() and name[0] != "_" and name[-1] != "_"


def sides(pattern: str, operation: Any, given: Sequence[str]) -> tuple[Expression, Expression]:
    """Read a pattern and check it against what the operation may do with axes."""
    title = _title(pattern, operation)
    halves = pattern.split("->")
    if len(halves) != 2:
        raise PatternFault(f"{title}: the pattern must have exactly one ->", FaultCode.INVALID_ARGUMENT)
    left, right = parse(halves[0]), parse(halves[1])
    only_left = [a for a in left.axes if a not in right.axes]
    only_right = [a for a in right.axes if a not in left.axes]
    if ELLIPSIS in only_right:
        raise PatternFault(f"{title}: an ellipsis on the right needs one on the left", FaultCode.INVALID_ARGUMENT)
    if left.parenthesised_ellipsis:
        raise PatternFault(f"{title}: an ellipsis on the left can't be in parentheses", FaultCode.INVALID_ARGUMENT)
    if operation == "rearrange":
        if left.anonymous or right.anonymous:
            raise PatternFault(f"{title}: no numbers but 1 are allowed", FaultCode.INVALID_ARGUMENT)
        if only_left or only_right:
            names = _listed(only_left + only_right)
            raise PatternFault(f"{title}: {names} must be on both sides", FaultCode.INVALID_ARGUMENT)
    elif operation == "repeat":
        if only_left:
            raise PatternFault(f"{title}: {_listed(only_left)} can't be dropped", FaultCode.INVALID_ARGUMENT)
        unsized = [a for a in only_right if a not in given and a not in right.anonymous]
        if unsized:
            raise PatternFault(f"{title}: sizes are needed for the new {_listed(unsized)}", FaultCode.INVALID_ARGUMENT)
    elif operation in REDUCTIONS or callable(operation):
        if only_right:
            raise PatternFault(f"{title}: {_listed(only_right)} must be on the left too", FaultCode.INVALID_ARGUMENT)
    else:
        raise PatternFault(
            f"{title}: {operation!r} is no reduction; there are {', '.join(REDUCTIONS)}", FaultCode.INVALID_ARGUMENT
        )
    for name in given:
        if name not in left.axes and name not in right.axes:
            raise PatternFault(f"{title}: the pattern does not use the axis {name!r}", FaultCode.INVALID_ARGUMENT)
    return left, right


def plan(pattern: str, operation: Any, shape: Sequence[Size], given: Mapping[str, Size]) -> Plan:
    """Fit a pattern to a shape."""
    session.current().limit_parts(len(shape) ** 2, "pairs of axes")
    left, right = sides(pattern, operation, list(given))
    title = _title(pattern, operation)
    groups = _expanded(title, left, shape)
    hidden = [axis for group in groups for axis in group if axis.startswith(ELLIPSIS)]
    lengths: dict[str, Size] = {**left.anonymous, **right.anonymous, **given}
    for number, (group, length) in enumerate(zip(groups, shape)):
        _measure(title, group, number, length, lengths)
    flat = [axis for group in groups for axis in group]
    target = [_with_ellipsis(group, hidden) for group in _outer(right, hidden)]
    kept = [axis for group in target for axis in group]
    reduced = [axis for axis in flat if axis not in kept]
    order = [flat.index(axis) for axis in kept if axis in flat] + [flat.index(axis) for axis in reduced]
    remaining = len(order) - len(reduced)
    return Plan(
        tuple(lengths[axis] for axis in flat),
        tuple(order),
        tuple(range(remaining, len(order))),
        tuple((position, lengths[axis]) for position, axis in enumerate(kept) if axis not in flat),
        tuple(product(lengths[axis] for axis in group) for group in target),
        any(_lie_apart(group, flat, lengths) for group in target),
    )


def _lie_apart(group: tuple[str, ...], flat: Sequence[str], lengths: Mapping[str, Size]) -> bool:
    """Tell whether the axes of a group are not neighbours in memory, so that merging them copies."""
    axes, all_axes = ([a for a in some if equal(lengths[a], 1) is not True] for some in (group, flat))
    places = [all_axes.index(axis) if axis in all_axes else -1 for axis in axes]
    return len(places) > 1 and (-1 in places or places != list(range(places[0], places[0] + len(places))))


def _measure(title: str, group: tuple[str, ...], number: int, length: Size, lengths: dict[str, Size]) -> None:
    """Find the lengths of the axes in a group from that of the whole."""
    unknown = [axis for axis in group if axis not in lengths]
    known = product(lengths[axis] for axis in group if axis in lengths)
    if len(unknown) > 1:
        raise PatternFault(f"{title}: the sizes of {_listed(unknown)} can't be inferred", FaultCode.INVALID_ARGUMENT)
    if not unknown:
        if not session.require_equal(length, known, title):
            raise PatternFault(
                f"{title}: dimension {number} has size {length}, but the pattern gives it {known}",
                FaultCode.SHAPE_MISMATCH,
            )
    elif len(group) == 1:
        lengths[unknown[0]] = length
    else:
        if not session.require_equal(mod(length, known), 0, title):
            raise PatternFault(
                f"{title}: dimension {number} has size {length}, which is not divisible by the {known} of "
                f"{_listed([a for a in group if a not in unknown])}",
                FaultCode.SHAPE_MISMATCH,
            )
        lengths[unknown[0]] = floordiv(length, known)


def _expanded(title: str, left: Expression, shape: Sequence[Size]) -> list[tuple[str, ...]]:
    """Return the groups with one for each dimension under the ellipsis."""
    groups = left.groups
    if (ELLIPSIS,) not in groups:
        if len(groups) != len(shape):
            raise PatternFault(
                f"{title}: the pattern expects {len(groups)} dimensions, but the input is {text(shape)}",
                FaultCode.WRONG_RANK,
            )
        return list(groups)
    if len(shape) < len(groups) - 1:
        raise PatternFault(
            f"{title}: the pattern expects at least {len(groups) - 1} dimensions, but the input is {text(shape)}",
            FaultCode.WRONG_RANK,
        )
    hidden = [f"{ELLIPSIS}{i}" for i in range(len(shape) - len(groups) + 1)]
    return _outer(left, hidden)


def _outer(side: Expression, hidden: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the groups of a side, an ellipsis outside of parentheses replaced by one for each dimension."""
    if side.parenthesised_ellipsis:
        return list(side.groups)
    found: list[tuple[str, ...]] = []
    for group in side.groups:
        found.extend([(axis,) for axis in hidden] if group == (ELLIPSIS,) else [group])
    return found


def _with_ellipsis(group: tuple[str, ...], hidden: Sequence[str]) -> tuple[str, ...]:
    return tuple(itertools.chain.from_iterable(hidden if axis == ELLIPSIS else (axis,) for axis in group))


def _listed(axes: Sequence[str]) -> str:
    return ", ".join(axis.partition("#")[0].replace(ELLIPSIS, "...") for axis in axes)


def _title(pattern: str, operation: Any) -> str:
    return f"{operation if operation in ('rearrange', 'repeat') else 'reduce'} {pattern!r}"
