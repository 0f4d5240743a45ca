"""Exploration of the conditions that a network leaves open, by running its program with other decisions.

A run starts from the beginning, with prescribed decisions; equal conditions are decided alike in it. In addition to
the first run there is one for each condition, decided the other way, one with all of them decided the other way, and
one for each combination that something turns out to depend on. So ten flags take about a dozen runs, not a thousand.
Where all combinations take only a moment, all are followed.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping

from cutaway.core.architecture import Architecture, Note
from cutaway.core.condition import Decision, Decisions, negated
from cutaway.core.loop.series import Restart
from cutaway.core.record import replace
from cutaway.core.variant import Fold, Variant
from cutaway.syntax.target import TargetError

MAX_RUNS = 64
MAX_RESTARTS = 24
SHORT_SECONDS = 1.0
"""All combinations of conditions are followed if they take no longer than this."""

_ROUNDS = 3

Run = Callable[[Decisions], list[Architecture]]


def explore(run: Run, prescribed: Mapping[str, bool], fold: Fold, deadline: float | None) -> Architecture:
    """Return a network with all its conditions, by running its program as often as necessary."""
    return _Exploration(run, prescribed, fold, deadline).result()


class _Exploration:
    def __init__(self, run: Run, prescribed: Mapping[str, bool], fold: Fold, deadline: float | None) -> None:
        self.run, self.prescribed, self.fold, self.deadline = run, dict(prescribed), fold, deadline
        self.plans: dict[str, object] = {}
        self.kinds: dict[str, str] = {}
        self.variants: list[Variant] = []
        self.tried: set[tuple[tuple[str, bool], ...]] = set()
        self.failures: dict[Note, None] = {}
        self.is_truncated = False
        self.failed_share = 0.0  # the share of all combinations that end in an exception

    def result(self) -> Architecture:
        started = time.monotonic()
        base = self._follow({})
        if base is None:
            raise AssertionError("the first run ends in a network or raises")
        if not base.decisions:
            return self._with_notes(base.architecture, [])
        conditions = self._free_conditions(base)
        for holds in self._combinations(base, conditions, time.monotonic() - started):
            self._follow_nested(self._follow(holds), set(base.decisions))
        folded = self.fold(self.variants)
        for _ in range(_ROUNDS):
            before = len(self.variants)
            for wanted in folded.wanted:
                self._follow_nested(self._follow(wanted), set(base.decisions))
            if len(self.variants) == before:
                break
            folded = self.fold(self.variants)
        return self._with_notes(folded.architecture, conditions)

    def _combinations(self, base: Variant, conditions: list[str], seconds: float) -> Iterator[dict[str, bool]]:
        """Yield how to decide the conditions: in every way, where they are few and runs are short.

        Otherwise each is flipped by itself, and all of them at once.
        """
        if 2 ** len(conditions) <= MAX_RUNS and 2 ** len(conditions) * seconds <= SHORT_SECONDS:
            for flips in itertools.product((False, True), repeat=len(conditions)):
                yield {**base.holds, **{text: base.holds[text] is not flip for text, flip in zip(conditions, flips)}}
            return
        yield from (_flipped(base, text) for text in conditions)
        if len(conditions) > 1:
            yield {text: holds is not (text in conditions) for text, holds in base.holds.items()}

    def _follow_nested(self, variant: Variant | None, known: set[str]) -> None:
        """Follow the conditions that only occur where others are decided differently."""
        pending = [(variant, known)]
        while pending:
            current, seen = pending.pop()
            if current is None:
                continue
            new = [text for text in self._free_conditions(current) if text not in seen]
            for text in new:
                pending.append((self._follow(_flipped(current, text)), seen | set(current.decisions)))

    def _free_conditions(self, variant: Variant) -> list[str]:
        return [text for text in variant.decisions if text not in self.prescribed]

    def _follow(self, holds: Mapping[str, bool]) -> Variant | None:
        """Return the network for one combination of decisions; None where there is none, or no time for it."""
        key = tuple(sorted(holds.items()))
        if key in self.tried:
            return None
        is_first = not self.tried
        is_late = self.deadline is not None and time.monotonic() > self.deadline
        if len(self.variants) >= MAX_RUNS or (is_late and not is_first):
            self.is_truncated = True
            return None
        self.tried.add(key)
        combined = {**holds, **self.prescribed}
        for _ in range(MAX_RESTARTS):
            decisions = Decisions(combined)
            decisions.plans, decisions.kinds = self.plans, self.kinds
            try:
                (architecture,) = self.run(decisions)[:1]
            except Restart:
                continue
            except TargetError as error:
                if is_first and not decisions.restarts:
                    raise
                if decisions.restarts:
                    continue
                self._record_failure(decisions.taken, str(error))
                return None
            if decisions.restarts:
                continue
            variant = Variant(architecture, dict(decisions.taken))
            if any(one.holds == variant.holds for one in self.variants):
                return None
            self.variants.append(variant)
            return variant
        self.is_truncated = True
        return None

    def _record_failure(self, taken: Mapping[str, Decision], error: str) -> None:
        base = self.variants[0].holds
        differing = [text if one.holds else negated(text) for text, one in taken.items() if base.get(text) != one.holds]
        self.failed_share += 0.5 ** sum(text not in self.prescribed for text in taken)
        hold = "do not hold together" if len(differing) > 1 else "does not hold"
        self.failures.setdefault(Note(f"{' and '.join(differing)} {hold}: {error}"))

    def _with_notes(self, architecture: Architecture, conditions: list[str]) -> Architecture:
        assumptions = (*architecture.assumptions, *self.failures)
        if len(conditions) > 1 and not self._is_complete():
            text = (
                f"{len(conditions)} conditions are independent where no two of them change the same thing: "
                f"{len(self.variants)} of their combinations were followed"
            )
            assumptions = (*assumptions, Note(text))
        unknowns = architecture.unknowns
        if self.is_truncated:
            unknowns = (
                *unknowns,
                Note(f"there are more combinations of conditions than the {MAX_RUNS} that are followed"),
            )
        return replace(architecture, assumptions=assumptions, unknowns=unknowns)

    def _is_complete(self) -> bool:
        """Tell whether every combination of the conditions was followed."""
        return self.failed_share + sum(0.5 ** len(self._free_conditions(variant)) for variant in self.variants) >= 1.0


def _flipped(variant: Variant, text: str) -> dict[str, bool]:
    """Return the decisions of a variant, with one of them flipped."""
    holds = variant.holds
    return {**holds, text: not holds[text]}
