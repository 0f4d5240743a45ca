"""Which class of a repository, with which arguments, a file of weights belongs to.

The arguments are found by trying: one is changed, and from how sizes and numbers of layers follow it, its value is solved.
What is returned has been built and compared with the file.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError
from cutaway.core.record import dataclass
from cutaway.passes.weight_fit import WeightFit, fit
from cutaway.syntax.network_classes import NetworkClass

Show = Callable[[str], Architecture]
_INDEX = re.compile(r"\d+")
_FIRST_TRY = 8
_ROUNDS = 4
_MOST_CANDIDATES = 6


@dataclass(frozen=True, slots=True)
class Match:
    """A class with arguments, and how the weights fit it."""

    candidate: NetworkClass
    arguments: Mapping[str, Any]
    fit: WeightFit
    undetermined: tuple[str, ...] = ()
    """Arguments that no weight depends on: their values are those that were tried."""

    @property
    def target(self) -> str:
        """The target that builds the network."""
        return _target(self.candidate, self.arguments)

    @property
    def is_exact(self) -> bool:
        """Whether all weights fit, after a renaming at most."""
        return not (self.fit.missing or self.fit.unexpected or self.fit.resized)


def search(file: Architecture, classes: Iterable[NetworkClass], show: Show, seconds: float) -> list[Match]:
    """Return the classes that weights may belong to, the best first."""
    deadline = time.monotonic() + seconds
    names = [weight.name for weight in file.weights]
    ranked = sorted(classes, key=lambda each: -_likeness(each, names))
    matches: list[Match] = []
    for candidate in [each for each in ranked if _likeness(each, names) >= 0.5][:_MOST_CANDIDATES]:
        match = _Trials(file, candidate, show, deadline).solved()
        if match is not None:
            matches.append(match)
            if match.is_exact:
                break
    return sorted(matches, key=lambda m: (not m.is_exact, -m.fit.matched, len(m.fit.missing) + len(m.fit.unexpected)))


def _likeness(candidate: NetworkClass, names: Sequence[str]) -> float:
    """Return which part of the names begins with an attribute of a class, wrappers left out."""
    best = 0.0
    for depth in range(4):
        first = {parts[depth] for name in names if len(parts := name.split(".")) > depth}
        if first:
            best = max(best, len(first & candidate.attributes) / len(first) - 0.01 * depth)
    return best


def _target(candidate: NetworkClass, arguments: Mapping[str, Any]) -> str:
    changed = {
        name: value
        for name, value in arguments.items()
        if name in candidate.needed or candidate.defaults.get(name) != value
    }
    words = ", ".join(f"{name}={value!r}" for name, value in changed.items())
    return f"{candidate.file}::{candidate.name}({words})"


_Shapes = dict[str, tuple[int, ...]]


class _Trials:
    """Networks of one class, built with different arguments."""

    def __init__(self, file: Architecture, candidate: NetworkClass, show: Show, deadline: float) -> None:
        self._file, self._candidate, self._show, self._deadline = file, candidate, show, deadline
        self._built: dict[str, Architecture | None] = {}
        self._stored = _shapes(file)
        self._undetermined: set[str] = set()

    def _build(self, arguments: Mapping[str, Any]) -> Architecture | None:
        target = _target(self._candidate, arguments)
        if target not in self._built and time.monotonic() < self._deadline:
            try:
                self._built[target] = self._show(target)
            except CutawayError:
                self._built[target] = None
        return self._built.get(target)

    def solved(self) -> Match | None:
        """Return the class with the arguments that fit best."""
        match = self._best()
        if match is None:
            return None
        for name in match.arguments:
            if name in self._candidate.needed and name not in self._undetermined:
                self._solve(name, dict(match.arguments))
        open_ones = [name for name in match.arguments if name in self._undetermined]
        return Match(match.candidate, match.arguments, match.fit, tuple(open_ones))

    def _best(self) -> Match | None:
        arguments = {**dict.fromkeys(self._candidate.needed, _FIRST_TRY), **self._candidate.defaults}
        network = self._build(arguments)
        if network is None:
            return None
        best = Match(self._candidate, dict(arguments), fit(network, self._file))
        for _ in range(_ROUNDS):
            before = dict(arguments)
            for name in arguments:
                if best.is_exact or time.monotonic() > self._deadline:
                    return best
                self._solve(name, arguments)
                network = self._build(arguments)
                if network is None:
                    arguments.update(before)
                    continue
                now = Match(self._candidate, dict(arguments), fit(network, self._file))
                if _rank(now) >= _rank(best):
                    best = now
                else:
                    arguments.update(best.arguments)
            if arguments == before:
                break
        return best

    def _solve(self, name: str, arguments: dict[str, Any]) -> None:
        """Set an argument to the value that most sizes and numbers of layers ask for."""
        value = arguments[name]
        if type(value) is bool:
            if self._is_better({**arguments, name: not value}, arguments):
                arguments[name] = not value
            return
        if type(value) is not int or value <= 0:
            return
        here = self._build(arguments)
        for other in (value * 2, value + 1, max(1, value // 2)):
            there = self._build({**arguments, name: other}) if other != value else None
            if here is None or there is None:
                continue
            if _shapes(here) == _shapes(there):
                self._undetermined.add(name)
                return
            votes = _votes(_shapes(here), _shapes(there), self._renamed(here), value, other)
            if votes:
                for wanted, _ in votes.most_common(3):
                    if wanted == value or self._build({**arguments, name: wanted}) is not None:
                        arguments[name] = wanted
                        return

    def _is_better(self, these: Mapping[str, Any], those: Mapping[str, Any]) -> bool:
        one, other = self._build(these), self._build(those)
        if one is None or other is None:
            return other is None and one is not None
        left, right = (Match(self._candidate, a, fit(n, self._file)) for a, n in ((these, one), (those, other)))
        return _rank(left) > _rank(right)

    def _renamed(self, network: Architecture) -> _Shapes:
        """Return the stored sizes under the names that they have without what wrappers put before them."""
        found = fit(network, self._file)
        words = re.fullmatch(r"without '(.*)'", found.renaming)
        if words is None:
            return self._stored
        return {name.removeprefix(words[1]): shape for name, shape in self._stored.items()}


def _rank(match: Match) -> tuple[int, int, int]:
    found = match.fit
    return (-len(found.missing) - len(found.unexpected), found.matched, found.known)


def _shapes(network: Architecture) -> _Shapes:
    return {
        weight.name: tuple(size for size in weight.shape if isinstance(size, int))
        for weight in network.weights
        if weight.shape is not None and all(isinstance(size, int) for size in weight.shape)
    }


def _votes(here: _Shapes, there: _Shapes, stored: _Shapes, value: int, other: int) -> Counter[int]:
    """Return the values of an argument that sizes and numbers of layers ask for, as if they followed it in a line."""
    votes: Counter[int] = Counter()
    for name, shape in here.items():
        changed, wanted = there.get(name), stored.get(name)
        if changed is None or wanted is None or not len(shape) == len(changed) == len(wanted):
            continue
        for before, after, asked in zip(shape, changed, wanted):
            _vote(votes, before, after, asked, value, other)
    counts = [Counter(_INDEX.sub("#", name) for name in each) for each in (here, there, stored)]
    for pattern, count in counts[0].items():
        if "#" in pattern and counts[2][pattern]:
            _vote(votes, count, counts[1][pattern], counts[2][pattern], value, other)
    return votes


def _vote(votes: Counter[int], before: int, after: int, asked: int, value: int, other: int) -> None:
    if before == after:
        return
    numerator, denominator = (asked - before) * (other - value), after - before
    if numerator % denominator == 0 and value + numerator // denominator > 0:
        votes[value + numerator // denominator] += 1
    # A number of patches follows the square of an image's size.
    square, rest = divmod((asked - before) * (other**2 - value**2), after - before)
    root = math.isqrt(max(0, value**2 + square))
    if rest == 0 and root > 0 and root**2 == value**2 + square:
        votes[root] += 1
