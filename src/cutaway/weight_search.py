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
from fractions import Fraction
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
_MOST_BUILT = 200
_ALIKE = 0.3


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
    """Return the classes that weights may belong to, the best first.

    All that are alike by the names of attributes are built once; those that come nearest are solved.
    """
    now = time.monotonic()
    names = [weight.name for weight in file.weights]
    ranked = sorted(((_likeness(each, names), each) for each in classes), key=lambda pair: -pair[0])
    alike = [each for likeness, each in ranked if likeness >= _ALIKE][:_MOST_BUILT]
    nearest: list[tuple[tuple[float, ...], _Trials]] = []
    for each in alike:
        trials = _Trials(file, each, show, now + seconds)
        nearness = trials.nearness(now + seconds / 2)
        nearest.append((nearness, trials))
        if nearness[0] == 0:  # it has all kinds of layers: their sizes and numbers may be all that differs
            match = trials.substituted()
            if match is not None and match.is_exact:
                return [trials.with_undetermined(match)]
    matches: list[Match] = []
    for _, trials in sorted(nearest, key=lambda pair: pair[0], reverse=True)[:_MOST_CANDIDATES]:
        match = trials.solved()
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
    given = f"{candidate.configuration}({words})" if candidate.configuration else words
    return f"{candidate.file}::{candidate.name}({given})"


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

    def nearness(self, deadline: float) -> tuple[float, ...]:
        """Return how near the class comes with its defaults; one that can't be built, or not in time, is the farthest."""
        network = self._build(self._first) if time.monotonic() < deadline else None
        if network is None:
            return (-math.inf,)
        found = fit(network, self._file)
        kinds = [{_INDEX.sub("#", weight.name) for weight in side.weights} for side in (network, self._file)]
        return (-len(kinds[0] ^ kinds[1]), *_rank(Match(self._candidate, self._first, found)))

    @property
    def _first(self) -> dict[str, Any]:
        return {**dict.fromkeys(self._candidate.needed, _FIRST_TRY), **self._candidate.defaults}

    def solved(self) -> Match | None:
        """Return the class with the arguments that fit best."""
        match = self._best()
        return None if match is None else self.with_undetermined(match)

    def with_undetermined(self, match: Match) -> Match:
        """Return a match with the needed arguments that no weight depends on."""
        for name in match.arguments:
            if name in self._candidate.needed and name not in self._undetermined:
                self._solve(name, dict(match.arguments))
        open_ones = [name for name in match.arguments if name in self._undetermined]
        return Match(match.candidate, match.arguments, match.fit, tuple(open_ones))

    def substituted(self) -> Match | None:
        """Return the class with numbers replaced by those that the file has in their place."""
        arguments = self._first
        for _ in range(2):
            self._substitute(arguments)
        network = self._build(arguments)
        return None if network is None else Match(self._candidate, dict(arguments), fit(network, self._file))

    def _best(self) -> Match | None:
        best = self.substituted()
        if best is None:
            return None
        arguments = dict(best.arguments)
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

    def _substitute(self, arguments: dict[str, Any]) -> None:
        """Replace numbers that are sizes or numbers of layers of the network by those that the file has in their place."""
        network = self._build(arguments)
        wanted = _differences(_shapes(network), self._renamed(network)) if network is not None else {}
        changes = {n: wanted[value] for n, value in arguments.items() if type(value) is int and value in wanted}
        for name, value in changes.items():
            if self._is_better({**arguments, name: value}, arguments):
                arguments[name] = value
        if len(changes) > 1 and self._is_better({**arguments, **changes}, arguments):
            arguments.update(changes)  # some go together only

    def _solve(self, name: str, arguments: dict[str, Any]) -> None:
        """Set an argument to the value that most sizes and numbers of layers ask for."""
        value = arguments[name]
        if type(value) is bool:
            if self._is_better({**arguments, name: not value}, arguments):
                arguments[name] = not value
        elif type(value) in (list, tuple) and value and all(type(each) is int and each > 0 for each in value):
            for at in range(len(value)):
                self._solve_number(name, arguments, at)
        elif (type(value) is int and value > 0) or type(value) is float:
            self._solve_number(name, arguments, None)
        elif value is None:
            self._solve_absent(name, arguments)

    def _solve_absent(self, name: str, arguments: dict[str, Any]) -> None:
        """Give an argument a number that is None otherwise, if that fits better."""
        with_number = {**arguments, name: _FIRST_TRY}
        here, there = self._build(arguments), self._build(with_number)
        if here is None or there is None or _shapes(here) == _shapes(there):
            return
        self._solve_number(name, with_number, None)
        if self._is_better(with_number, arguments):
            arguments[name] = with_number[name]

    def _solve_number(self, name: str, arguments: dict[str, Any], at: int | None) -> None:
        """Solve a number, or the one at a place of a list."""
        value = arguments[name] if at is None else arguments[name][at]
        here = self._build(arguments)
        for other in (value * 2, value + 1, max(1, value // 2)):
            there = self._build(_with(arguments, name, at, other)) if other != value else None
            if here is None or there is None:
                continue
            if _shapes(here) == _shapes(there):
                if at is None:
                    self._undetermined.add(name)
                return
            votes = _votes(_shapes(here), _shapes(there), self._renamed(here), value, other)
            for wanted, _ in votes.most_common(3):
                changed = _with(arguments, name, at, wanted)
                if wanted == value or self._build(changed) is not None:
                    arguments[name] = changed[name]
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


def _differences(shapes: _Shapes, stored: _Shapes) -> dict[int, int]:
    """Return sizes and numbers of layers of a network, with those that a file mostly has in their place."""
    pairs: Counter[tuple[int, int]] = Counter()
    for name, shape in shapes.items():
        other = stored.get(name, shape)
        if len(other) == len(shape):
            pairs.update((mine, theirs) for mine, theirs in zip(shape, other) if mine != theirs)
    counts = [_numbers_of_layers(each) for each in (shapes, stored)]
    for path, mine in counts[0].items():
        theirs = counts[1].get(path, mine)
        if mine != theirs:
            pairs[mine, theirs] += 1
    return {mine: theirs for (mine, theirs), _ in reversed(pairs.most_common())}


def _numbers_of_layers(names: Iterable[str]) -> dict[str, int]:
    """Return how many items each list of modules has, by its path."""
    items: dict[str, set[str]] = {}
    for name in names:
        for match in _INDEX.finditer(name):
            items.setdefault(name[: match.start()], set()).add(match[0])
    return {path: len(several) for path, several in items.items()}


def _with(arguments: Mapping[str, Any], name: str, at: int | None, value: Any) -> dict[str, Any]:
    """Return arguments with another number, which may be one of a list."""
    if at is None:
        return {**arguments, name: value}
    items = arguments[name]
    return {**arguments, name: type(items)([*items[:at], value, *items[at + 1 :]])}


def _rank(match: Match) -> tuple[int, int, int]:
    found = match.fit
    return (-len(found.missing) - len(found.unexpected), found.matched, found.known)


def _shapes(network: Architecture) -> _Shapes:
    return {
        weight.name: tuple(size for size in weight.shape if isinstance(size, int))
        for weight in network.weights
        if weight.shape is not None and all(isinstance(size, int) for size in weight.shape)
    }


_Number = int | float


def _votes(here: _Shapes, there: _Shapes, stored: _Shapes, value: _Number, other: _Number) -> Counter[_Number]:
    """Return the values of an argument that sizes and numbers of layers ask for, as if they followed it in a line."""
    votes: Counter[_Number] = Counter()
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


def _vote(votes: Counter[_Number], before: int, after: int, asked: int, value: _Number, other: _Number) -> None:
    if before == after:
        return
    solved = Fraction(value) + Fraction(asked - before) * (Fraction(other) - Fraction(value)) / (after - before)
    if isinstance(value, float):
        if solved > 0:
            votes[float(solved.limit_denominator(1000))] += 1
        return
    if solved.denominator == 1 and solved > 0:
        votes[int(solved)] += 1
    # A number of patches follows the square of an image's size.
    square, rest = divmod((asked - before) * (int(other) ** 2 - value**2), after - before)
    root = math.isqrt(max(0, value**2 + square))
    if rest == 0 and root > 0 and root**2 == value**2 + square:
        votes[root] += 1
