"""Exploration of the conditions that a program leaves open, by running it with other decisions.

A run starts from the beginning, with prescribed decisions; a value is decided alike wherever it occurs. Every run is an
ordinary one, in which all is decided: whatever a branch changes, through whatever calls and aliases, is changed in that
run and in no other. What all runs have in common holds; what only some of them have is under a condition.

The decisions of a run form a path in a tree, and each of its decisions, taken the other way, is the start of another
path. All paths are followed where they are few. Otherwise a run leaves conditions open that it meets late, and joins
what they lead to, until the paths are few.

Conditions on arguments of constructors are an exception: where there are many, each is flipped by itself, all of them
at once, and those together that something turns out to depend on. So ten flags take about a dozen runs, not a thousand.
That flags act independently otherwise is an assumption, and listed.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress

from cutaway.core.architecture import Architecture, Note, depending_on
from cutaway.core.condition import CONFIGURATION, MAX_CONDITIONS, Decision, Decisions, decided_both_ways, negated
from cutaway.core.loop.series import Restart
from cutaway.core.record import dataclass, replace
from cutaway.core.variant import Fold, Folded, Variant
from cutaway.syntax.target import TargetError

MAX_RUNS = 64
"""Runs that are made at most where not all paths are followed."""
MAX_PATHS = 512
MAX_RESTARTS = 24
SHORT_SECONDS = 3.0
"""All paths are followed if they take no longer than this, in processor time."""
FEWEST_PATHS = 8
"""Paths that are followed if they take up to `LONG_SECONDS`."""
LONG_SECONDS = 4.0

_ROUNDS = 3

Run = Callable[[Decisions], list[Architecture]]


def explore(run: Run, prescribed: Mapping[str, bool], fold: Fold, deadline: float | None) -> Architecture:
    """Return a network with all its conditions, by running its program as often as necessary."""
    return _Exploration(run, prescribed, fold, deadline).result()


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one run: the conditions that it met, in order, and the network that it led to, if it did."""

    taken: Mapping[str, Decision]
    variant: Variant | None


class _TooManyPaths(Exception):
    """There are more paths than can be followed."""


class _Replanned(Exception):
    """A loop is followed in another way than in runs that were made before."""


class _Exploration:
    def __init__(self, run: Run, prescribed: Mapping[str, bool], fold: Fold, deadline: float | None) -> None:
        self.run, self.prescribed, self.fold, self.deadline = run, dict(prescribed), fold, deadline
        self.plans: dict[str, object] = {}
        self.restarts = 0  # of the whole exploration
        self.loops: set[str] = set()  # keys of loops that runs have followed by the plans there are
        self.kinds: dict[str, str] = {}
        self.variants: list[Variant] = []
        self.raising: list[Variant] = []  # forward ends with an exception
        self.failed: list[tuple[Mapping[str, Decision], TargetError]] = []
        self.tried: set[tuple[tuple[str, bool], ...]] = set()
        self.durations: list[float] = []  # of the runs, in processor time
        self.unwritten: set[str] = set()  # conditions that the program does not test: they may be impossible
        self.unfounded: set[str] = set()  # conditions on unknown classes, which may be impossible
        self.is_truncated = False
        self.most_conditions = MAX_CONDITIONS

    def result(self) -> Architecture:
        """Return the network; all runs have to follow a loop in the same way, so another plan for it starts all over."""
        while True:
            with suppress(_Replanned):
                return self._result()
            self._start_over(MAX_CONDITIONS)
            self.loops.clear()
            self.restarts += 1
            self.is_truncated = self.restarts == MAX_RESTARTS

    def _result(self) -> Architecture:
        complete = self._explored()
        if not self.variants:
            self.variants, self.raising = self.raising, []
        if not self.variants:
            raise self.failed[0][1]
        if not self.variants[0].decisions and not self.failed:
            return self._with_notes(self.variants[0].architecture, complete)
        folded = self._fold()
        if not complete:
            base = self.variants[0]
            self._follow({text: holds is (text in self.prescribed) for text, holds in base.holds.items()})
            folded = self._fold()
            for _ in range(_ROUNDS):
                before = len(self.variants)
                for wanted in folded.needed:
                    self._follow(wanted)
                if len(self.variants) == before:
                    break
                folded = self._fold()
        return self._with_notes(folded.architecture, complete)

    def _fold(self) -> Folded:
        failed = [_holds(taken) for taken, _ in self.failed] + [variant.holds for variant in self.raising]
        return self.fold(self.variants, failed)

    def _explored(self) -> bool:
        """Follow all paths, with fewer conditions until they are few enough; tell whether flags were followed together.

        A run that leaves all conditions open tells how many paths there is time for: joining may take longer than the run.
        """
        with suppress(_TooManyPaths):
            return self._follow_paths(time.process_time())
        self._start_over(0)
        complete = self._follow_paths(time.process_time())
        joined = self.variants, self.raising, self.failed
        most = self._affordable_conditions()
        while most > 0:
            self._start_over(most)
            with suppress(_TooManyPaths):
                return self._follow_paths(time.process_time())
            most = min(most - 1, self._affordable_conditions())
        self.variants, self.raising, self.failed = joined
        return complete

    def _start_over(self, most_conditions: int) -> None:
        self.most_conditions = most_conditions
        self.variants, self.raising, self.failed, self.tried, self.durations = [], [], [], set(), []

    def _affordable_conditions(self) -> int:
        """Return how many conditions can be decided, if every path takes as long as the shortest run so far."""
        seconds = max(min(self.durations), SHORT_SECONDS / MAX_PATHS)
        long = int(LONG_SECONDS / seconds) - 1  # one was the run that told this
        return max(1, int(SHORT_SECONDS / seconds), min(FEWEST_PATHS, long)).bit_length() - 1

    def _follow_paths(self, started: float) -> bool:
        """Follow every path, but for those of flags that take too long; tell whether it was every one."""
        first = self._follow({})
        assert first is not None, "the first run is always made"
        seen = set(first.taken)
        needed: deque[dict[str, bool]] = deque()
        optional: deque[dict[str, bool]] = deque()
        self._enqueue({}, first, seen, needed, optional)
        while needed or optional:
            seconds = time.process_time() - started
            is_long = len(self.tried) >= MAX_PATHS or seconds > SHORT_SECONDS
            if self.is_truncated or (is_long and not needed):
                return False
            is_enough = len(self.tried) >= FEWEST_PATHS or seconds > LONG_SECONDS
            is_too_long = (is_long and is_enough) or self._would_be_too_long(seconds, len(needed))
            if is_too_long and self.most_conditions and not self._is_only_flags():
                raise _TooManyPaths
            holds = (needed or optional).popleft()
            outcome = self._follow(holds)
            if outcome is not None:
                new = {text for text in outcome.taken if text not in seen}
                seen |= new
                self._enqueue(holds, outcome, new, needed, optional)
        return not self.is_truncated

    def _would_be_too_long(self, seconds: float, waiting: int) -> bool:
        """Tell whether the paths that are known to be left would take too long; `seconds` is what the others took.

        The first run of all tells nothing: it reads what the others find in memory.
        """
        if len(self.tried) == 1 and self.most_conditions == MAX_CONDITIONS:
            return False
        expected = seconds + waiting * min(self.durations)
        return expected > (SHORT_SECONDS if len(self.tried) + waiting > FEWEST_PATHS else LONG_SECONDS)

    def _enqueue(
        self,
        holds: Mapping[str, bool],
        outcome: _Outcome,
        new: set[str],
        needed: deque[dict[str, bool]],
        optional: deque[dict[str, bool]],
    ) -> None:
        """Sort the paths that part from a run's path into those that have to be followed, and those of flags."""
        for other in self._other_ways(holds, outcome):
            text = next(reversed(other))
            is_flag = outcome.taken[text].kind == CONFIGURATION
            (optional if is_flag and text not in new else needed).append(other)

    def _is_only_flags(self) -> bool:
        outcomes = [variant.decisions for variant in (*self.variants, *self.raising)] + [
            taken for taken, _ in self.failed
        ]
        return all(decision.kind == CONFIGURATION for taken in outcomes for decision in taken.values())

    def _other_ways(self, holds: Mapping[str, bool], outcome: _Outcome) -> list[dict[str, bool]]:
        """Return the starts of the paths that part from a run's path after the decisions that it was given."""
        path = _holds(outcome.taken)
        ways: list[dict[str, bool]] = []
        start: dict[str, bool] = {}
        for text, value in path.items():
            if text not in holds and text not in self.prescribed:
                ways.append({**start, text: not value})
            start[text] = value
        return ways

    def _follow(self, holds: Mapping[str, bool]) -> _Outcome | None:
        """Return the outcome for one combination of decisions; None where it was followed before, or there is no time."""
        key = tuple(sorted(holds.items()))
        if key in self.tried:
            return None
        is_first = not self.tried
        is_late = self.deadline is not None and time.monotonic() > self.deadline
        if len(self.tried) >= MAX_PATHS + MAX_RUNS or (is_late and not is_first):
            self.is_truncated = True
            return None
        self.tried.add(key)
        started = time.process_time()
        try:
            return self._run(holds)
        finally:
            self.durations.append(time.process_time() - started)

    def _run(self, holds: Mapping[str, bool]) -> _Outcome | None:
        """Run the program with some decisions, again where a loop in it asks for that."""
        combined = {**holds, **self.prescribed}
        for _ in range(MAX_RESTARTS):
            decisions = Decisions(combined, most=self.most_conditions)
            decisions.given = self.prescribed
            decisions.plans, decisions.kinds = self.plans, self.kinds
            before = dict(self.plans)
            try:
                (architecture,) = self.run(decisions)[:1]
            except Restart:
                self._keep_plans(before)
                continue
            except TargetError as error:
                if decisions.restarts:
                    self._keep_plans(before)
                    continue
                self.loops |= decisions.loops
                self.failed.append((dict(decisions.taken), error))
                return _Outcome(dict(decisions.taken), None)
            if decisions.restarts:
                self._keep_plans(before)
                continue
            self.loops |= decisions.loops
            variant = Variant(architecture, dict(decisions.taken))
            self.unwritten.update(decisions.unwritten)
            self.unfounded.update(decisions.unfounded)
            variants = self.raising if decisions.raised else self.variants
            if all(one.holds != variant.holds for one in variants):
                variants.append(variant)
            return _Outcome(variant.decisions, variant)
        self.is_truncated = True
        return None

    def _keep_plans(self, before: Mapping[str, object]) -> None:
        """Go on with the plans that a run has changed, unless other runs have followed these loops already."""
        changed = [key for key, plan in self.plans.items() if before.get(key) != plan]
        if self.restarts < MAX_RESTARTS and not self.loops.isdisjoint(changed):
            raise _Replanned

    def _with_notes(self, architecture: Architecture, complete: bool) -> Architecture:
        failures = [self._failure(taken, str(error)) for taken, error in self.failed]
        failures += [self._failure(one.decisions, _why_it_raises(one.architecture)) for one in self.raising]
        assumptions = (*architecture.assumptions, *dict.fromkeys(failures))
        conditions = [text for text in self.variants[0].decisions if text not in self.prescribed]
        if len(conditions) > 1 and not complete:
            text = (
                f"{len(conditions)} conditions are independent where no two of them change the same thing: "
                f"{len(self.variants)} of their combinations were followed"
            )
            assumptions = (*assumptions, Note(text))
            architecture = depending_on(architecture, text)
        unknowns = architecture.unknowns
        if self.is_truncated:
            unknowns = (*unknowns, Note("there are more combinations of conditions than could be followed"))
        faults = {
            replace(fault, message=f"{fault.message} [if {' and '.join(self._differing(one.decisions))}]"): None
            for one in self.raising
            if not any(decision.holds and text in self.unwritten for text, decision in one.decisions.items())
            if not any(text in self.unfounded for text in one.decisions if self._differs(one, text))
            if not decided_both_ways(one.decisions)
            for fault in one.architecture.diagnostics
            if fault not in architecture.diagnostics
        }
        diagnostics = (*architecture.diagnostics, *faults)
        return replace(architecture, assumptions=assumptions, unknowns=unknowns, diagnostics=diagnostics)

    def _differs(self, variant: Variant, text: str) -> bool:
        """Tell whether a condition is decided otherwise than in the first run."""
        return self.variants[0].holds.get(text) != variant.holds[text]

    def _differing(self, taken: Mapping[str, Decision]) -> list[str]:
        """Return the conditions that hold in a run and not in the first one."""
        base = self.variants[0].holds
        met = {text: one for text, one in taken.items() if text not in self.prescribed}
        differing = {text: one for text, one in met.items() if base.get(text) != one.holds} or met
        return [text if one.holds else negated(text) for text, one in differing.items()]

    def _failure(self, taken: Mapping[str, Decision], error: str) -> Note:
        """Return the assumption that conditions do not hold under which the program raises.

        It may ask the same thing more than once, and get the same answer each time.
        """
        repeated = decided_both_ways(taken)
        if repeated:
            return Note(f"{' and '.join(repeated)} is the same each time it is tested: {error}")
        words = self._differing(taken)
        hold = "do not hold together" if len(words) > 1 else "does not hold"
        return Note(f"{' and '.join(words)} {hold}: {error}")


def _why_it_raises(architecture: Architecture) -> str:
    faults = [fault.message for fault in architecture.diagnostics] + [note.text for note in architecture.unknowns]
    return faults[-1] if faults else "the program raises"


def _holds(taken: Mapping[str, Decision]) -> dict[str, bool]:
    return {text: bool(decision.holds) for text, decision in taken.items()}
