"""What a network takes, found from what it does with it: forward is run on inputs of every rank and of any size."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, Literal

from cutaway.core import disk
from cutaway.core.architecture import Note, Precondition, Value
from cutaway.core.fault import Fault
from cutaway.core.fault_code import Family
from cutaway.core.place import Place
from cutaway.core.record import dataclass, field
from cutaway.core.session import Call, Remarks, Session
from cutaway.core.size import dim
from cutaway.core.size.atom import Func
from cutaway.core.size.dim import Dim, Size, substitute, symbol
from cutaway.core.size.parser import detached
from cutaway.core.unknown import Unknown, decisions
from cutaway.solve import phrasing
from cutaway.solve.constraint import Literals
from cutaway.solve.explorer import Bound, Explorer, Impure, Open, Requirement, Script, Settled
from cutaway.solve.region import NOWHERE, Region, where
from cutaway.solve.subset import ALL, Subset, Unsolved, finite
from cutaway.syntax.input_descriptions import Described

SECONDS = 10.0
"""How much time of the processor inputs are looked for."""

_MOST_PATHS = 64
_RANKS = (2, 3, 4, 5, 1, 6, 0)
_LETTERS = ((), ("N",), ("B", "N"), ("B", "L", "N"), ("B", "C", "H", "W"), ("B", "C", "D", "H", "W"), tuple("BCDEHW"))
_MOST_INPUTS = 2
_MOST_WRITTEN = 3
_MOST_SIZES = 16

Run = Callable[[Mapping[str, Any]], tuple[Call | None, BaseException | None]]
"""Calls forward on inputs by name; returns the record of the call and what ended it."""


@dataclass(slots=True)
class Path:
    """One way through forward: the sizes that take it, what it required, and how it ended.

    `gap` is what was not known on the way, so that something may be required there too.
    """

    region: Region
    requirements: list[Requirement]
    open: list[Open]
    output: Any
    error: BaseException | None
    gap: Note | None
    operations: int

    @property
    def passes(self) -> bool:
        """Tell whether it came to the end of forward, as far as is known."""
        return self.error is None


@dataclass(slots=True)
class Trial:
    """Inputs of certain ranks and types, and every way through forward with them."""

    shapes: dict[str, tuple[str, ...]]
    dtypes: dict[str, str]
    literals: Literals
    paths: list[Path]
    is_whole: bool
    bound: dict[str, Size]
    region: Region = field(init=False)

    def __post_init__(self) -> None:
        """Put together the sizes that are accepted."""
        self.region = NOWHERE
        for path in self.paths:
            if path.passes:
                self.region |= path.region

    @property
    def batch(self) -> str | None:
        """The symbol of the first dimension of the first input, where it is free."""
        first = next(iter(self.shapes.values()))
        name = first[0] if len(first) > 1 else None
        return name if name is not None and any(name not in box for box in self.region.boxes) else None

    @property
    def fixed(self) -> int:
        """How many symbols have only a few possible sizes."""
        region = self.region
        return sum(region.of(name).is_finite for shape in self.shapes.values() for name in shape)


@dataclass(slots=True)
class Found:
    """What a network takes: the precondition, the inputs to show it with, and who answers for their sizes."""

    requires: Precondition
    shapes: dict[str, tuple[Size, ...]]
    dtypes: dict[str, str]
    settled: Settled
    shown: str
    place: Place | None

    @property
    def fits(self) -> Literal[True]:
        """Tell that there are inputs that fit."""
        return True


@dataclass(slots=True)
class Refused:
    """No input fits: those that come the furthest, as far as is required up to there."""

    shapes: dict[str, tuple[int, ...]]
    dtypes: dict[str, str]

    @property
    def fits(self) -> Literal[False]:
        """Tell that there are none."""
        return False


def inquire(
    run: Run, make: Callable[..., Any], hints: Mapping[str, Sequence[Described]], gathered: Session, until: float
) -> Found | Refused | None:
    """Return what forward's arguments of these names may be, by what is said of them; None where that can't be told."""
    if not 0 < len(hints) <= _MOST_INPUTS:
        return None
    trials: list[Trial] = []
    for dtypes in _types(hints):
        of_type = list(_tried(run, make, hints, dtypes, gathered, until))
        trials += of_type
        if any(path.passes for trial in of_type for path in trial.paths) or not any(
            isinstance(path.error, Fault) and path.error.code.family is Family.DTYPE
            for trial in of_type
            for path in trial.paths
        ):
            break
    if time.process_time() > until:
        disk.unrepeatable()
    passing = [trial for trial in trials if any(path.passes for path in trial.paths)]
    if not passing:
        return _refused(trials, len(hints))
    said = [hint for each in hints.values() for hint in each]
    meant = _meant(passing, said)
    chosen, hint = (_chosen(passing), None) if meant is None else meant
    return _found(chosen, passing, hint)


def _meant(passing: list[Trial], said: Sequence[Described]) -> tuple[Trial, Described] | None:
    """Return the inputs that the program itself says it means, if they fit, and what says so."""
    for hint in said:
        for trial in passing:
            if len(trial.shapes) > 1:
                continue
            (shape,) = trial.shapes.values()
            if hint.sizes is not None and len(hint.sizes) == len(shape) and _agreeing(trial.region, shape, hint.sizes):
                return trial, hint
    return None


def _agreeing(region: Region, shape: Sequence[str], sizes: Sequence[int | str]) -> Region:
    """Return the sizes that are accepted and are those that are said."""
    for name, size in zip(shape, sizes):
        if isinstance(size, int):
            region &= where(name, finite([size]))
    return region


def _types(hints: Mapping[str, Sequence[Described]]) -> Iterator[dict[str, str]]:
    """Yield the element types to try: those that are said, or all floating first."""
    usual = ("float32", "int64")
    each = [list(dict.fromkeys([*(h.dtype for h in said if h.dtype), *usual])) for said in hints.values()]
    for types in itertools.product(*each):
        yield dict(zip(hints, types))


def _letters(rank: int, said: Sequence[Described]) -> tuple[str, ...]:
    """Return names for the sizes of an input: those that are said, or the usual ones."""
    usual = _LETTERS[rank]
    for hint in said:
        if hint.sizes is not None and len(hint.sizes) == rank:
            names = tuple(size if isinstance(size, str) else letter for size, letter in zip(hint.sizes, usual))
            if len(set(names)) == rank and not any(re.fullmatch(r"n\d+", name) for name in names):
                return names
    return usual


def _tried(
    run: Run,
    make: Callable[..., Any],
    hints: Mapping[str, Sequence[Described]],
    dtypes: dict[str, str],
    gathered: Session,
    until: float,
) -> Iterator[Trial]:
    for ranks in itertools.product(_RANKS, repeat=len(hints)):
        if time.process_time() > until:
            return
        shapes = {
            name: tuple(letter if not at else f"{letter}_{name}" for letter in _letters(rank, hints[name]))
            for at, (name, rank) in enumerate(zip(hints, ranks))
        }
        literals = Literals()
        bound: dict[str, Size] = {letter: symbol(letter) for shape in shapes.values() for letter in shape}

        def once(
            shapes: dict[str, tuple[str, ...]] = shapes, bound: dict[str, Size] = bound
        ) -> tuple[Call | None, BaseException | None]:
            return run({name: make(tuple(map(bound.get, shape)), dtypes[name], name) for name, shape in shapes.items()})

        found, is_whole = _paths(once, gathered, literals, until, bound)
        yield Trial(shapes, dtypes, literals, found, is_whole, bound)


def _paths(
    once: Callable[[], tuple[Call | None, BaseException | None]],
    gathered: Session,
    literals: Literals,
    until: float,
    bound: dict[str, Size],
) -> tuple[list[Path], bool]:
    """Follow every way through forward; tell also whether these are all of them.

    A size that must be one of the network's configuration is put into `bound`, and taken to be that.
    """
    inputs = list(bound)
    left_out: dict[Open, None] = {}
    found: list[Path] = []
    given: list[int] | None = []
    impure: set[Any] = set()
    while given is not None:
        if len(found) == _MOST_PATHS or (found and time.process_time() > until):
            return found, False
        script = Script(given)
        explorer = Explorer(literals, script, gathered.place, until, impure, inputs)
        remarks = Remarks()
        taken = dict(decisions().taken)
        operations, calls, values = len(gathered.operations), len(gathered.calls), gathered.values
        before, gathered.solving = dim.answer_with(explorer.ask), explorer
        try:
            with gathered.apart(remarks), gathered.own_facts():
                call, error = once()
        finally:
            dim.answer_with(before)
            gathered.solving = None
        if error is not None:
            error = error.with_traceback(None)  # which would keep every frame down to there
        done = len(gathered.operations) - operations
        open_ones = [text for text in decisions().taken if text not in taken]
        decisions().taken = taken
        del gathered.operations[operations:], gathered.calls[calls:]
        gathered.values = values
        if isinstance(error, Impure):
            impure.add(error.key)
            found, given = [], []
            continue
        if isinstance(error, Bound):
            bound[error.name] = error.size
            bound.update({name: substitute(size, {error.name: error.size}) for name, size in bound.items()})
            if error.others:
                condition = f"{error.name} may differ from {error.size}"
                left_out[Open(condition, "sizes that are not the same but fit, as one of 1, are left out", None)] = None
            found, given = [], []
            continue
        gap = next((Note(note.text, note.place) for note in remarks.unknowns), None)
        output = None if call is None else call.outputs
        if error is None and output is None and gap is None:
            gap = Note("forward could not be followed to its end")
        for text in open_ones:
            explorer.open[Open(text, "it does not depend on sizes alone, and was followed one way", None)] = None
        explorer.open.update(left_out)
        required = list(explorer.requirements.values())
        found.append(Path(explorer.region, required, list(explorer.open), output, error, gap, done))
        given = script.following()
    return found, True


def _chosen(passing: list[Trial]) -> Trial:
    """Return the inputs that a network is most likely meant for, among those of all ranks that it takes.

    Those with a batch, of which fewest sizes are fixed: of rank 2 where any rank will do, and otherwise
    of the highest, because layers that take a batch also take one sample without it.
    """
    large = [trial for trial in passing if all(len(shape) > 1 for shape in trial.shapes.values())] or passing
    exact = [trial for trial in large if not any(path.open or path.gap for path in trial.paths)] or large
    batched = [trial for trial in exact if trial.batch is not None] or exact
    least = min(trial.fixed for trial in batched)
    likely = [trial for trial in batched if trial.fixed == least]
    ranks = [sum(map(len, trial.shapes.values())) for trial in likely]
    pick = min if len(likely) > 3 else max
    return likely[ranks.index(pick(ranks))]


def _found(trial: Trial, passing: list[Trial], hint: Described | None) -> Found | None:
    region = trial.region
    order = list(dict.fromkeys(name for shape in trial.shapes.values() for name in shape))
    single = {name: held.least() for name in order if _is_single(held := region.of(name))}
    free = [name for name in order if name not in single]
    batch = trial.batch
    usual = Region(tuple(box for box in region.boxes if batch not in box)) if batch else region
    paths = [path for path in trial.paths if path.passes]
    kept = _keeping(trial, paths, batch, region) if batch else None
    shown = usual if kept is None or not kept else kept
    open_notes = _open(paths, trial.is_whole)
    inputs = tuple(
        Value(name, tuple(single.get(s, detached(trial.bound[s])) for s in shape), trial.dtypes[name])
        for name, shape in trial.shapes.items()
    )
    also = list(_also(trial, passing, region, usual, kept, free))
    because = {
        (r.message, r.place): Note(trial.literals.explained(r.message), r.place) for p in paths for r in p.requirements
    }
    region, shown = phrasing.ordered(region, free), phrasing.ordered(shown, free)
    requires = Precondition(
        inputs,
        phrasing.alternatives(region, order),
        () if kept is None else phrasing.alternatives(phrasing.ordered(kept, free), order),
        phrasing.text(shown, free),
        not open_notes,
        tuple(also),
        tuple(because.values()),
        tuple(open_notes),
    )
    sizes, note = _sizes(shown, [name for name in order if name != batch])
    if hint is not None and hint.sizes is not None:
        (first,) = trial.shapes.values()
        said = {name: size for name, size in zip(first, hint.sizes) if isinstance(size, int)}
        if said:
            sizes = {**{name: size for name, size in sizes.items() if name in single}, **said}
            shown = _agreeing(region, first, hint.sizes)
        note = hint.why
    shapes = {
        name: tuple(sizes[s] if s in sizes else trial.bound[s] for s in shape) for name, shape in trial.shapes.items()
    }
    at = None if hint is None else hint.place
    return Found(requires, shapes, trial.dtypes, Settled(Literals(), shown, free), note, at)


def _is_single(held: Subset) -> bool:
    return held.is_finite and len(held.intervals()) == 1 and held.intervals()[0][1] == held.least()


def _sizes(region: Region, names: list[str]) -> tuple[dict[str, int], str]:
    """Return the sizes to show a network with, where there are only finitely many, and a remark if they are not all."""
    sizes = {name: held.least() for name in names if _is_single(held := region.of(name))}
    rest = [name for name in names if name not in sizes and all(name in box for box in region.boxes)]
    rest = [n for n in rest if all(b[n].is_finite and b[n].head.bit_count() <= _MOST_SIZES for b in region.boxes)]
    if not rest:
        return sizes, ""
    best = _plainest(region, rest)
    if len(set(best.values())) == 1:
        note = f"{' = '.join(best)} = {best[rest[0]]}"
    else:
        note = ", ".join(f"{name} = {size}" for name, size in best.items())
    return {**sizes, **best}, f"shown with {note}, the least of the sizes that fit"


def _plainest(region: Region, names: list[str]) -> dict[str, int]:
    """Return sizes of a region that are all the same, if there are any, and small."""
    found: list[dict[str, int]] = []
    for box in region.boxes:
        common = ALL
        for name in names:
            common &= box.get(name, ALL)
        found.append({name: _usual(common or box.get(name, ALL)) for name in names})
    return min(found, key=lambda sizes: (len(set(sizes.values())), prod(sizes.values())))


def _usual(held: Subset) -> int:
    """Return the smallest size, but 1 only where there is no other: it often fits because it is repeated."""
    return (held - finite([1]) or held).least()


def _keeping(trial: Trial, paths: list[Path], batch: str, region: Region) -> Region | None:
    """Return where each sample gives one row of every output; None where that is so anyway, or can't be told."""
    found = region
    for path in paths:
        for _, reference in path.output or ():
            shape = reference.shape
            if isinstance(shape, Unknown) or not len(shape) or shape[0] == symbol(batch):
                continue
            try:
                rows = trial.literals.solve("equal", *_rows(shape[0], batch))
            except Unsolved:
                return None
            found = (found - path.region) | (found & path.region & rows)
    return found if found is not region else None


def _rows(size: Size, batch: str) -> tuple[Size, Size]:
    """Return the two sides of `size == batch`; a quotient is one without a rest, as reshapes require."""
    if isinstance(size, Dim) and len(size.terms) == 1:
        ((monomial, coefficient),) = size.terms.items()
        if coefficient == 1 and len(monomial) == 1 and isinstance(atom := monomial[0][0], Func):
            if atom.kind == "floordiv" and monomial[0][1] == 1:
                return atom.left, atom.right * symbol(batch)
    return size, symbol(batch)


def _also(
    trial: Trial, passing: list[Trial], region: Region, usual: Region, kept: Region | None, free: list[str]
) -> Iterator[str]:
    if kept is not None and kept:
        yield f"runs also with {phrasing.text(usual, free)}, but then samples of a batch are mixed"
    if usual is not region and len(usual.boxes) < len(region.boxes):
        rest = Region(tuple(box for box in region.boxes if trial.batch in box))
        yield f"runs also with some batches: {phrasing.text(rest, free)}"
    if trial.batch is None and len(next(iter(trial.shapes.values()))) > 1:
        yield "no input with a batch of any size fits"
    others = [other for other in passing if other is not trial]
    if len(others) > 2:
        yield "inputs with other numbers of dimensions are accepted too"
    else:
        yield from (f"accepted too: {_written(other)}" for other in others)


def _written(trial: Trial) -> str:
    region = trial.region
    order = [name for shape in trial.shapes.values() for name in shape]
    single = {name: str(held.least()) for name in order if _is_single(held := region.of(name))}
    free = [name for name in order if name not in single]
    shapes = ", ".join(
        " x ".join(single.get(s, str(trial.bound[s])) for s in shape) or "()" for shape in trial.shapes.values()
    )
    condition = phrasing.text(region, free) if len(region.boxes) <= _MOST_WRITTEN else "certain sizes"
    return shapes if condition == "any size" else f"{shapes} with {condition}"


def _open(paths: list[Path], is_whole: bool) -> list[Note]:
    """Return why sizes that are admitted might fail all the same."""
    notes = {Note(f"whether {o.condition} is not solved: {o.reason}", o.place): None for p in paths for o in p.open}
    notes.update({path.gap: None for path in paths if path.gap is not None})
    if not is_whole:
        notes[Note("forward depends on sizes in more ways than were followed")] = None
    return list(notes)


def _refused(trials: list[Trial], inputs: int) -> Refused | None:
    """Return the inputs that come the furthest, if it is certain that none fits."""
    whole = len(_RANKS) ** inputs
    by_type: dict[tuple[str, ...], list[Trial]] = {}
    for trial in trials:
        by_type.setdefault(tuple(trial.dtypes.values()), []).append(trial)
    if any(len(of_type) < whole for of_type in by_type.values()) or not trials:
        return None
    paths = [(trial, path) for trial in trials for path in trial.paths]
    if any(not isinstance(p.error, Fault) or p.gap or p.open for _, p in paths) or not all(t.is_whole for t in trials):
        return None
    trial, path = max(paths, key=lambda pair: (pair[1].operations, sum(map(len, pair[0].shapes.values()))))
    names = list(dict.fromkeys(s for shape in trial.shapes.values() for s in shape))
    single = {name: held.least() for name in names if _is_single(held := path.region.of(name))}
    first = names[:1] if len(names) > 1 and names[0] not in single else []
    rest = [name for name in names if name not in single and name not in first]
    sizes = {**dict.fromkeys(first, 1), **single, **(_plainest(path.region, rest) if rest else {})}
    return Refused({name: tuple(sizes[s] for s in shape) for name, shape in trial.shapes.items()}, trial.dtypes)
