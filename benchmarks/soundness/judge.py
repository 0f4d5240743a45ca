"""What Cutaway states about a program against its runs: facts that are wrong, and how many of those in common are stated.

A result is right if each run that returns is one of the networks that it describes: there is a way to decide its open
conditions so that everything that is stated then holds in the run. A condition in the words of a decision is decided as
the run decides it. Runs that contradict a condition that the result says it has decided are not among those that it
describes. What the result marks as assumed may fail: such facts are counted by themselves. That an assumption is listed
excuses nothing that is not marked.

A fault is right if some run raises. An error that ends the analysis is the same statement.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.soundness.conditions import Unreadable, canonical
from benchmarks.soundness.program import CONSTANT, Decision, Program, Raises, Stub
from benchmarks.soundness.statement import Instance, conditions_of, instance_of
from benchmarks.soundness.truth import Key, Run
from cutaway.core.architecture import Architecture
from cutaway.core.condition import MODE

MOST_FREE = 8
"""Conditions that no decision of the program explains, for all combinations of them to be tried."""


@dataclass(frozen=True)
class Wrong:
    """A statement that a run contradicts."""

    kind: str
    key: Key
    detail: str
    ways: tuple[int, ...] = ()

    def __str__(self) -> str:
        subject = " ".join(str(part) for part in self.key[1:])
        return f"{self.kind} {subject}: {self.detail}" if subject else f"{self.kind}: {self.detail}"


@dataclass
class Verdict:
    """What is to be said about a program.

    `common` are the facts that are equal in all runs that return, by kind, and `stated` how many of these are stated.
    `assumed` fails where something does not hold that it is marked to depend on, or in runs that the result does not
    describe. `missed` tells that every run raises and no fault says so.
    """

    wrong: list[Wrong] = field(default_factory=list)
    assumed: list[Wrong] = field(default_factory=list)
    common: dict[str, int] = field(default_factory=dict)
    stated: dict[str, int] = field(default_factory=dict)
    crash: str | None = None
    refused: str | None = None
    missed: bool = False
    returning: int = 0
    raising: int = 0
    unstated: list[Key] = field(default_factory=list)


def judge(program: Program, result: Architecture | str, runs: Sequence[Run]) -> Verdict:
    """Compare a result, or the error that there is in place of it, with the runs of a program."""
    returning = [run for run in runs if run.returned]
    raising = [run for run in runs if not run.returned]
    verdict = Verdict(returning=len(returning), raising=len(raising))
    if isinstance(result, str):
        verdict.refused = result
        if returning and not raising:
            verdict.wrong.append(Wrong("error", ("error",), f"no run raises: {result}"))
        _count(verdict, returning, [Instance() for _ in returning])
        return verdict
    if result.diagnostics and not raising:
        verdict.wrong.append(Wrong("fault", ("fault",), f"no run raises: {result.diagnostics[0].message}"))
    verdict.missed = bool(raising) and not returning and not result.diagnostics
    try:
        words = conditions_of(result)
        instances = []
        for run in returning:
            instance, problems = _best(program, result, words, run)
            instances.append(instance)
            included = _is_described(program, result, run)
            for problem in problems:
                is_excused = not included or instance.is_assumed(problem.key)
                (verdict.assumed if is_excused else verdict.wrong).append(problem)
    except Unreadable as error:
        verdict.crash = f"a condition can't be read: {error}"
        return verdict
    _count(verdict, returning, instances)
    return verdict


def _is_described(program: Program, result: Architecture, run: Run) -> bool:
    """Tell whether a run agrees with everything that a result says it has decided."""
    for decision, way in zip(program.decisions, run.ways):
        for condition in result.conditions:
            if condition.holds is None or not _names(condition.text, decision):
                continue
            if _truth(decision.ways[way]) is not condition.holds:
                return False
    return True


def _names(text: str, decision: Decision) -> bool:
    try:
        return canonical(text) == canonical(decision.text)
    except Unreadable:
        return False


def _compared_with(text: str, decision: Decision) -> Iterator[Any]:
    """Yield the number that a condition says a decision is equal to, if it says that."""
    left, sign, right = text.rpartition(" == ")
    if sign and _names(left, decision):
        yield ast.literal_eval(right)


def _truth(way: Any) -> bool:
    if isinstance(way, (Stub, Raises)):
        return isinstance(way, Stub)
    return bool(way)


def _decided(program: Program, words: Iterable[str], result: Architecture, run: Run) -> dict[str, bool]:
    """Return the conditions of which it is known whether they hold in a run."""
    known: dict[str, bool] = {}
    for number, decision in enumerate(program.decisions):
        given = run.answers.get(number, [])
        if given and (len(given) == 1 or decision.nature == CONSTANT):
            known.update({word: _truth(given[0]) for word in words if _names(word, decision)})
            known.update({word: given[0] == value for word in words for value in _compared_with(word, decision)})
    for condition in result.conditions:
        if condition.kind == MODE:
            known[canonical(condition.text)] = run.training
        elif condition.holds is not None:
            with contextlib.suppress(Unreadable):  # an import: no fact depends on it
                known.setdefault(canonical(condition.text), condition.holds)
    return known


def _best(program: Program, result: Architecture, words: set[str], run: Run) -> tuple[Instance, list[Wrong]]:
    """Return what is stated about a run, and what is wrong in it, where conditions are decided to fit it best.

    All combinations are tried where they are few; otherwise conditions are flipped as long as that fits better.
    """
    known = _decided(program, words, result, run)
    free = sorted(set(words) - known.keys())
    tried: dict[tuple[bool, ...], tuple[Instance, list[Wrong]]] = {}

    def wrong(answers: tuple[bool, ...]) -> tuple[int, int]:
        if answers not in tried:
            instance = instance_of(result, {**dict(zip(free, answers)), **known})
            tried[answers] = instance, list(_compared(instance, run))
        return _weight(tried[answers])

    if len(free) <= MOST_FREE:
        best = min(itertools.product((False, True), repeat=len(free)), key=wrong)
        return tried[best]
    flips = [places for count in (1, 2, 3) for places in itertools.combinations(range(len(free)), count)]

    def climbed(answers: tuple[bool, ...]) -> tuple[bool, ...]:
        while any(wrong(answers)):
            others = (tuple(answer is not (at in flip) for at, answer in enumerate(answers)) for flip in flips)
            better = next((other for other in others if wrong(other) < wrong(answers)), None)
            if better is None:
                break
            answers = better
        return answers

    first = climbed((False,) * len(free))
    return tried[first if not any(wrong(first)) else min(first, climbed((True,) * len(free)), key=wrong)]


def _weight(reading: tuple[Instance, list[Wrong]]) -> tuple[int, int]:
    """Return how many facts are wrong that are not marked as assumed, and how many are in all."""
    instance, problems = reading
    return sum(not instance.is_assumed(problem.key) for problem in problems), len(problems)


def _compared(instance: Instance, run: Run) -> Iterator[Wrong]:
    truth = run.facts
    for clash in instance.clashes:
        yield Wrong("tree", ("module", clash), clash, run.ways)
    for key, value in instance.facts.items():
        if key[0] == "config" and truth.get(("module", key[1])) != instance.facts.get(("module", key[1])):
            continue  # the module itself is not there, or another
        if key not in truth:
            yield Wrong(key[0], key, f"{_words(value)} is not there", run.ways)
        elif not agrees(key[0], value, truth[key]):
            yield Wrong(key[0], key, f"{_words(value)}, is {_words(truth[key])}", run.ways)
    for key, value in truth.items():
        if key not in instance.facts and key[0] not in ("total", "config") and instance.is_closed(key):
            yield Wrong(key[0], key, f"{_words(value)} is missing", run.ways)
    for key, least in instance.at_least.items():
        count = _counted(key, truth)
        if count < least:
            yield Wrong(key[0].rstrip("s"), key, f"at least {least} stated, are {count}", run.ways)
    if not instance.incomplete:
        order = [path for path in instance.order if ("module", path) in truth]
        real = [key[1] for key in truth if key[0] == "module" and key[1] in set(order)]
        if order != real:
            yield Wrong("order", ("order", ""), f"{order}, is {real}", run.ways)


def _counted(key: Key, truth: dict[Key, Any]) -> int:
    if key[0] == "calls":
        return sum(each[0] == "call" and each[1] == key[1] for each in truth)
    return sum(each[0] == "op" and each[1] == key[1] and value[0] == key[2] for each, value in truth.items())


def agrees(kind: str, stated: Any, real: Any) -> bool:
    """Tell whether what is stated can be what is real; None stands for what is not stated."""
    if kind in ("weight", "output"):
        rest = zip(stated[1:], real[1:])
        return _shape_agrees(stated[0], real[0]) and all(mine is None or mine == true for mine, true in rest)
    if kind == "call":
        return _shapes_agree(stated[0], real[0]) and _shapes_agree(stated[1], real[1])
    if kind == "op":
        return bool(stated[0] == real[0]) and _shapes_agree(stated[1], real[1])
    return bool(stated == real) or (kind == "module" and stated is None)


def _shape_agrees(stated: Any, real: Any) -> bool:
    if stated is None:
        return True
    return len(stated) == len(real) and all(size is None or size == true for size, true in zip(stated, real))


def _shapes_agree(stated: Sequence[Any], real: Sequence[Any]) -> bool:
    """Compare the shapes of flattened values; one without a shape may be any nested value."""
    if len(stated) != len(real):
        return None in stated
    return all(map(_shape_agrees, stated, real))


def _words(value: Any) -> str:
    if isinstance(value, tuple):
        if value and all(isinstance(item, int) for item in value):
            return "x".join(map(str, value))
        return f"({', '.join(map(_words, value))})"
    return "?" if value is None else str(value)


def _count(verdict: Verdict, runs: Sequence[Run], instances: Sequence[Instance]) -> None:
    """Count the facts that all runs have in common, and those of them that are stated for each run."""
    if not runs:
        return
    common = {
        key: value
        for key, value in runs[0].facts.items()
        if key[0] != "op" and all(run.facts.get(key) == value for run in runs[1:])
    }
    for key, value in common.items():
        if not _belongs(key, common):
            continue
        verdict.common[key[0]] = verdict.common.get(key[0], 0) + 1
        if all(instance.facts.get(key) == value for instance in instances):
            verdict.stated[key[0]] = verdict.stated.get(key[0], 0) + 1
        else:
            verdict.unstated.append(key)


def _belongs(key: Key, common: dict[Key, Any]) -> bool:
    """Tell whether a fact is about a module that all runs have in common; elsewhere it is equal by chance."""
    if key[0] in ("config", "call"):
        return ("module", key[1]) in common
    return key[0] != "weight" or ("module", key[1].rpartition(".")[0]) in common
