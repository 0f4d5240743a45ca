"""What a network costs: parameters, multiply-accumulates and memory, of each module and in all."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

from cutaway.core.architecture import Architecture, Module, Op, Quantity, Shape, Totals, Weight
from cutaway.core.dtype import KINDS
from cutaway.core.loop.series import INDICES
from cutaway.core.packed_dtype import packed_bytes
from cutaway.core.pattern import pattern
from cutaway.core.record import dataclass, replace
from cutaway.core.size.atom import POWER, Func, Symbol
from cutaway.core.size.dim import Dim, Size, as_atom, divide, floordiv, quotient, raised, substitute, symbols
from cutaway.core.size.parser import detached
from cutaway.passes.hierarchy import ancestors, children, owner, upwards


@dataclass(frozen=True, slots=True)
class Figure:
    """A sum: the known part of it, and whether that is all of it."""

    least: Size = 0
    exact: bool = True

    def __add__(self, other: Figure) -> Figure:
        if other is NOTHING:
            return self
        if self is NOTHING:
            return other
        return Figure(self.least + other.least, self.exact and other.exact)

    def scaled(self, factor: Size | None) -> Figure:
        """Return the sum of that many, where that is known."""
        if self is NOTHING or factor == 0:
            return NOTHING
        from cutaway.passes.condition_dependence import once  # late: only symbolic networks need it

        return UNKNOWN if factor is None else Figure(once(self.least * factor), self.exact)

    @property
    def quantity(self) -> Quantity:
        """The sum, or None where a part of it is unknown."""
        return as_quantity(self.least) if self.exact else None


LARGEST_BITS = 1000
NOTHING = Figure()
UNKNOWN = Figure(0, False)


@dataclass(slots=True)
class Cost:
    """The figures of one module: its own parameters, and everything in it and below it.

    A tied parameter counts once in each module, however often it occurs below. `tied` tells that a
    module holds a parameter whose first name is outside of it: the network's total is then less
    than the sum over its parts.
    """

    own_parameters: Figure = NOTHING
    parameters: Figure = NOTHING
    trainable_parameters: Figure = NOTHING
    buffers: Figure = NOTHING
    weight_bytes: Figure = NOTHING
    macs: Figure = NOTHING
    activation_bytes: Figure = NOTHING
    tied: bool = False
    uneven: bool = False


def measure(architecture: Architecture) -> dict[str, Cost]:
    """Return the cost of each module by its path; the root's is the cost of the whole.

    The last result is cached: reports ask for the figures of the network that was just read.
    """
    return _measured(_Parts(architecture))


class _Parts:
    """The parts of an architecture that costs depend on; equal to others where they are the very same objects."""

    __slots__ = ("architecture", "parts")

    def __init__(self, architecture: Architecture) -> None:
        self.architecture = architecture
        self.parts = (
            architecture.modules,
            architecture.weights,
            architecture.ops,
            architecture.unknowns,
        )

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.parts)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Parts) and all(mine is theirs for mine, theirs in zip(self.parts, other.parts))


@functools.lru_cache(maxsize=1)
def _measured(key: _Parts) -> dict[str, Cost]:
    architecture = key.architecture
    below = children((module.path for module in architecture.modules), architecture.separator)
    costs = {path: Cost() for path in below}
    _add_forward(architecture, costs)
    _add_weights(architecture, costs)
    for module in architecture.modules:
        if not module.complete:
            cost = costs[module.path]
            cost.own_parameters += UNKNOWN
            _add(cost, Cost(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN))
    for path in upwards(below):
        for child in below[path]:
            _add(costs[path], costs[child])
    _add_tied(architecture, costs)
    return costs


def totals(architecture: Architecture) -> Totals:
    """Return the figures of the whole network."""
    cost = measure(architecture)[""]
    macs = cost.macs
    figures = {
        "parameters": cost.parameters,
        "trainable_parameters": cost.trainable_parameters,
        "buffers": cost.buffers,
        "macs": macs,
        "flops": Figure(macs.least * 2, macs.exact),
        "weight_bytes": cost.weight_bytes,
        "activation_bytes": cost.activation_bytes,
    }
    quantities = {name: figure.quantity for name, figure in figures.items()}
    return Totals(**{name: None if amount is None else detached(amount) for name, amount in quantities.items()})


def with_totals(architecture: Architecture) -> Architecture:
    """Return the architecture with its totals filled in."""
    return replace(architecture, totals=totals(architecture))


def elements(shape: Shape) -> Size | None:
    """Return the number of elements of a shape, or None where a size is unknown."""
    if shape is None:
        return None
    count: Size = 1
    for size in shape:
        if size is None:
            return None
        count = count * size
    return count


def byte_size(shape: Shape, dtype: str | None) -> Size | None:
    """Return the bytes of a tensor, or None where its size or its element type is unknown."""
    count = elements(shape)
    kind = KINDS.get(dtype) if dtype else None
    if kind is None and dtype and isinstance(count, int):
        return packed_bytes(count, dtype)
    return None if count is None or kind is None else count * kind.bytes


def as_quantity(size: Size) -> Quantity:
    """Return a size; None for a number that is too large to write."""
    return None if isinstance(size, int) and size.bit_length() > LARGEST_BITS else size


def of_one(
    figure: Figure, uneven: bool, path: str, modules: Mapping[str, Module], separator: str
) -> tuple[Figure, bool]:
    """Return what a figure is in one of the modules at a path, where there are several, and where there is one at all.

    Where they differ, it is what all of them have together, and False.
    """
    least, equal = figure.least, not uneven
    for above in ancestors(path, separator):
        module = modules.get(above)
        if module is None:
            continue
        if module.condition is not None and isinstance(least, Dim):
            least = substitute(least, {f"[{one}]": int(holds) for one, holds in _settled(module.condition)})
        if module.repeat not in (0, 1, None) and equal:
            one = floordiv(least, module.repeat)
            if one * module.repeat == least:
                least = one
            else:
                equal = False
    return Figure(least, figure.exact), equal


def _settled(condition: str) -> Iterable[tuple[str, bool]]:
    """Yield what is known to hold, or not to, where a condition holds."""
    from cutaway.passes.condition_dependence import chance  # late: only symbolic networks need it

    share = chance(condition)
    if not isinstance(share, Dim):
        return
    for one in symbols(share):
        at = [substitute(share, {one.name: value}) for value in (0, 1)]
        if 0 in at and at[0] != at[1]:
            yield one.name[1:-1], at[0] == 0


def times(repeat: Quantity, condition: str | None) -> Size | None:
    """Return how often something is there, as an expression in counts and conditions; None where it is unknown."""
    if repeat is None:
        return None
    from cutaway.passes.condition_dependence import chance, once  # late: only symbolic networks need it

    share = 1 if condition is None else chance(condition)
    return None if share is None else once(repeat * share)


_INDEX = pattern(r"\{[^{}]*?\b([a-z])\b[^{}]*\}")


def _is_counted(figure: Figure, path: str) -> bool:
    """Tell whether a figure differs from iteration to iteration of the repeats in a path."""
    if "{" not in path or not isinstance(figure.least, Dim):
        return False
    return bool({one.name for one in symbols(figure.least)} & set(_INDEX.findall(path)))


def _of_all(figure: Figure, repeat: Quantity, condition: str | None, path: str) -> Figure:
    """Return what a figure of one iteration of a repeat is in all of them; it may depend on the iteration."""
    factor = times(repeat, condition)
    if not isinstance(figure.least, Dim) or not _is_counted(figure, path):
        return figure.scaled(factor)
    index, *others = set(_INDEX.findall(path))
    if condition is not None or repeat is None or others:
        return UNKNOWN
    total = _summed(figure.least, index, repeat)
    return UNKNOWN if total is None else Figure(total, figure.exact)


_MOST_ITERATIONS = 1000


def _summed(size: Dim, index: str, count: Size) -> Size | None:
    """Return the sum of a size over all iterations, from the first to the last or from the last to the first."""
    total = _sum(size, index, count)
    if total is not None:
        return total
    backwards = substitute(size, {index: count - 1 - Dim({((Symbol(index, None), 1),): 1})})
    return _sum(backwards, index, count) if isinstance(backwards, Dim) else backwards * count


def _sum(size: Dim, index: str, count: Size) -> Size | None:
    """Return the sum of a size for an index from 0 to below a count; None where it has no form that is known here.

    It has one where the index comes as a square at most, or only as the exponent of a number; or there are not many.
    """
    if isinstance(count, int) and count <= _MOST_ITERATIONS:
        return sum((substitute(size, {index: iteration}) for iteration in range(count)), 0)
    sums = (count, floordiv(count * (count - 1), 2), floordiv(count * (count - 1) * (2 * count - 1), 6))
    total: Size = 0
    for monomial, coefficient in size.terms.items():
        left: Size = coefficient
        degree, ratio = 0, 1
        for atom, power in monomial:
            if isinstance(atom, Symbol) and atom.name == index:
                degree += power
            elif (
                isinstance(atom, Func) and atom.kind == POWER and isinstance(atom.left, int) and _is(atom.right, index)
            ):
                ratio *= atom.left**power
            else:
                left = left * Dim({((atom, power),): 1})
        if degree >= len(sums) or (degree and ratio > 1) or index in {one.name for one in symbols(left)}:
            return None
        total = total + left * (sums[degree] if ratio == 1 else quotient(raised(ratio, count) - 1, ratio - 1))
    return total


def _is(size: Size, name: str) -> bool:
    atom = as_atom(size)
    return isinstance(atom, Symbol) and atom.name == name


@functools.lru_cache(maxsize=4096)
def _weigh(shape: Shape, dtype: str | None) -> tuple[Figure, Figure]:
    """Return the elements and the bytes of a tensor."""
    return _figure(elements(shape)), _figure(byte_size(shape, dtype))


def _figure(size: Size | None) -> Figure:
    return UNKNOWN if size is None else Figure(size) if size != 0 else NOTHING


def _add(cost: Cost, other: Cost) -> None:
    """Add what is in another module; its own parameters remain its own."""
    cost.parameters += other.parameters
    cost.trainable_parameters += other.trainable_parameters
    cost.buffers += other.buffers
    cost.weight_bytes += other.weight_bytes
    cost.macs += other.macs
    cost.activation_bytes += other.activation_bytes
    cost.uneven |= other.uneven


def _add_weights(architecture: Architecture, costs: dict[str, Cost]) -> None:
    """Add each weight that is not tied to its module."""
    weights = architecture.weights
    tied = {weight.tied_to for weight in weights if weight.tied_to is not None}
    for weight in weights:
        if weight.tied_to is None and weight.name not in tied:
            module = weight.module or ""
            _add_weight(costs[owner(module, costs, architecture.separator)], weight, own=module in costs)


def _add_tied(architecture: Architecture, costs: dict[str, Cost]) -> None:
    """Add each group of tied weights once to every module that has one of them in it or below it."""
    separator = architecture.separator
    homes = {weight.name: weight.module or "" for weight in architecture.weights}
    groups: dict[str, list[Weight]] = {}
    first: dict[str, str] = {}
    for weight in architecture.weights:
        first[weight.name] = first.get(weight.tied_to, weight.tied_to) if weight.tied_to else weight.name
        groups.setdefault(first[weight.name], []).append(weight)
    for original, group in groups.items():
        if len(group) == 1 and group[0].tied_to is None:
            continue
        holders: dict[str, bool] = {}
        for weight in group:
            module = weight.module or ""
            for path in ancestors(owner(module, costs, separator), separator):
                if path in costs:
                    holders[path] = holders.get(path, False) or path == module
        home = set(ancestors(homes.get(original, ""), separator))
        for path, own in holders.items():
            _add_weight(costs[path], group[0], own)
            costs[path].tied |= path not in home


def counted(weights: Iterable[Weight]) -> tuple[Figure, Figure]:
    """Return how many elements some weights have, and bytes, each as often as it is there."""
    elements_, bytes_ = NOTHING, NOTHING
    for weight in weights:
        count, size = _weigh(weight.shape, weight.dtype)
        elements_ += _of_all(count, weight.repeat, weight.condition, weight.name)
        bytes_ += _of_all(size, weight.repeat, weight.condition, weight.name)
    return elements_, bytes_


def _add_weight(cost: Cost, weight: Weight, own: bool) -> None:
    count, size = _weigh(weight.shape, weight.dtype)
    if weight.repeat != 1 or weight.condition is not None or "{" in weight.name:
        count = _of_all(count, weight.repeat, weight.condition, weight.name)
        cost.uneven |= _is_counted(size, weight.name)
        size = _of_all(size, weight.repeat, weight.condition, weight.name)
    cost.weight_bytes += size
    if weight.kind == "buffer":
        cost.buffers += count
        return
    cost.parameters += count
    if own:
        cost.own_parameters += count
    if weight.kind == "tensor" or weight.trainable is None:
        cost.trainable_parameters += UNKNOWN
    elif weight.trainable:
        cost.trainable_parameters += count


def _add_forward(architecture: Architecture, costs: dict[str, Cost]) -> None:
    """Add the operations to the modules that they run in, and doubt where the forward pass was not followed."""
    free = _free(architecture)
    repeats = _repeats(architecture)
    for op in architecture.ops:
        cost = costs[owner(op.module, costs, architecture.separator)]
        macs = _figure(op.macs)
        factor = times(op.repeat, op.condition) if op.repeat != 1 or op.condition is not None else 1
        cost.uneven |= _is_counted(macs, op.module)
        counted = _counted(op, free, repeats) if op.repeat != 1 or "{" in op.module else None
        cost.macs += _in_all(macs, factor, counted)
        if op.allocates:
            for value in op.outputs:
                cost.activation_bytes += _in_all(_weigh(value.shape, value.dtype)[1], factor, counted)
    open_ended = {note.module for note in architecture.unknowns} | undecided(architecture)
    for module in architecture.modules:
        if module.path in open_ended or not all(_understood(shapes) for shapes in _flows(module)):
            costs[module.path].macs += UNKNOWN
            costs[module.path].activation_bytes += UNKNOWN
    if not was_followed(architecture):
        costs[""].macs += UNKNOWN
        costs[""].activation_bytes += UNKNOWN


def _repeats(architecture: Architecture) -> dict[str, Size]:
    """Return how often repeats come, by what counts them; what counts several that differ is left out."""
    counts_of: dict[str, set[Size]] = {}
    for module in architecture.modules:
        (_, _, last) = module.path.rpartition(architecture.separator)
        for index in _INDEX.findall(last):
            if module.repeat is not None:
                counts_of.setdefault(index, set()).add(module.repeat)
    return {index: counts.pop() for index, counts in counts_of.items() if len(counts) == 1}


def _free(architecture: Architecture) -> frozenset[str]:
    """Return the names of sizes that do not count repeats: of inputs, of single weights, and of how often repeats come."""
    shapes = [value.shape for value in architecture.inputs]
    shapes += [weight.shape for weight in architecture.weights if "{" not in weight.name]
    sizes = [size for shape in shapes for size in shape or ()] + [module.repeat for module in architecture.modules]
    return frozenset(one.name for size in sizes if size is not None for one in symbols(size))


def _counted(op: Op, free: frozenset[str], repeats: Mapping[str, Size]) -> dict[str, Size | None]:
    """Return what may count the iterations of an operation, and how many these are; None where that is not known."""
    inside = set(_INDEX.findall(op.module))
    return {name: repeats.get(name) if name in inside else None for name in set(INDICES) - free}


def _in_all(figure: Figure, factor: Size | None, counted: Mapping[str, Size | None] | None) -> Figure:
    """Return what a figure of one operation is each time that it takes place; it may depend on which time it is."""
    least = figure.least
    names = {one.name for one in symbols(least)} & counted.keys() if counted and isinstance(least, Dim) else ()
    if not names:
        return figure if factor == 1 else figure.scaled(factor)
    (name, *others) = names
    count = counted[name] if counted and not others else None
    total = _summed(least, name, count) if isinstance(least, Dim) and count is not None else None
    if factor is None or count is None or total is None:
        return UNKNOWN
    times, rest = divide(factor, count)
    return Figure(total, figure.exact).scaled(times) if rest == 0 else UNKNOWN


def undecided(architecture: Architecture) -> frozenset[str]:
    """Return the modules that were not called though they might be.

    That is so where the forward pass around them was not followed to its end, or depends on something unknown.
    """
    uncalled = [module.path for module in architecture.modules if not module.calls]
    if not was_followed(architecture):
        return frozenset(uncalled)
    doubtful = not_understood(architecture)
    if not doubtful:
        return frozenset()
    return frozenset(path for path in uncalled if not doubtful.isdisjoint(ancestors(path, architecture.separator)))


def not_understood(architecture: Architecture) -> set[str]:
    """Return the modules whose own forward is not known to its end: something unknown concerns it, or comes out of it."""
    doubtful = {note.module for note in architecture.unknowns if note.module is not None}
    for module in architecture.modules:
        if not all(_understood(call.outputs) for call in module.calls):
            doubtful.add(module.path)
    return doubtful


def was_followed(architecture: Architecture) -> bool:
    """Tell whether the forward pass is known from its beginning to its end."""
    calls = next((module.calls for module in architecture.modules if not module.path), ())
    return all(call.outputs is not None for call in calls) and bool(calls or architecture.ops)


def _flows(module: Module) -> Iterable[tuple[Shape, ...] | None]:
    for call in module.calls:
        yield call.inputs
        yield call.outputs


def _understood(shapes: tuple[Shape, ...] | None) -> bool:
    return shapes is not None and None not in shapes
