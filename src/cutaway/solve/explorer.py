"""Running a network for all sizes at once: every question about sizes is answered, one way after the other.

What a rule asks about sizes has an answer where it holds for all sizes that are still possible. Where it holds for
some of them only, the rule is tried with both answers. If one of them is a fault, the network requires the other.
What the network itself asks is answered both ways in the module that asks. Where results differ, what contains the module
is run once for each of them, up to all of the network.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from cutaway.core.error import place_of
from cutaway.core.fault import Fault
from cutaway.core.fault_code import Family
from cutaway.core.place import Place
from cutaway.core.record import dataclass, field
from cutaway.core.size.atom import Symbol
from cutaway.core.size.dim import Dim, Size
from cutaway.core.unknown import StartOver, Undecidable, Unknown
from cutaway.solve import phrasing
from cutaway.solve.constraint import Literals
from cutaway.solve.effort import Unsolved
from cutaway.solve.region import EVERYWHERE, NOWHERE, Region

_MOST_TRIALS = 256
"""Ways to answer the questions of one call."""

_MOST_DECISIONS = 24
"""Questions of one way through a call that have more than one answer: a loop may go on for ever."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What an operation requires of sizes, in the words of the fault that it would be otherwise."""

    message: str
    place: Place | None
    kept: Region
    lost: Region


@dataclass(frozen=True, slots=True)
class Open:
    """A condition that was not solved: in words, why, and where it is asked.

    `binds` is a size of an input and what it is equal to where the condition holds, if that is given otherwise.
    """

    condition: str
    reason: str
    place: Place | None
    binds: tuple[str, Dim] | None = None


class Script:
    """Decisions in the order in which they are met: `answers` has the first ones, the others take the first option."""

    def __init__(self, answers: list[int]) -> None:
        self._answers = answers
        self._taken: list[tuple[int, int]] = []

    @property
    def count(self) -> int:
        """How many decisions have been made."""
        return len(self._taken)

    def decide(self, options: int) -> int:
        """Return which of some options is taken."""
        place = len(self._taken)
        chosen = self._answers[place] if place < len(self._answers) else 0
        self._taken.append((chosen, options))
        return chosen

    def taken(self) -> list[int]:
        """Return the decisions that were made."""
        return [chosen for chosen, _ in self._taken]

    def following(self) -> list[int] | None:
        """Return the decisions of the next run, None where all have been made."""
        taken = list(self._taken)
        while taken:
            chosen, options = taken.pop()
            if chosen + 1 < options:
                return [*(choice for choice, _ in taken), chosen + 1]
        return None


@dataclass(slots=True)
class Trial:
    """One way to answer the questions that are asked in a call, and what came of it."""

    script: Script
    probed: Open | None = None
    answered: bool = False
    asks_more: bool = False
    result: Any = None
    error: BaseException | None = None
    region: Region = EVERYWHERE

    @property
    def looks(self) -> Any:
        """Return what tells its result apart from others."""
        if self.error is None:
            try:
                return _looks(self.result)
            except RecursionError:  # a list in itself, or nested without end
                return id(self.result)
        return "unknown" if isinstance(self.error, Undecidable) else (type(self.error), str(self.error))

    def take(self) -> Any:
        """Return its result, or raise what ended it."""
        if self.error is not None:
            raise self.error
        return self.result


class Impure(StartOver):
    """A call that was tried in several ways left something behind; `key` says which."""

    def __init__(self, key: Any) -> None:
        super().__init__(Unknown("a module changes as it is called"))
        self.key = key


class Bound(StartOver):
    """A size of an input is required to be another one, or one that is given otherwise, as by a configuration.

    `others` tells that there are sizes for which that is not so.
    """

    def __init__(self, name: str, size: Dim, others: bool) -> None:
        super().__init__(Unknown(f"{name} must be {size}"))
        self.name, self.size, self.others = name, size, others


@dataclass(slots=True)
class Explorer:
    """Answers questions about sizes in one run, and gathers what the run requires.

    `region` is what sizes may be up to here, `place` says where the target's control is, `until` when to give up.
    `inputs` are the sizes of inputs, which are what is looked for. While `guarded`, the target itself handles what is
    raised. `impure` has the calls that are not tried by themselves.
    """

    literals: Literals
    script: Script
    place: Callable[[], Place | None]
    until: float
    impure: set[Any] = field(default_factory=set)
    inputs: Sequence[str] = ()
    region: Region = EVERYWHERE
    guarded: int = 0
    requirements: dict[tuple[str, Place | None], Requirement] = field(default_factory=dict)
    open: dict[Open, None] = field(default_factory=dict)
    _trials: list[Trial] = field(default_factory=list)
    _in_rule: bool = False

    def ask(self, relation: str, left: Size, right: Size) -> bool | None:
        """Answer what sizes alone do not tell, None where it is not solved."""
        try:
            held = self.literals.solve(relation, left, right)
            inside = self.region & held
            if not inside:
                return False
            outside = self.region - held
        except Unsolved as reason:
            binds = self._binds(left, right) if relation == "equal" else None
            return self._unsolved(f"{left} {'==' if relation == 'equal' else '<'} {right}", str(reason), binds)
        if not outside:
            return True
        if self._script().count > _MOST_DECISIONS:
            self.open[Open("how this ends", "it depends on sizes in too many ways", self.place())] = None
            return None
        chosen = self._decide(2)
        self.region = outside if chosen else inside
        return chosen == 0

    def _script(self) -> Script:
        return self._trials[-1].script if self._trials else self.script

    def _decide(self, options: int) -> int:
        return self._script().decide(options)

    def _binds(self, left: Size, right: Size) -> tuple[str, Dim] | None:
        """Return the size of an input that would be equal to something else: another one, or what is not one.

        What counts the iterations of a loop is not a size that an input could have.
        """
        if any(name.least == 0 for size in (left, right) for name in self.literals.unknowns(size)):
            return None
        for size, other in ((left, right), (right, left)):
            if isinstance(size, Dim) and isinstance(other, Dim) and _is_symbol(size) and str(size) in self.inputs:
                if not any(name.anonymous or name.name in self.inputs for name in self.literals.unknowns(other)):
                    return str(size), other
        unknowns = [self.literals.unknowns(size) for size in (left, right)]
        if all(len(each) == 1 and not next(iter(each)).anonymous for each in unknowns) and unknowns[0] != unknowns[1]:
            values = self.literals.sequence(left)
            if values == self.literals.sequence(right) and values.always_grows():
                order = list(self.inputs)
                first, last = sorted((next(iter(each)) for each in unknowns), key=lambda one: order.index(one.name))
                return last.name, Dim({((first, 1),): 1})
        return None

    def _unsolved(self, condition: str, reason: str, binds: tuple[str, Dim] | None) -> bool | None:
        """Go on without an answer; in a rule, also see whether the network requires one."""
        asked = Open(condition, reason, self.place(), binds)
        if not self._in_rule:
            self.open[asked] = None
            return None
        trial = self._trials[-1]
        trial.asks_more = True
        if trial.probed is not None:
            return None
        chosen = trial.script.decide(3)
        if not chosen:
            return None
        trial.probed = asked
        trial.answered = chosen == 1
        return trial.answered

    def attempt(self, rule: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call a rule in every way in which its questions can be answered; return what it gives where it succeeds."""
        if self._in_rule:  # a rule that calls another
            return rule(*args, **kwargs)
        self._in_rule = True
        try:
            trials = self._tried(lambda: rule(*args, **kwargs))
        finally:
            self._in_rule = False
        for trial in trials:
            if trial.probed is not None and isinstance(trial.error, Fault):
                if trial.probed.binds is not None and not trial.answered:
                    others = any(each.error is None and not each.asks_more for each in trials)
                    raise Bound(*trial.probed.binds, others)
                self.open[trial.probed] = None
        return self._merged([trial for trial in trials if trial.probed is None])

    def enter(self, run: Callable[[], Any], key: Any, state: Callable[[], Any]) -> Any:
        """Run a part of the network in every way; those that give the same go on as one.

        That takes a part that leaves nothing behind: `state` is what it could leave something in.
        """
        if key in self.impure or self._in_rule:
            return run()
        before = state()
        trials = self._tried(run)
        if len(trials) > 1 and state() != before:
            raise Impure(key)
        return self._merged(trials)

    def _tried(self, run: Callable[[], Any]) -> list[Trial]:
        start = self.region
        trials: list[Trial] = []
        answers: list[int] | None = []
        while answers is not None:
            if trials and (len(trials) == _MOST_TRIALS or time.process_time() > self.until):
                self.open[Open("what is computed here", "it depends on sizes in too many ways", self.place())] = None
                break
            trial = Trial(Script(answers))
            self._trials.append(trial)
            self.region = start
            try:
                trial.result = run()
            except (Exception, Undecidable) as error:
                trial.error = error.with_traceback(None)  # which would keep every frame down to there
            finally:
                self._trials.pop()
            trial.region = self.region
            trials.append(trial)
            answers = trial.script.following()
        return trials

    def _merged(self, trials: list[Trial]) -> Any:
        """Go on with what does not fail, one result after the other where they differ."""
        if len(trials) == 1:
            self.region = trials[0].region
            return trials[0].take()
        going = trials
        if not self.guarded:
            failed = [t for t in trials if t.error is not None and not isinstance(t.error, Undecidable)]
            going = [t for t in trials if t not in failed]
            if not going:
                self.region = _union(failed)
                of_dtype = (t for t in failed if isinstance(t.error, Fault) and t.error.code.family is Family.DTYPE)
                return next(of_dtype, failed[0]).take()  # another dtype may fit the sizes that lead there
            if failed:
                error, kept = failed[0].error, _union(going)
                at = None if error is None else place_of(error)
                requirement = Requirement(str(error), at or self.place(), kept, _union(failed))
                self.requirements.setdefault((requirement.message, requirement.place), requirement)
        alike: dict[Any, list[Trial]] = {}
        for trial in going:
            alike.setdefault(trial.looks, []).append(trial)
        groups = list(alike.values())
        chosen = groups[self._decide(len(groups))] if len(groups) > 1 else groups[0]
        self.region = _union(chosen)
        return chosen[0].take()

    def named(self, size: Size) -> Size:
        """Return a symbol for a size of one unknown, so that what is computed with it stays short."""
        if not isinstance(size, Dim) or _is_symbol(size):
            return size
        unknowns = self.literals.unknowns(size)
        if len(unknowns) != 1 or any(name.anonymous for name in unknowns):
            return size
        (of,) = unknowns
        try:
            what = self.literals.sequence(size)
            possible = self.region.of(of.name)
            is_positive = not possible & what.where(lambda value: value < 1)
        except Unsolved:
            return size
        return self.literals.name(size, of, 1 if is_positive else None)


class Settled:
    """Answers questions about sizes that are known to be in a region; where that does not tell, for the large ones."""

    def __init__(self, literals: Literals, region: Region, names: Sequence[str]) -> None:
        self._literals = literals
        self._names = names
        self.region = region
        self.is_narrowed = False
        self._count = 0

    def ask(self, relation: str, left: Size, right: Size) -> bool | None:
        """Answer what sizes alone do not tell, None where it is not solved."""
        try:
            held = self._literals.solve(relation, left, right)
            inside, outside = self.region & held, self.region - held
        except Unsolved:
            return None
        if inside and outside:
            self._count += 1
            if self._count > _MOST_DECISIONS:
                return None
            self.is_narrowed = True
            self.region = inside if _room(inside) >= _room(outside) else outside
            return self.region is inside
        return bool(inside)

    def describe(self) -> str:
        """Return the sizes that the answers are for, in words."""
        return phrasing.text(self.region, self._names)


def _room(region: Region) -> tuple[int, int]:
    """Return how much room a region has: as few unknowns as possible with a largest size, then as many sizes as possible."""
    return max(
        (-len(finite), prod(held.head.bit_count() for held in finite))
        for box in region.boxes
        for finite in [[held for held in box.values() if held.is_finite]]
    )


def _is_symbol(size: Dim) -> bool:
    return len(size.terms) == 1 and all(
        coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1 and isinstance(monomial[0][0], Symbol)
        for monomial, coefficient in size.terms.items()
    )


def _union(trials: list[Trial]) -> Region:
    region = NOWHERE
    for trial in trials:
        region |= trial.region
    return region


def _looks(result: Any) -> Any:
    """Return what tells results apart: shapes and types of tensors, and other values themselves."""
    if isinstance(result, (list, tuple)):
        return tuple(map(_looks, result))
    if isinstance(result, dict):
        return tuple((str(key), _looks(value)) for key, value in result.items())
    shape = getattr(result, "shape", None)
    if shape is not None:
        return (tuple(shape) if isinstance(shape, (list, tuple)) else id(shape), str(getattr(result, "dtype", "")))
    return result if isinstance(result, (int, float, str, Dim, type(None))) else id(result)
