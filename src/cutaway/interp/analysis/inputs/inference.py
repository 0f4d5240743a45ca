"""Inference of a network's inputs from what it does with them: forward is run on inputs of every rank and any size."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, Literal

from cutaway.core import disk
from cutaway.core.architecture import Note, Precondition, Value
from cutaway.core.fault import Fault
from cutaway.core.place import Place
from cutaway.core.record import dataclass
from cutaway.core.session import Session
from cutaway.core.size.atom import Func
from cutaway.core.size.dim import Dim, Size, substitute, symbol
from cutaway.core.size.parser import detached
from cutaway.core.unknown import Unknown
from cutaway.interp.analysis.inputs.trials import MAX_TOGETHER, RANKS, Path, Run, Search, Trial, is_of_dtype
from cutaway.solve import phrasing
from cutaway.solve.constraint import Literals
from cutaway.solve.effort import Unsolved
from cutaway.solve.explorer import Settled
from cutaway.solve.region import Region, where
from cutaway.solve.subset import ALL, Subset, finite
from cutaway.syntax.input_descriptions import InputDescription

_MAX_INPUTS = 6
_MAX_ALTERNATIVES = 3
_MAX_SIZES = 16
_TIED_SHARE = 0.4
"""What trying two inputs with the same sizes may take of their time."""
_TRIALS_OF_TWO = 16
"""Trials of all ranks that two inputs take at least, where that is more exact."""


@dataclass(slots=True)
class Inferred:
    """What a network accepts: the precondition, the inputs to show it with, and the answers to questions about sizes.

    `numbers_read` are the inputs whose numbers forward asks for, `indices_read` those that it uses as indices or sizes,
    and `has_gap` tells that forward can't be followed to its end.
    """

    requires: Precondition
    shapes: dict[str, tuple[Size, ...]]
    dtypes: dict[str, str]
    size_answers: Settled
    reason: str
    place: Place | None
    numbers_read: frozenset[str] = frozenset()
    indices_read: frozenset[str] = frozenset()
    has_gap: bool = False

    @property
    def fits(self) -> Literal[True]:
        """Tell that there are inputs that fit."""
        return True


@dataclass(slots=True)
class Rejected:
    """No input fits: these get the furthest, and satisfy what is required up to there."""

    shapes: dict[str, tuple[int, ...]]
    dtypes: dict[str, str]

    @property
    def fits(self) -> Literal[False]:
        """Tell that there are no inputs that fit."""
        return False


def infer(
    run: Run,
    make: Callable[..., Any],
    descriptions: Mapping[str, Sequence[InputDescription]],
    integers: Sequence[str],
    session: Session,
    deadline: float,
) -> Inferred | Rejected | None:
    """Return what forward's arguments of these names may be, given their descriptions; None if it can't be determined.

    `integers` are symbols of other arguments, whose values are solved for too.
    """
    if not 0 < len(descriptions) <= _most_inputs(session):
        return None
    search = Search(run, make, descriptions, integers, session, deadline)
    is_many = len(descriptions) > MAX_TOGETHER
    tied: Trial | None = None
    if len(descriptions) > 1:
        if not is_many:
            search.deadline -= max(0.0, deadline - time.process_time()) * (1 - _TIED_SHARE)
        tied, seconds = _tied_trial(search)
        search.deadline = deadline
        is_costly = seconds * _TRIALS_OF_TWO > deadline - time.process_time()
        if tied is not None and (is_many or is_costly):
            return _inferred(tied, [tied], None)
    trials = _trials(search)
    if time.process_time() > deadline:
        disk.unrepeatable()
    passing = [trial for trial in trials if any(path.passes for path in trial.paths)]
    all_descriptions = [description for each in descriptions.values() for description in each]
    described = _described_trial(passing, all_descriptions)
    trial, description = described or (_likeliest(passing) if passing else None, None)
    if tied is not None and (trial is None or _has_gap(trial)):
        return _inferred(tied, [tied, *passing], None)
    if trial is None:
        return None if is_many else _rejected(trials, len(descriptions))
    return _inferred(trial, passing, description)


def _trials(search: Search) -> list[Trial]:
    """Return trials with inputs of all ranks, until those of one choice of dtypes pass, or don't fail because of them."""
    trials: list[Trial] = []
    for dtypes, ranks in search.combinations():
        same_dtypes = list(search.trials(dtypes, ranks))
        trials += same_dtypes
        paths = [path for trial in same_dtypes for path in trial.paths]
        if any(path.passes for path in paths) or not any(is_of_dtype(path) for path in paths):
            break
    return trials


def _tied_trial(search: Search) -> tuple[Trial | None, float]:
    """Return the first trial with inputs of the same sizes that passes and can be followed to its end, and its seconds."""
    started = time.process_time()
    for trial in search.tied_trials():
        if any(path.passes for path in trial.paths) and not _has_gap(trial) and not trial.numbers_read:
            return trial, time.process_time() - started
        started = time.process_time()
    return None, 0.0


def _has_gap(trial: Trial) -> bool:
    return any(path.gap is not None for path in trial.paths if path.passes)


def _most_inputs(session: Session) -> int:
    """Return how many inputs are searched for; of more than are tried with each other, no rejection is certain."""
    return _MAX_INPUTS if session.states_requirements else MAX_TOGETHER


def _described_trial(
    passing: list[Trial], descriptions: Sequence[InputDescription]
) -> tuple[Trial, InputDescription] | None:
    """Return the inputs that the program itself describes, if they fit, and the description."""
    for description in descriptions:
        for trial in passing:
            if len(trial.shapes) > 1:
                continue
            (shape,) = trial.shapes.values()
            if (
                description.sizes is not None
                and len(description.sizes) == len(shape)
                and _restricted(trial.region, shape, description.sizes)
            ):
                return trial, description
    return None


def _restricted(region: Region, shape: Sequence[str], sizes: Sequence[int | str]) -> Region:
    """Return the accepted sizes that agree with the described ones."""
    for name, size in zip(shape, sizes):
        if isinstance(size, int):
            region &= where(name, finite([size]))
    return region


def _likeliest(passing: list[Trial]) -> Trial:
    """Return the inputs that a network is most likely meant for, among those of all ranks that it accepts.

    Those with a batch, of which the fewest sizes are fixed: of rank 2 where any rank will do, and otherwise
    of the highest, because layers that accept a batch also accept one sample without it.
    """
    large = [trial for trial in passing if all(len(shape) > 1 for shape in trial.shapes.values())] or passing
    exact = [trial for trial in large if not any(path.open or path.gap for path in trial.paths)] or large
    batched = [trial for trial in exact if trial.batch is not None] or exact
    least = min(trial.fixed for trial in batched)
    likely = [trial for trial in batched if trial.fixed == least]
    ranks = [sum(map(len, trial.shapes.values())) for trial in likely]
    pick = min if len(likely) > 3 else max
    return likely[ranks.index(pick(ranks))]


def _inferred(trial: Trial, passing: list[Trial], description: InputDescription | None) -> Inferred | None:
    """Return what was inferred from the trial that is shown."""
    region = trial.region
    order, single, free = _size_names(trial)
    batch = trial.batch
    usual = Region(tuple(box for box in region.boxes if batch not in box)) if batch else region
    paths = [path for path in trial.paths if path.passes]
    preserving = _batch_preserving(trial, paths, batch, region) if batch else None
    shown = phrasing.ordered(preserving or usual, free)
    others = tuple(_other_inputs(trial, passing, region, usual, preserving, free))
    region = phrasing.ordered(region, free)
    open_notes = _open_notes(paths, trial.is_complete)
    if trial.is_tied:
        open_notes.append(Note("inputs whose sizes differ from each other's were not tried"))
    requires = Precondition(
        _input_values(trial, single),
        phrasing.alternatives(region, order),
        () if preserving is None else phrasing.alternatives(phrasing.ordered(preserving, free), order),
        phrasing.text(shown, free),
        not open_notes,
        others,
        _requirement_notes(trial, paths),
        tuple(open_notes),
    )
    sizes, note = _sizes(shown, [name for name in order if name != batch and name not in trial.integers])
    if description is not None and description.sizes is not None:
        (first,) = trial.shapes.values()
        described = {name: size for name, size in zip(first, description.sizes) if isinstance(size, int)}
        if described:
            sizes = {**{name: size for name, size in sizes.items() if name in single}, **described}
            shown = _restricted(region, first, description.sizes)
        note = description.why
    if description is None:
        shown = _narrowed(shown, sizes)
    shapes = {
        name: tuple(substitute(sizes.get(s, trial.bound[s]), sizes) for s in shape)
        for name, shape in trial.shapes.items()
    }
    place = None if description is None else description.place
    has_gap = any(path.gap is not None for path in paths)
    settled = Settled(Literals(), shown, free)
    read = trial.numbers_read, trial.indices_read
    return Inferred(requires, shapes, trial.dtypes, settled, note, place, *read, has_gap)


def _narrowed(region: Region, sizes: Mapping[str, int]) -> Region:
    """Return what is left of a region where some sizes are decided."""
    for name, size in sizes.items():
        region &= where(name, finite([size]))
    return region


def _size_names(trial: Trial) -> tuple[list[str], dict[str, int], list[str]]:
    """Return the sizes of a trial in order, those that have only one value, and the others."""
    order = list(dict.fromkeys(name for shape in trial.shapes.values() for name in shape))
    single = {name: subset.least() for name in order if _is_single(subset := trial.region.of(name))}
    free = [name for name in order if name not in single]
    return [*order, *trial.integers], single, [*free, *trial.integers]


def _input_values(trial: Trial, single: Mapping[str, int]) -> tuple[Value, ...]:
    """Return the inputs of a trial, with numbers for the sizes that have only one."""
    return tuple(
        Value(name, tuple(single.get(s, detached(trial.bound[s])) for s in shape), trial.dtypes[name])
        for name, shape in trial.shapes.items()
    )


def _requirement_notes(trial: Trial, paths: Sequence[Path]) -> tuple[Note, ...]:
    """Return what the operations on these paths require of sizes, each once."""
    notes = {
        (r.message, r.place): Note(trial.literals.explained(r.message), r.place) for p in paths for r in p.requirements
    }
    return tuple(notes.values())


def _is_single(subset: Subset) -> bool:
    return subset.is_finite and len(subset.intervals()) == 1 and subset.intervals()[0][1] == subset.least()


def _sizes(region: Region, names: list[str]) -> tuple[dict[str, int], str]:
    """Return the sizes to show a network with, where there are only finitely many, and a note if they are not all."""
    sizes = {name: subset.least() for name in names if _is_single(subset := region.of(name))}
    rest = [name for name in names if name not in sizes and all(name in box for box in region.boxes)]
    rest = [n for n in rest if all(b[n].is_finite and b[n].head.bit_count() <= _MAX_SIZES for b in region.boxes)]
    if not rest:
        return sizes, ""
    best = _simplest_sizes(region, rest)
    if len(set(best.values())) == 1:
        note = f"{' = '.join(best)} = {best[rest[0]]}"
    else:
        note = ", ".join(f"{name} = {size}" for name, size in best.items())
    return {**sizes, **best}, f"shown with {note}, the smallest sizes that fit"


def _simplest_sizes(region: Region, names: list[str]) -> dict[str, int]:
    """Return sizes of a region that are all the same, if there are any, and small."""
    candidates: list[dict[str, int]] = []
    for box in region.boxes:
        common = ALL
        for name in names:
            common &= box.get(name, ALL)
        candidates.append({name: _preferred(common or box.get(name, ALL)) for name in names})
    return min(candidates, key=lambda sizes: (len(set(sizes.values())), prod(sizes.values())))


def _preferred(subset: Subset) -> int:
    """Return the smallest size, but 1 only where there is no other: it often fits because it is broadcast."""
    return (subset - finite([1]) or subset).least()


def _batch_preserving(trial: Trial, paths: list[Path], batch: str, region: Region) -> Region | None:
    """Return where each sample gives one row of every output; None where that is so anyway, or can't be determined."""
    result = region
    for path in paths:
        for _, reference in path.output or ():
            shape = reference.shape
            if isinstance(shape, Unknown) or not len(shape) or symbol(batch) in shape:
                continue
            try:
                rows = trial.literals.solve("equal", *_rows(shape[0], batch))
                result = (result - path.region) | (result & path.region & rows)
            except Unsolved:
                return None
    return result if result is not region else None


def _rows(size: Size, batch: str) -> tuple[Size, Size]:
    """Return the two sides of `size == batch`; a quotient has no remainder, as reshapes require."""
    if isinstance(size, Dim) and len(size.terms) == 1:
        ((monomial, coefficient),) = size.terms.items()
        if coefficient == 1 and len(monomial) == 1 and isinstance(atom := monomial[0][0], Func):
            if atom.kind == "floordiv" and monomial[0][1] == 1:
                return atom.left, atom.right * symbol(batch)
    return size, symbol(batch)


def _other_inputs(
    trial: Trial, passing: list[Trial], region: Region, usual: Region, preserving: Region | None, free: list[str]
) -> Iterator[str]:
    if preserving is not None and preserving:
        yield f"also runs with {phrasing.text(usual, free)}, but then samples of a batch are mixed"
    if usual is not region and len(usual.boxes) < len(region.boxes):
        rest = Region(tuple(box for box in region.boxes if trial.batch in box))
        yield f"also runs with some batches: {phrasing.text(rest, free)}"
    if trial.batch is None and len(next(iter(trial.shapes.values()))) > 1:
        yield "no input with a batch of any size fits"
    others = [other for other in passing if other is not trial]
    if len(others) > 2:
        yield "inputs with other numbers of dimensions are also accepted"
    else:
        yield from (f"also accepted: {_summary(other)}" for other in others)


def _summary(trial: Trial) -> str:
    region = trial.region
    order = [name for shape in trial.shapes.values() for name in shape]
    single = {name: str(subset.least()) for name in order if _is_single(subset := region.of(name))}
    free = [name for name in order if name not in single]
    shapes = ", ".join(
        " x ".join(single.get(s, str(trial.bound[s])) for s in shape) or "()" for shape in trial.shapes.values()
    )
    condition = phrasing.text(region, free) if len(region.boxes) <= _MAX_ALTERNATIVES else "certain sizes"
    return shapes if condition == "any size" else f"{shapes} with {condition}"


def _open_notes(paths: list[Path], is_complete: bool) -> list[Note]:
    """Return why accepted sizes might fail all the same."""
    notes = {Note(f"can't determine whether {o.condition}: {o.reason}", o.place): None for p in paths for o in p.open}
    notes.update({path.gap: None for path in paths if path.gap is not None})
    if not is_complete:
        notes[Note("forward has more paths than were followed")] = None
    return list(notes)


def _rejected(trials: list[Trial], inputs: int) -> Rejected | None:
    """Return the inputs that get the furthest, if it is certain that none fits."""
    rank_count = len(RANKS) ** inputs
    by_type: dict[tuple[str, ...], list[Trial]] = {}
    for trial in trials:
        by_type.setdefault(tuple(trial.dtypes.values()), []).append(trial)
    if any(len(same_dtypes) < rank_count for same_dtypes in by_type.values()) or not trials:
        return None
    paths = [(trial, path) for trial in trials for path in trial.paths]
    if any(not isinstance(p.error, Fault) or p.gap or p.open for _, p in paths) or not all(
        t.is_complete for t in trials
    ):
        return None
    trial, path = max(paths, key=lambda pair: (pair[1].operations, sum(map(len, pair[0].shapes.values()))))
    names = list(dict.fromkeys(s for shape in trial.shapes.values() for s in shape))
    single = {name: subset.least() for name in names if _is_single(subset := path.region.of(name))}
    first = names[:1] if len(names) > 1 and names[0] not in single else []
    rest = [name for name in names if name not in single and name not in first]
    sizes = {**dict.fromkeys(first, 1), **single, **(_simplest_sizes(path.region, rest) if rest else {})}
    return Rejected({name: tuple(sizes[s] for s in shape) for name, shape in trial.shapes.items()}, trial.dtypes)
