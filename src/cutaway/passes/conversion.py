"""What is left of a network that was converted to another format: what the format dropped, and what is another network.

Converters rename everything, order dimensions in their own way, store equal tensors once, split or join the weights of gates
and directions, and work out in advance whatever does not depend on the input. So a scale or a shift by channel, such as a
bias or a batch normalization, ends up inside of the layer beside it, or nowhere if it changes nothing. The weights of
products and look-up tables remain, as do the number of multiply-accumulates and the activations: these are compared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from cutaway.core.architecture import Architecture, Op, Quantity, Shape, Weight
from cutaway.core.record import dataclass, field
from cutaway.core.size.dim import Dim, substitute, symbols
from cutaway.ops.families import SIGMOID, TANH, families, is_container, is_recurrent
from cutaway.passes.hierarchy import owner
from cutaway.passes.weight_contents import COUNTING, is_constant, sizes

KERNEL, CHANNELWISE, UNREAD = "kernel", "channelwise", "unread"
_MOST_PARTS = 8
_MOST_SUBSETS = 20_000
_SHOWN = 6
_NUMBERS = (64, 192)


@dataclass(slots=True)
class Conversion:
    """Weights of each of two networks that the other has none like, other differences, and what a format does not hold."""

    missing: list[Weight] = field(default_factory=list)
    unexpected: list[Weight] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)


def compared(before: Architecture, after: Architecture) -> Conversion:
    """Compare two networks one of which may be a conversion of the other."""
    found = Conversion()
    sides = _Side(before), _Side(after)
    _match_named(*sides)
    _match_sizes(*sides)
    _match_parts(*sides, found)
    _match_parts(*sides[::-1], found)
    _match_regrouped(*sides)
    for side in sides:
        _drop_copies(side, found)
    for side, other, rest in zip(sides, sides[::-1], (found.missing, found.unexpected)):
        # A file of weights is no graph that anything could have been folded into.
        rest += side.of(KERNEL) if other.network.ops else side.open.values()
        if other.network.ops:
            _say_losses(side, "second" if side is sides[0] else "first", found)
    _compare_values(before, after, sides, found)
    found.details += work(before, after)
    return found


class _Side:
    """The weights of one network that are not matched yet, by their role, and how often each is read."""

    def __init__(self, network: Architecture) -> None:
        self.network = network
        self.roles = roles(network)
        self.reads = Counter(value.name for op in network.ops for value in op.inputs)
        self.open = {
            weight.name: weight
            for weight in network.weights
            if weight.persistent and weight.tied_to is None and not is_constant(weight)
        }

    def of(self, *wanted: str) -> list[Weight]:
        """Return the weights with one of some roles that are not matched."""
        return [weight for weight in self.open.values() if self.roles[weight.name] in wanted]

    def copies(self, weight: Weight) -> int:
        """Return how many equal tensors a stored one may stand for: as many as read it."""
        return max(self.reads[weight.name], 1)


def roles(network: Architecture) -> dict[str, str]:
    """Return what each weight does: it is multiplied or looked up, or it scales or shifts channels; or nothing reads it."""
    held = {weight.name: weight for weight in network.weights}
    origins = weights_behind(network)
    results = dict.fromkeys(held, UNREAD if network.ops else KERNEL)
    for op in network.ops:
        read = [(value, origins[value.name]) for value in op.inputs if value.name in origins]
        if not read or any(value.name in origins for value in op.outputs):
            continue
        for value, names in read:
            role = KERNEL if _is_kernel(op, value.shape, [other.shape for other, _ in read]) else CHANNELWISE
            for name in names:
                if results[name] != KERNEL:
                    results[name] = role
    for name, weight in held.items():
        if len(sizes(weight)) < 2 and (results[name] == UNREAD or not network.ops):
            results[name] = CHANNELWISE
    return results


def weights_behind(network: Architecture) -> dict[str, frozenset[str]]:
    """Return the weights that each value is made of which depends on nothing else, themselves included."""
    origins = {weight.name: frozenset([weight.name]) for weight in network.weights}
    changing = {value.name for value in network.inputs}
    for op in network.ops:
        read = [origins[value.name] for value in op.inputs if value.name in origins]
        others = [value for value in op.inputs if value.name not in origins]
        if all(value.dtype in COUNTING and value.name not in changing for value in others) and op.macs == 0:
            if read:
                origins.update(dict.fromkeys((value.name for value in op.outputs), frozenset[str]().union(*read)))
        else:
            changing.update(value.name for value in op.outputs)
    return origins


def _is_kernel(op: Op, shape: Shape, others: Sequence[Shape]) -> bool:
    """Tell whether an operation multiplies by a weight, or looks something up in it, rather than scale or shift channels."""
    if shape is None:
        return op.macs != 0
    if op.macs != 0:
        # Beside its matrices a layer has biases, which have fewer dimensions.
        return len(shape) == max(len(other or ()) for other in others) and len(shape) > 1
    wide = [size for size in shape if size != 1]
    if is_container(op.op):
        # What a loop does with a tensor is not seen here; a layer's two biases may be stored as one tensor of two rows.
        return len(wide) > 1 and 2 not in wide
    result = op.outputs[0].shape if op.outputs else None
    if len(wide) < 2 or result is None:
        return len(wide) > 1
    aligned = result[len(result) - len(shape) :] if len(shape) <= len(result) else ()
    return len(aligned) != len(shape) or any(size not in (1, other) for size, other in zip(shape, aligned))


def _match_named(left: _Side, right: _Side) -> None:
    """Take weights of the same name for each other, if they may be the same tensor."""
    for name in [name for name in left.open if name in right.open]:
        if _regroups(sizes(left.open[name]), sizes(right.open[name])):
            del left.open[name], right.open[name]


def _match_sizes(left: _Side, right: _Side) -> None:
    """Take weights of the same sizes, in any order, for each other."""
    for wanted in ((KERNEL,), (CHANNELWISE, UNREAD), (KERNEL, CHANNELWISE, UNREAD)):
        groups: dict[tuple[int, ...], tuple[list[Weight], list[Weight]]] = {}
        for side, held in enumerate((left.of(*wanted), right.of(*wanted))):
            for weight in held:
                groups.setdefault(sizes(weight), ([], []))[side].append(weight)
        for ours, theirs in groups.values():
            _take(ours, theirs, left, right)


def _match_regrouped(left: _Side, right: _Side) -> None:
    """Take weights for each other whose dimensions were split or joined."""
    for weight in left.of(KERNEL, CHANNELWISE):
        other = next((each for each in right.of(KERNEL, CHANNELWISE) if _regroups(sizes(weight), sizes(each))), None)
        if other is not None:
            del left.open[weight.name], right.open[other.name]


def _take(ours: Sequence[Weight], theirs: Sequence[Weight], left: _Side, right: _Side) -> None:
    """Match two groups of weights of the same sizes: one for one, and one for as many equal ones as read it."""
    if not ours or not theirs:
        return
    for weight, other in zip(ours, theirs):
        del left.open[weight.name], right.open[other.name]
    if len(ours) < len(theirs):
        ours, theirs, left, right = theirs, ours, right, left
    spare = sum(right.copies(weight) - 1 for weight in theirs)
    for weight in ours[len(theirs) :][:spare]:
        del left.open[weight.name]


def _regroups(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    """Tell whether dimensions of one can be joined to the dimensions of the other."""
    if left == right:
        return True
    if math.prod(left) != math.prod(right) or not left or not right:
        return False
    if len(left) < len(right):
        left, right = right, left
    return len(left) <= _MOST_PARTS and _partitions(left, right)


def _partitions(sizes_: tuple[int, ...], products: tuple[int, ...]) -> bool:
    if not products:
        return not sizes_
    first, *rest = products
    for count in range(1, len(sizes_) - len(rest) + 1):
        for chosen in combinations(range(len(sizes_)), count):
            if math.prod(sizes_[at] for at in chosen) == first:
                others = tuple(size for at, size in enumerate(sizes_) if at not in chosen)
                if _partitions(others, tuple(rest)):
                    return True
    return False


def _match_parts(whole: _Side, parts: _Side, found: Conversion) -> None:
    """Take several weights for one that they are parts of: gates, directions, or the heads of attention."""
    joined = []
    for weight in whole.of(KERNEL):
        pieces = _pieces(sizes(weight), parts.of(KERNEL))
        if pieces:
            del whole.open[weight.name]
            for piece in pieces:
                del parts.open[piece.name]
            joined.append(f"{weight.name} is {len(pieces)} tensors")
    if joined:
        found.losses.append(f"weights are split or joined: {_listed(joined)}")


def _pieces(wanted: tuple[int, ...], candidates: Sequence[Weight]) -> list[Weight]:
    """Return candidates that make up a tensor if they are joined along one dimension; none where no choice does."""
    for at, size in enumerate(wanted):
        rest = (*wanted[:at], *wanted[at + 1 :])
        lengths = [(weight, _length(sizes(weight), rest)) for weight in candidates]
        fitting = [(weight, length) for weight, length in lengths if 0 < length < size]
        chosen = _summing(fitting, size)
        if chosen:
            return chosen
    return []


def _length(given: tuple[int, ...], rest: tuple[int, ...]) -> int:
    """Return how long a tensor is along the one dimension that it has besides others; 0 where it has not these others."""
    left = Counter(given) - Counter(rest)
    if Counter(rest) - Counter(given) or sum(left.values()) > 1:
        return 0
    return next(iter(left), 1)


def _summing(lengths: Sequence[tuple[Weight, int]], total: int) -> list[Weight]:
    tried = 0
    for count in range(2, min(len(lengths), _MOST_PARTS) + 1):
        for chosen in combinations(lengths, count):
            tried += 1
            if tried > _MOST_SUBSETS:
                return []
            if sum(length for _, length in chosen) == total:
                return [weight for weight, _ in chosen]
    return []


def _drop_copies(side: _Side, found: Conversion) -> None:
    """Leave out copies that a network stores of its own weights: for the iterations of a loop, and parts beside the whole."""
    loops = {value.name for op in side.network.ops if op.repeat != 1 for value in op.inputs}
    outside = {value.name for op in side.network.ops if op.repeat == 1 for value in op.inputs}
    originals = {sizes(weight) for weight in side.network.weights if weight.name in outside}
    copies = [
        weight
        for weight in side.of(KERNEL)
        if weight.name in loops and weight.name not in outside and sizes(weight) in originals
    ]
    for weight in copies:
        del side.open[weight.name]
    for weight in side.network.weights if side.of(KERNEL) else ():
        parts = _pieces(sizes(weight), side.of(KERNEL)) if weight.name not in side.open else []
        for part in parts:
            del side.open[part.name]
        copies += parts
    if copies:
        found.losses.append(f"copies of weights that are stored as well: {_listed([copy.name for copy in copies])}")


def _say_losses(side: _Side, other: str, found: Conversion) -> None:
    """Say which weights the other network does not hold as such, though it may be the same one."""
    homes: dict[str, list[Weight]] = {}
    known = {module.path: module for module in side.network.modules}
    for weight in side.of(CHANNELWISE):
        homes.setdefault(owner(weight.module or "", known, side.network.separator), []).append(weight)
    normalizations = [path for path, held in homes.items() if len(held) > 1]
    single = [weight.name for path, held in homes.items() if len(held) == 1 for weight in held]
    if normalizations:
        named = _listed([path or "(root)" for path in normalizations])
        found.losses.append(f"scales and shifts by channel that the {other} has folded into other layers: {named}")
    if single:
        named = _listed(single)
        found.losses.append(
            f"biases and factors by channel that the {other} has merged, or left out where they change nothing: {named}"
        )
    unread = [weight.name for weight in side.of(UNREAD)]
    if unread:
        found.losses.append(f"weights that no operation reads, which the {other} does not store: {_listed(unread)}")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _compare_values(before: Architecture, after: Architecture, sides: tuple[_Side, _Side], found: Conversion) -> None:
    """Compare inputs and outputs: in any order, with dimensions in any order; a constant may have become an input."""
    for what in ("inputs", "outputs"):
        was, now = ([value.shape for value in getattr(each, what)] for each in (before, after))
        if not was or not now:
            continue
        left, right = _unpaired(was, now)
        if left or right:
            pairs = [(a, b) for a, b in zip(left, right) if _may_be_turned(a, b)]
            if pairs and len(pairs) == len(left) == len(right):
                found.losses.append(
                    f"{what} have their dimensions in another order: {_shapes(left)} -> {_shapes(right)}"
                )
            elif what == "inputs" and _were_constants(left, *sides) and _were_constants(right, *sides[::-1]):
                found.losses.append(f"constants became inputs: {_shapes([*left, *right])}")
            else:
                found.details.append(f"{what} {_shapes(was)} -> {_shapes(now)}")


def _were_constants(shapes: Sequence[Shape], own: _Side, other: _Side) -> bool:
    """Tell whether inputs of one network may be tensors that the other one stores, or has merged."""
    stored = Counter(sizes(weight) for weight in other.network.weights)
    is_batched = any(value.shape and not isinstance(value.shape[0], int) for value in own.network.inputs)
    for shape in shapes:
        if shape is None or not all(isinstance(size, int) for size in shape):
            return False
        wide = tuple(sorted(size for size in shape if isinstance(size, int) and size != 1))
        if stored[wide]:
            stored[wide] -= 1
        elif len(wide) > 1 or not is_batched:
            return False
    return True


def _unpaired(before: Sequence[Shape], after: Sequence[Shape]) -> tuple[list[Shape], list[Shape]]:
    rest, alone = list(after), []
    for shape in before:
        place = next((at for at, other in enumerate(rest) if _may_be(shape, other)), None)
        if place is None:
            alone.append(shape)
        else:
            rest.pop(place)
    return alone, rest


def _may_be(left: Shape, right: Shape) -> bool:
    if left is None or right is None:
        return True
    return len(left) == len(right) and all(
        not isinstance(a, int) or not isinstance(b, int) or a == b for a, b in zip(left, right)
    )


def _may_be_turned(left: Shape, right: Shape) -> bool:
    if left is None or right is None or len(left) != len(right):
        return False
    return Counter(str(size) for size in left[1:]) == Counter(str(size) for size in right[1:])


def _shapes(shapes: Iterable[Shape]) -> str:
    return ", ".join(
        "?" if shape is None else "x".join("?" if s is None else str(s) for s in shape) for shape in shapes
    )


def work(before: Architecture, after: Architecture) -> Iterator[str]:
    """Yield what two networks do not do alike, if all is known that they do: multiply-accumulates, activations, pooling."""
    if not all(each.ops and not each.diagnostics and all(m.complete for m in each.modules) for each in (before, after)):
        return
    was, now = _macs(before.ops), _macs(after.ops)
    if was is not None and now is not None and _is_other_count(was, now, before, after):
        inside = _macs(_without_first_steps(before)), _macs(_without_first_steps(after))
        if _is_other_count(*inside, before, after):
            yield f"multiply-accumulates {was} -> {now}"
    left, right = _activations(before.ops), _activations(after.ops)
    for family in sorted({*left, *right}):
        was_there, is_there = left.get(family, 0), right.get(family, 0)
        if was_there is not None and is_there is not None and was_there != is_there:
            yield f"{family}: {was_there} operations -> {is_there}"


def _is_other_count(was: Quantity, now: Quantity, before: Architecture, after: Architecture) -> bool:
    """Tell whether two numbers of operations differ, where all free sizes are the same multiple of powers of two.

    Each network has names of its own for free sizes. A size that is not one of the inputs' may be anything.
    """
    if all(_at(was, number) == _at(now, number) for number in _NUMBERS):
        return False
    for count, network in ((was, before), (now, after)):
        free = {symbol.name for value in network.inputs for size in value.shape or () for symbol in _symbols(size)}
        if not {symbol.name for symbol in _symbols(count)} <= free:
            return False
    return True


def _symbols(size: Quantity) -> Iterator[Any]:
    return iter(symbols(size)) if isinstance(size, Dim) else iter(())


def _at(count: Quantity, number: int) -> Quantity:
    if not isinstance(count, Dim):
        return count
    return substitute(count, {symbol.name: number for symbol in symbols(count)})


def _without_first_steps(network: Architecture) -> list[Op]:
    """Return the operations without those that do a step of a loop outside of it: they read the same weights."""
    origins = weights_behind(network)

    def weights(op: Op) -> frozenset[str]:
        return frozenset[str]().union(*(origins.get(value.name, ()) for value in op.inputs))

    inside = frozenset[str]().union(*(weights(op) for op in network.ops if op.repeat != 1))
    return [op for op in network.ops if op.repeat != 1 or not weights(op) & inside]


def _macs(ops: Sequence[Op]) -> Quantity:
    """Return the multiply-accumulates of all operations; None where those of one are not known."""
    total: Any = 0
    for op in ops:
        if op.macs is None or (op.repeat is None and op.macs != 0):
            return None
        if op.macs != 0:
            total = total + op.macs * (op.repeat if op.repeat is not None else 1)
    return total  # type: ignore[no-any-return]


def _activations(ops: Sequence[Op]) -> Mapping[str, int | None]:
    """Return how many activations there are of each family; None where loops and recurrent layers repeat or hide some."""
    counts: Counter[str] = Counter()
    repeats = False
    for op in ops:
        repeats = repeats or op.repeat != 1 or is_recurrent(op.op)
        counts.update(families(op.op, op.attributes))
    return {**counts, **(dict.fromkeys((SIGMOID, TANH)) if repeats else {})}
