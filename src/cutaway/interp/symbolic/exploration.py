"""Following the conditions that a network leaves open: once each way around a first run, then what hangs on several.

A run starts from the beginning, with decisions that are given; equal conditions are decided alike in it. Beside the
first run there is one for each condition, decided the other way, one with all of them so, and one for each
combination that something turns out to hang on together. So ten flags take about a dozen runs, not a thousand. Where
all combinations take no longer than a moment, all are followed.
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

MOST_RUNS = 64
MOST_RESTARTS = 24
SHORT_SECONDS = 1.0
"""What all combinations of conditions may take for all of them to be followed."""

_ROUNDS = 3

Run = Callable[[Decisions], list[Architecture]]


def explored(run: Run, given: Mapping[str, bool], fold: Fold, deadline: float | None) -> Architecture:
    """Return a network with all its conditions, by running its program as often as it takes."""
    return _Exploration(run, given, fold, deadline).result()


class _Exploration:
    def __init__(self, run: Run, given: Mapping[str, bool], fold: Fold, deadline: float | None) -> None:
        self.run, self.given, self.fold, self.deadline = run, dict(given), fold, deadline
        self.plans: dict[str, object] = {}
        self.kinds: dict[str, str] = {}
        self.variants: list[Variant] = []
        self.tried: set[tuple[tuple[str, bool], ...]] = set()
        self.stopped: dict[Note, None] = {}
        self.left = False
        self.share = 0.0  # of all combinations that end in an exception

    def result(self) -> Architecture:
        started = time.monotonic()
        base = self._follow({})
        if base is None:
            raise AssertionError("the first run ends in a network or raises")
        if not base.decisions:
            return self._remarked(base.architecture, [])
        conditions = self._open(base)
        for holds in self._ways(base, conditions, time.monotonic() - started):
            self._deeper(self._follow(holds), set(base.decisions))
        folded = self.fold(self.variants)
        for _ in range(_ROUNDS):
            before = len(self.variants)
            for wanted in folded.wanted:
                self._deeper(self._follow(wanted), set(base.decisions))
            if len(self.variants) == before:
                break
            folded = self.fold(self.variants)
        return self._remarked(folded.architecture, conditions)

    def _ways(self, base: Variant, conditions: list[str], seconds: float) -> Iterator[dict[str, bool]]:
        """Yield in which ways to decide conditions: all that there are, where they are few and runs short.

        Otherwise each is turned by itself, and all of them at once.
        """
        if 2 ** len(conditions) <= MOST_RUNS and 2 ** len(conditions) * seconds <= SHORT_SECONDS:
            for turned in itertools.product((False, True), repeat=len(conditions)):
                yield {**base.holds, **{text: base.holds[text] is not turn for text, turn in zip(conditions, turned)}}
            return
        yield from (_other(base, text) for text in conditions)
        if len(conditions) > 1:
            yield {text: holds is not (text in conditions) for text, holds in base.holds.items()}

    def _deeper(self, variant: Variant | None, known: set[str]) -> None:
        """Follow the conditions that are only met where others are decided another way."""
        waiting = [(variant, known)]
        while waiting:
            one, seen = waiting.pop()
            if one is None:
                continue
            fresh = [text for text in self._open(one) if text not in seen]
            for text in fresh:
                waiting.append((self._follow(_other(one, text)), seen | set(one.decisions)))

    def _open(self, variant: Variant) -> list[str]:
        return [text for text in variant.decisions if text not in self.given]

    def _follow(self, holds: Mapping[str, bool]) -> Variant | None:
        """Return the network where conditions are decided in one way; None where there is none, or no time for it."""
        key = tuple(sorted(holds.items()))
        if key in self.tried:
            return None
        is_first = not self.tried
        late = self.deadline is not None and time.monotonic() > self.deadline
        if len(self.variants) >= MOST_RUNS or (late and not is_first):
            self.left = True
            return None
        self.tried.add(key)
        given = {**holds, **self.given}
        for _ in range(MOST_RESTARTS):
            decisions = Decisions(given)
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
                self._stop(decisions.taken, str(error))
                return None
            if decisions.restarts:
                continue
            variant = Variant(architecture, dict(decisions.taken))
            if any(one.holds == variant.holds for one in self.variants):
                return None
            self.variants.append(variant)
            return variant
        self.left = True
        return None

    def _stop(self, taken: Mapping[str, Decision], error: str) -> None:
        base = self.variants[0].holds
        differing = [text if one.holds else negated(text) for text, one in taken.items() if base.get(text) != one.holds]
        self.share += 0.5 ** sum(text not in self.given for text in taken)
        self.stopped.setdefault(Note(f"it is not so that {' and '.join(differing)}: {error}"))

    def _remarked(self, architecture: Architecture, conditions: list[str]) -> Architecture:
        assumptions = (*architecture.assumptions, *self.stopped)
        if len(conditions) > 1 and not self._is_complete():
            text = (
                f"{len(conditions)} conditions act apart from each other where no two of them change the same: "
                f"{len(self.variants)} of their combinations were followed"
            )
            assumptions = (*assumptions, Note(text))
        unknowns = architecture.unknowns
        if self.left:
            unknowns = (
                *unknowns,
                Note(f"there are more combinations of conditions than the {MOST_RUNS} that are followed"),
            )
        return replace(architecture, assumptions=assumptions, unknowns=unknowns)

    def _is_complete(self) -> bool:
        """Tell whether every combination of the conditions was followed."""
        return self.share + sum(0.5 ** len(self._open(variant)) for variant in self.variants) >= 1.0


def _other(variant: Variant, text: str) -> dict[str, bool]:
    """Return how conditions are decided in a variant, but for one."""
    holds = variant.holds
    return {**holds, text: not holds[text]}
