"""Inference of a network's inputs from what it does with them: forward is run on inputs of every rank and any size."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, Literal

from cutaway.core import disk
from cutaway.core.architecture import Note, Precondition, Value
from cutaway.core.fault import Fault
from cutaway.core.fault_code import Family
from cutaway.core.place import Place
from cutaway.core.record import dataclass, field
from cutaway.core.session import Call, Notes, Operation, Session
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
from cutaway.syntax.input_descriptions import InputDescription

SECONDS = 10.0
"""How much processor time the inference may take."""

_MAX_PATHS = 64
_RANKS = (2, 3, 4, 5, 1, 6, 0)
_LETTERS = ((), ("N",), ("B", "N"), ("B", "L", "N"), ("B", "C", "H", "W"), ("B", "C", "D", "H", "W"), tuple("BCDEHW"))
_MAX_INPUTS = 6
_MAX_TRIALS = 343
_MAX_ALTERNATIVES = 3
_MAX_SIZES = 16

Run = Callable[[Mapping[str, Any]], tuple[Call | None, BaseException | None]]
"""Calls forward on inputs by name; returns the record of the call and the exception that ended it."""


@dataclass(slots=True)
class Path:
    """One path through forward: the sizes that take it, what it requires, and how it ends.

    `gap` is what is unknown on the way, so that something more may be required there.
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
        """Tell whether it reaches the end of forward, as far as is known."""
        return self.error is None


@dataclass(slots=True)
class Trial:
    """Inputs of certain ranks and dtypes, and every path through forward with them.

    `integers` are arguments of forward that are solved for as well; `numbers_read` the inputs whose numbers it asks for,
    `indices_read` those that it uses as indices or sizes, and `meant` the dtypes that inputs are meant to have.
    """

    shapes: dict[str, tuple[str, ...]]
    dtypes: dict[str, str]
    literals: Literals
    paths: list[Path]
    is_complete: bool
    bound: dict[str, Size]
    integers: Sequence[str] = ()
    numbers_read: frozenset[str] = frozenset()
    indices_read: frozenset[str] = frozenset()
    meant: Mapping[str, str] = field(default_factory=dict)
    region: Region = field(init=False)

    def __post_init__(self) -> None:
        """Combine the sizes that are accepted."""
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
        """How many symbols have only finitely many possible sizes."""
        region = self.region
        return sum(region.of(name).is_finite for shape in self.shapes.values() for name in shape)


@dataclass(slots=True)
class Inferred:
    """What a network accepts: the precondition, the inputs to show it with, and the answers to questions about sizes.

    `numbers_read` are the inputs whose numbers forward asks for, `indices_read` those that it uses as indices or sizes,
    and `limited` the integer arguments that can't be just any.
    `has_gap` tells that forward can't be followed to its end.
    """

    requires: Precondition
    shapes: dict[str, tuple[Size, ...]]
    dtypes: dict[str, str]
    size_answers: Settled
    reason: str
    place: Place | None
    numbers_read: frozenset[str] = frozenset()
    indices_read: frozenset[str] = frozenset()
    limited: frozenset[str] = frozenset()
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
    if not 0 < len(descriptions) <= _MAX_INPUTS:
        return None
    search = _Search(run, make, descriptions, integers, session, deadline)
    trials: list[Trial] = []
    meant: dict[str, str] = {}
    for dtypes, ranks in search.combinations():
        if any(dtypes[name] != dtype for name, dtype in meant.items()):
            continue
        same_dtypes = list(search.trials(dtypes, ranks))
        for trial in same_dtypes:
            meant.update(trial.meant if any(path.passes for path in trial.paths) else {})
        if any(dtypes[name] != dtype for name, dtype in meant.items()):
            continue
        trials += same_dtypes
        paths = [path for trial in same_dtypes for path in trial.paths]
        if any(path.passes for path in paths) or not any(_is_of_dtype(path) for path in paths):
            break
    if time.process_time() > deadline:
        disk.unrepeatable()
    passing = [trial for trial in trials if any(path.passes for path in trial.paths)]
    if not passing:
        return _rejected(trials, len(descriptions)) if len(descriptions) <= _MAX_TOGETHER else None
    all_descriptions = [description for each in descriptions.values() for description in each]
    described = _described_trial(passing, all_descriptions)
    trial, description = (_likeliest(passing), None) if described is None else described
    return _inferred(trial, passing, description)


def _is_of_dtype(path: Path) -> bool:
    return isinstance(path.error, Fault) and path.error.code.family is Family.DTYPE


_MAX_TOGETHER = 2
"""Inputs of which all ranks are tried with each other; of more, only those that each of them may have by itself."""

_Ranks = dict[str, Sequence[int]]


@dataclass(slots=True)
class _Search:
    """Runs forward on inputs of all ranks and dtypes that are worth a trial."""

    run: Run
    make: Callable[..., Any]
    descriptions: Mapping[str, Sequence[InputDescription]]
    integers: Sequence[str]
    session: Session
    deadline: float

    def combinations(self) -> Iterator[tuple[dict[str, str], _Ranks]]:
        """Yield dtypes of all inputs, and the ranks to try."""
        if len(self.descriptions) > _MAX_TOGETHER:
            alone = {name: self._possible_alone(name) for name in self.descriptions}
            if all(alone.values()):
                yield {name: dtype for name, (dtype, _) in alone.items()}, {n: r for n, (_, r) in alone.items()}
            return
        tried: list[dict[str, str]] = []
        for usual in (_USUAL_DTYPES, _ALL_DTYPES):
            for dtypes in _dtype_choices(self.descriptions, usual):
                if dtypes not in tried:
                    tried.append(dtypes)
                    yield dtypes, dict.fromkeys(self.descriptions, _RANKS)

    def _possible_alone(self, name: str) -> tuple[str, Sequence[int]]:
        """Return the dtype and the ranks with which one input does not fail whatever the others are."""
        others = {n: Unknown(f"the input {n} is not determined yet") for n in self.descriptions if n != name}
        for dtypes in _dtype_choices({name: self.descriptions[name]}, _ALL_DTYPES):
            trials = list(self.trials(dtypes, {name: _RANKS}, others))
            ranks = [len(t.shapes[name]) for t in trials if any(path.passes for path in t.paths)]
            if ranks:
                return dtypes[name], ranks
        return "", ()

    def trials(self, dtypes: dict[str, str], ranks: _Ranks, others: Mapping[str, Any] | None = None) -> Iterator[Trial]:
        """Yield a trial for each combination of ranks."""
        choices = sorted(itertools.product(*ranks.values()), key=lambda each: len(set(each)) if len(each) > 2 else 0)
        for chosen in choices[:_MAX_TRIALS]:
            if time.process_time() > self.deadline:
                return
            yield self._trial(dict(zip(ranks, chosen)), dtypes, others or {})

    def _trial(self, ranks: Mapping[str, int], dtypes: dict[str, str], others: Mapping[str, Any]) -> Trial:
        shapes = {
            name: tuple(letter if not at else f"{letter}_{name}" for letter in _letters(rank, self.descriptions[name]))
            for at, (name, rank) in enumerate(ranks.items())
        }
        shapes = {name: tuple(letter.replace(".", "_") for letter in shape) for name, shape in shapes.items()}
        literals = Literals()
        bound: dict[str, Size] = {letter: symbol(letter) for shape in shapes.values() for letter in shape}
        read: set[str] = set()
        indices: set[str] = set()
        meant: dict[str, str] = {}

        def run_once() -> tuple[Call | None, BaseException | None]:
            tensors = {n: self.make(tuple(map(bound.get, shape)), dtypes[n], n) for n, shape in shapes.items()}
            here = self.session
            here.numbers_read.clear()
            here.indices_read.clear()
            here.meant_dtypes.clear()
            first = len(here.operations)
            numbers = {tensor.reference().number: name for name, tensor in tensors.items()}
            result = self.run({**others, **tensors})
            for names, values in ((read, here.numbers_read), (indices, here.indices_read)):
                names.update(numbers[one] for one in _sources(values, here.operations[first:]) if one in numbers)
            meant.update({numbers[one]: dtype for one, dtype in here.meant_dtypes.items() if one in numbers})
            return result

        paths, is_complete = _paths(run_once, self.session, literals, self.deadline, bound)
        return Trial(
            shapes,
            dtypes,
            literals,
            paths,
            is_complete,
            bound,
            self.integers,
            frozenset(read),
            frozenset(indices),
            meant,
        )


def _sources(numbers: Iterable[int], operations: Sequence[Operation]) -> set[int]:
    """Return these values of the graph, and those that they are computed from."""
    sources = set(numbers)
    for operation in reversed(operations):
        if any(reference.number in sources for reference in operation.outputs):
            sources.update(reference.number for reference in operation.inputs)
    return sources


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


_USUAL_DTYPES = ("float32", "int64")
_ALL_DTYPES = (*_USUAL_DTYPES, "bool")


def _dtype_choices(
    descriptions: Mapping[str, Sequence[InputDescription]], usual: Sequence[str]
) -> Iterator[dict[str, str]]:
    """Yield the dtypes to try: those that are described, or all floating first."""
    choices = [
        list(dict.fromkeys([*(d.dtype for d in described if d.dtype), *usual])) for described in descriptions.values()
    ]
    for types in itertools.product(*choices):
        yield dict(zip(descriptions, types))


def _letters(rank: int, descriptions: Sequence[InputDescription]) -> tuple[str, ...]:
    """Return names for the sizes of an input: those that are described, or the usual ones."""
    usual = _LETTERS[rank]
    for description in descriptions:
        if description.sizes is not None and len(description.sizes) == rank:
            names = tuple(size if isinstance(size, str) else letter for size, letter in zip(description.sizes, usual))
            if len(set(names)) == rank and not any(re.fullmatch(r"n\d+", name) for name in names):
                return names
    return usual


def _paths(
    run_once: Callable[[], tuple[Call | None, BaseException | None]],
    session: Session,
    literals: Literals,
    deadline: float,
    bound: dict[str, Size],
) -> tuple[list[Path], bool]:
    """Follow every path through forward; tell also whether these are all of them.

    A size that must equal one of the network's configuration is put into `bound`, and assumed to be that.
    """
    inputs = list(bound)
    left_out: dict[Open, None] = {}
    paths: list[Path] = []
    choices: list[int] | None = []
    impure: set[Any] = set()
    while choices is not None:
        if len(paths) == _MAX_PATHS or (paths and time.process_time() > deadline):
            return paths, False
        script = Script(choices)
        explorer = Explorer(literals, script, session.place, deadline, impure, inputs)
        notes = Notes()
        taken_before = set(decisions().taken)
        operations, calls, values = len(session.operations), len(session.calls), session.values
        before, session.solver = dim.answer_with(explorer.ask), explorer
        try:
            with session.separate_notes(notes), session.scoped_facts(), decisions().forgotten():
                call, error = run_once()
                undecided = [text for text in decisions().taken if text not in taken_before]
        finally:
            dim.answer_with(before)
            session.solver = None
        if error is not None:
            error = error.with_traceback(None)  # it would keep every frame alive
        operation_count = len(session.operations) - operations
        del session.operations[operations:], session.calls[calls:]
        session.values = values
        if isinstance(error, Impure):
            impure.add(error.key)
            paths, choices = [], []
            continue
        if isinstance(error, Bound):
            bound[error.name] = error.size
            bound.update({name: substitute(size, {error.name: error.size}) for name, size in bound.items()})
            if error.others:
                condition = f"{error.name} may differ from {error.size}"
                left_out[Open(condition, "sizes that differ but fit, such as 1, are left out", None)] = None
            paths, choices = [], []
            continue
        gap = next((Note(note.text, note.place) for note in notes.unknowns), None)
        output = None if call is None else call.outputs
        if error is None and gap is None:
            gap = _gap_of(output)
        for text in undecided:
            explorer.open[Open(text, "it does not depend on sizes alone, and only one case was followed", None)] = None
        explorer.open.update(left_out)
        required = list(explorer.requirements.values())
        paths.append(Path(explorer.region, required, list(explorer.open), output, error, gap, operation_count))
        choices = script.following()
    return paths, True


def _gap_of(outputs: Any) -> Note | None:
    """Return why what forward returns is not known, None where it is."""
    if outputs is None:
        return Note("forward can't be followed to its end")
    unknown = next((reference.shape for _, reference in outputs if isinstance(reference.shape, Unknown)), None)
    return None if unknown is None else Note(unknown.reason, unknown.place)


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
    order += trial.integers
    free += trial.integers
    batch = trial.batch
    usual = Region(tuple(box for box in region.boxes if batch not in box)) if batch else region
    paths = [path for path in trial.paths if path.passes]
    preserving = _batch_preserving(trial, paths, batch, region) if batch else None
    shown = phrasing.ordered(preserving or usual, free)
    others = tuple(_other_inputs(trial, passing, region, usual, preserving, free))
    region = phrasing.ordered(region, free)
    open_notes = _open_notes(paths, trial.is_complete)
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
    shapes = {name: tuple(sizes.get(s, trial.bound[s]) for s in shape) for name, shape in trial.shapes.items()}
    place = None if description is None else description.place
    limited = frozenset(name for name in trial.integers if any(name in box for box in region.boxes))
    has_gap = any(path.gap is not None for path in paths)
    settled = Settled(Literals(), shown, free)
    read = trial.numbers_read, trial.indices_read
    return Inferred(requires, shapes, trial.dtypes, settled, note, place, *read, limited, has_gap)


def _size_names(trial: Trial) -> tuple[list[str], dict[str, int], list[str]]:
    """Return the sizes of a trial in order, those that have only one value, and the others."""
    order = list(dict.fromkeys(name for shape in trial.shapes.values() for name in shape))
    single = {name: subset.least() for name in order if _is_single(subset := trial.region.of(name))}
    return order, single, [name for name in order if name not in single]


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
            except Unsolved:
                return None
            result = (result - path.region) | (result & path.region & rows)
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
    rank_count = len(_RANKS) ** inputs
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
