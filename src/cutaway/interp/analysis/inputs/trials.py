"""Runs of forward on inputs of every rank and any size, with symbols for sizes."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from cutaway.core.architecture import Note
from cutaway.core.fault import Fault
from cutaway.core.fault_code import Family
from cutaway.core.record import dataclass, field
from cutaway.core.session import Call, Notes, Operation, Session
from cutaway.core.size import dim
from cutaway.core.size.dim import Size, substitute, symbol
from cutaway.core.unknown import Unknown, decisions
from cutaway.solve.constraint import Literals
from cutaway.solve.explorer import Bound, Explorer, Impure, Open, Requirement, Script
from cutaway.solve.region import NOWHERE, Region
from cutaway.syntax.input_descriptions import InputDescription

_MAX_PATHS = 64
RANKS = (2, 3, 4, 5, 1, 6, 0)
_LETTERS = ((), ("N",), ("B", "N"), ("B", "L", "N"), ("B", "C", "H", "W"), ("B", "C", "D", "H", "W"), tuple("BCDEHW"))
_MAX_TRIALS = 49
_MAX_DTYPE_FAULTS = 2
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


def is_of_dtype(path: Path) -> bool:
    """Tell whether a path ends because an element type does not fit."""
    return isinstance(path.error, Fault) and path.error.code.family is Family.DTYPE


@dataclass(slots=True)
class Trial:
    """Inputs of certain ranks and dtypes, and every path through forward with them.

    `integers` are arguments of forward that are solved for as well; `numbers_read` the inputs whose numbers it asks for,
    `indices_read` those that it uses as indices or sizes, and `meant` the dtypes that inputs are meant to have. Where
    the trial `is_tied`, several inputs share sizes.
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
    is_tied: bool = False
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


MAX_TOGETHER = 2
"""Inputs of which all ranks are tried with each other; of more, only those that each of them may have by itself."""

_Ranks = dict[str, Sequence[int]]
_LIKELIEST = (2, 4, 3, 5, 1, 0, 6)
"""Ranks, in the order in which networks most often have them."""


@dataclass(slots=True)
class Search:
    """Runs forward on inputs of all ranks and dtypes that are worth a trial."""

    run: Run
    make: Callable[..., Any]
    descriptions: Mapping[str, Sequence[InputDescription]]
    integers: Sequence[str]
    session: Session
    deadline: float

    def combinations(self) -> Iterator[tuple[dict[str, str], _Ranks]]:
        """Yield dtypes of all inputs, and the ranks to try."""
        if len(self.descriptions) > MAX_TOGETHER:
            alone = {name: list(self._possible_alone(name)) for name in self.descriptions}
            for chosen in itertools.product(*alone.values()):
                yield {n: dtype for n, (dtype, _) in zip(alone, chosen)}, {n: r for n, (_, r) in zip(alone, chosen)}
            return
        tried: list[dict[str, str]] = []
        for usual in (_USUAL_DTYPES, _ALL_DTYPES):
            for dtypes in _dtype_choices(self.descriptions, usual):
                if dtypes not in tried:
                    tried.append(dtypes)
                    yield dtypes, dict.fromkeys(self.descriptions, RANKS)

    def _possible_alone(self, name: str) -> Iterator[tuple[str, Sequence[int]]]:
        """Yield the dtypes, and the ranks for each, with which one input does not fail whatever the others are."""
        others = {n: Unknown(f"the input {n} is not determined yet") for n in self.descriptions if n != name}
        for dtypes in _dtype_choices({name: self.descriptions[name]}, _ALL_DTYPES):
            trials = list(self.trials(dtypes, {name: RANKS}, others))
            ranks = [len(t.shapes[name]) for t in trials if any(path.passes for path in t.paths)]
            if ranks:
                yield dtypes[name], ranks

    def trials(self, dtypes: dict[str, str], ranks: _Ranks, others: Mapping[str, Any] | None = None) -> Iterator[Trial]:
        """Yield a trial for each combination of ranks; until one passes, the likeliest first, where only that is asked for."""
        choices = sorted(itertools.product(*ranks.values()), key=lambda each: len(set(each)) if len(each) > 2 else 0)
        is_enough = not self.session.states_requirements and others is None
        if is_enough:
            choices.sort(key=lambda each: [_LIKELIEST.index(rank) for rank in each])
        failed = 0
        for chosen in choices[:_MAX_TRIALS]:
            if time.process_time() > self.deadline or (len(ranks) > MAX_TOGETHER and failed > _MAX_DTYPE_FAULTS):
                return
            trial = self._trial(dict(zip(ranks, chosen)), dtypes, others or {})
            failed += all(is_of_dtype(path) for path in trial.paths)
            yield trial
            if is_enough and trial.batch is not None and not trial.numbers_read:
                return

    def tied_trials(self) -> Iterator[Trial]:
        """Yield trials in which inputs have the same sizes, or only the batch in common where they have fewer dimensions.

        Programs mean most inputs so, and these are few trials.
        """
        first, *rest = self.descriptions
        described = {n: d.dtype for n, each in self.descriptions.items() for d in each[:1] if d.dtype}
        for rank, dtype, rank_of_rest, dtype_of_rest in _TIED:
            dtypes = {first: dtype, **dict.fromkeys(rest, dtype_of_rest), **described}
            if time.process_time() > self.deadline:
                return
            yield self._trial({first: rank, **dict.fromkeys(rest, rank_of_rest)}, dtypes, {}, is_tied=True)
            masks = [name for name in rest if "mask" in name.lower()]
            if masks and rank == rank_of_rest and rank in _WITH_CHANNELS and dtype_of_rest == "float32":
                ranks = {first: rank, **dict.fromkeys(rest, rank)}
                yield self._trial(ranks, dtypes, {}, is_tied=True, masks=masks)

    def _trial(
        self,
        ranks: Mapping[str, int],
        dtypes: dict[str, str],
        others: Mapping[str, Any],
        is_tied: bool = False,
        masks: Collection[str] = (),
    ) -> Trial:
        """Return a trial, with the dtypes that inputs are meant to have where it passes and they are others."""
        trial = self._trial_of(ranks, dtypes, others, is_tied, masks)
        meant = {**dtypes, **trial.meant}
        if meant != dtypes and any(path.passes for path in trial.paths):
            return self._trial_of(ranks, meant, others, is_tied, masks)
        return trial

    def _trial_of(
        self,
        ranks: Mapping[str, int],
        dtypes: dict[str, str],
        others: Mapping[str, Any],
        is_tied: bool,
        masks: Collection[str],
    ) -> Trial:
        rank_of_first = next(iter(ranks.values()))
        shapes = {
            name: tuple(
                letter if not at or (is_tied and (rank == rank_of_first or not axis)) else f"{letter}_{name}"
                for axis, letter in enumerate(_letters(rank, () if is_tied else self.descriptions[name]))
            )
            for at, (name, rank) in enumerate(ranks.items())
        }
        if is_tied:
            shapes = {n: ("B", *shape[1:]) if len(shape) < rank_of_first else shape for n, shape in shapes.items()}
        shapes = {name: tuple(letter.replace(".", "_") for letter in shape) for name, shape in shapes.items()}
        for name in masks:
            shapes[name] = (shapes[name][0], f"C_{name}", *shapes[name][2:])
        literals = Literals()
        bound: dict[str, Size] = {letter: symbol(letter) for shape in shapes.values() for letter in shape}
        bound.update({shapes[name][1]: 1 for name in masks})
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
            is_tied,
        )


def _sources(numbers: Iterable[int], operations: Sequence[Operation]) -> set[int]:
    """Return these values of the graph, and those that they are computed from."""
    sources = set(numbers)
    for operation in reversed(operations):
        if any(reference.number in sources for reference in operation.outputs):
            sources.update(reference.number for reference in operation.inputs)
    return sources


_TIED = (
    (3, "float32", 3, "float32"),
    (2, "int64", 2, "int64"),
    (4, "float32", 4, "float32"),
    (2, "float32", 2, "float32"),
    (2, "int64", 1, "int64"),
    (4, "float32", 1, "int64"),
    (4, "float32", 2, "float32"),
    (4, "float32", 2, "int64"),
    (3, "float32", 2, "float32"),
    (3, "float32", 1, "int64"),
    (2, "float32", 1, "int64"),
    (2, "float32", 2, "int64"),
    (3, "float32", 2, "bool"),
    (2, "int64", 2, "bool"),
    (5, "float32", 5, "float32"),
    (2, "float32", 1, "float32"),
    (1, "float32", 1, "float32"),
    (1, "int64", 1, "int64"),
)
"""Rank and dtype of the first input, then of all others, as programs have them most often."""
_WITH_CHANNELS = (3, 4)
"""Ranks of inputs with channels, which their masks have one of."""
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
