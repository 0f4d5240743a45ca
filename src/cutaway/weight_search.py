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
from contextlib import AbstractContextManager, ExitStack
from fractions import Fraction
from typing import Any

from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError
from cutaway.core.record import dataclass
from cutaway.interp.analysis.options import Options
from cutaway.interp.analysis.pipeline import analyse
from cutaway.interp.analysis.single_run import builds
from cutaway.passes.weight_fit import WeightFit, fit
from cutaway.syntax.network_classes import NetworkClass, network_classes
from cutaway.syntax.target import parse_target

Show = Callable[[str], Architecture]
Opened = Callable[[str], AbstractContextManager[Show]]
_ABSENT = object()
_INDEX = re.compile(r"\d+")
_FIRST_TRY, _SECOND_TRY = 8, 64
_DIVISORS = (1, 2, 4, 8)
_PARTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64)
_MOST_PARTS = 128
_ROUNDS = 5
_MOST_CANDIDATES = 6
_MOST_BUILT = 200
_ALIKE = 0.3


@dataclass(frozen=True, slots=True)
class Match:
    """A class with arguments, and how the weights fit it."""

    candidate: NetworkClass
    arguments: Mapping[str, Any]
    fit: WeightFit
    file: Architecture
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


class Builders:
    """Builds networks: of each file in one analysis that stays open, and of a target in one of its own."""

    def __init__(self, opened: Opened, show: Show) -> None:
        self._opened, self._show = opened, show
        self._analyses = ExitStack()
        self._files: dict[str, Show] = {}

    def build(self, file: str, expression: str) -> Architecture:
        """Build a network of a file whose modules may have been evaluated for others."""
        if file not in self._files:
            self._files[file] = self._analyses.enter_context(self._opened(file))
        return self._files[file](expression)

    def verified(self, match: Match) -> Match:
        """Return a match as an analysis of its own sees it: others may have left something behind."""
        try:
            return Match(match.candidate, match.arguments, fit(self._show(match.target), match.file), match.file)
        except CutawayError:
            return match

    def close(self) -> None:
        """End all analyses."""
        self._analyses.close()


def matches(file: Architecture, files: Iterable[str], options: Options) -> list[Match]:
    """Return the classes in files of Python that weights may belong to, with their arguments, the best first."""

    def opened(name: str) -> AbstractContextManager[Show]:
        return builds(parse_target(name), options)

    def built(target: str) -> Architecture:
        return analyse(parse_target(target), options)[0]  # conditions of its forward do not matter

    classes = [each for name in files if name.endswith(".py") for each in network_classes(name)]
    return search(file, classes, Builders(opened, built), options.seconds or 0.0)


def search(file: Architecture, classes: Iterable[NetworkClass], builders: Builders, seconds: float) -> list[Match]:
    """Return the classes that weights may belong to, the best first.

    All that are alike by the names of attributes are built once; those that come nearest are solved.
    """
    try:
        return _search(file, classes, builders, seconds)
    finally:
        builders.close()


def _search(file: Architecture, classes: Iterable[NetworkClass], builders: Builders, seconds: float) -> list[Match]:
    now = time.process_time()
    names = [weight.name for weight in file.weights]
    ranked = sorted(((_likeness(each, names), each) for each in classes), key=lambda pair: -pair[0])
    alike = [each for likeness, each in ranked if likeness >= _ALIKE][:_MOST_BUILT]
    nearest: list[tuple[tuple[float, ...], Trials]] = []
    for each in alike:
        trials = Trials(file, each, builders, now + seconds)
        nearness = trials.nearness(now + seconds / 2)
        nearest.append((nearness, trials))
    matches: list[Match] = []
    for _, trials in sorted(nearest, key=lambda pair: pair[0], reverse=True)[:_MOST_CANDIDATES]:
        match = trials.solved()
        if match is not None:
            matches.append(match)
            if match.is_exact:
                break
    if alike and not matches and time.process_time() > now + seconds / 2:
        raise CutawayError("the time limit ended the search before a class was tried; --timeout gives it more")
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
_Place = tuple[str, int | None]
"""An argument, or the number at a place of a list that is one."""


class Trials:
    """Networks of one class, built with different arguments."""

    def __init__(self, file: Architecture, candidate: NetworkClass, builders: Builders, deadline: float) -> None:
        self._file, self._candidate, self._builders, self._deadline = file, candidate, builders, deadline
        self._built: dict[str, Architecture | None] = {}
        self._stored = _shapes(file)
        self._undetermined: set[str] = set()
        self._first = {**dict.fromkeys(candidate.needed, _FIRST_TRY), **candidate.defaults}

    def _build(self, arguments: Mapping[str, Any]) -> Architecture | None:
        target = _target(self._candidate, arguments)
        if target not in self._built and time.process_time() < self._deadline:
            try:
                network = self._builders.build(self._candidate.file, target.rpartition("::")[2])
                is_whole = not network.diagnostics or all(module.complete for module in network.modules)
                self._built[target] = network if is_whole else None  # its constructor raises
            except CutawayError:
                self._built[target] = None
        return self._built.get(target)

    def nearness(self, deadline: float) -> tuple[float, ...]:
        """Return how near the class comes with its defaults; one that can't be built, or not in time, is the farthest."""
        network = self._build(self._first) if time.process_time() < deadline else None
        if network is None and self._candidate.needed and time.process_time() < deadline:
            self._first.update(dict.fromkeys(self._candidate.needed, _SECOND_TRY))
            network = self._build(self._first)
        if network is None:
            return (-math.inf,)
        kinds = [{_INDEX.sub("#", weight.name) for weight in side.weights} for side in (network, self._file)]
        return (-len(kinds[0] ^ kinds[1]), *_rank(self._match(self._first, network)))

    def _match(self, arguments: Mapping[str, Any], network: Architecture) -> Match:
        return Match(self._candidate, dict(arguments), fit(network, self._file), self._file)

    def _tried(self, arguments: Mapping[str, Any]) -> Match | None:
        network = self._build(arguments)
        return None if network is None else self._match(arguments, network)

    def solved(self) -> Match | None:
        """Return the class with the arguments that fit best, as an analysis of its own sees it."""
        best = self._best()
        if best is None:
            return None
        best = self._simplified(best)
        chosen = [
            name for name, value in best.arguments.items() if self._candidate.defaults.get(name, _ABSENT) != value
        ]
        places = self._places(best.arguments)
        for name in chosen:
            if (name, None) in places:
                self._asked((name, None), best.arguments)
        found = self._builders.verified(best)
        open_ones = tuple(name for name in chosen if name in self._undetermined)
        return Match(found.candidate, found.arguments, found.fit, found.file, open_ones)

    def _best(self) -> Match | None:
        best = self._tried(self._first)
        if best is None:
            return None
        for _ in range(_ROUNDS):
            if best.is_exact or time.process_time() > self._deadline:
                break
            before = best
            best = self._with_replaced_numbers(best)
            if not best.is_exact:
                best = self._with_solved_numbers(best)
            if not best.is_exact:
                best = self._with_options(best)
            if not best.is_exact:
                best = self._with_parts(best)
            if best.arguments == before.arguments:
                break
        return best

    def _simplified(self, best: Match) -> Match:
        """Return a match with arguments as they were at first, where that fits as well."""
        for name, value in self._first.items():
            changed = {**best.arguments, name: value}
            match = self._tried(changed) if changed != best.arguments else None
            if match is not None and _rank(match) >= _rank(best):
                best = match
        return best

    def _with_replaced_numbers(self, best: Match) -> Match:
        """Replace numbers that are sizes or numbers of layers of the network by those that the file has in their place."""
        network = self._build(best.arguments)
        wanted = _differences(_shapes(network), self._renamed(network)) if network is not None else {}
        changes = {n: wanted[v] for n, v in best.arguments.items() if type(v) is int and v in wanted}
        best = self._better(best, [{**best.arguments, **changes}])
        if not best.is_exact:
            for name, value in changes.items():
                best = self._better(best, [{**best.arguments, name: value}])
        return best

    def _with_solved_numbers(self, best: Match) -> Match:
        """Set all numbers to what sizes and numbers of layers ask for, together, then one by one."""
        asked: dict[_Place, list[_Number]] = {}
        for place in self._places(best.arguments):
            if time.process_time() > self._deadline:
                break
            asked[place] = self._asked(place, best.arguments)
        proposal = dict(best.arguments)
        for place, values in asked.items():
            if values:
                proposal = _with(proposal, *place, values[0])
        best = self._better(best, [proposal, *self._repaired(proposal, best.arguments)])
        for place, values in asked.items():
            for value in values:
                if best.is_exact or time.process_time() > self._deadline:
                    return best
                changed = _with(best.arguments, *place, value)
                best = self._better(best, [changed, *self._repaired(changed, best.arguments)])
        return best

    def _with_parts(self, best: Match) -> Match:
        """Try numbers of heads or groups, which sizes follow inversely."""
        for name, value in [*best.arguments.items()]:
            if type(value) is int and 0 < value <= _MOST_PARTS and name not in self._undetermined:
                for number in _PARTS:
                    if not best.is_exact and time.process_time() < self._deadline:
                        best = self._better(best, [{**best.arguments, name: number}])
        return best

    def _with_options(self, best: Match) -> Match:
        """Switch what is True or False, and give numbers to what is None, where that fits better."""
        if not (best.fit.missing or best.fit.unexpected):
            names = [name for name, value in best.arguments.items() if value is None]
        else:
            names = [name for name, value in best.arguments.items() if type(value) is bool or value is None]
        for name in names:
            if best.is_exact or time.process_time() > self._deadline:
                break
            value = best.arguments[name]
            changed = {**best.arguments, name: not value if type(value) is bool else _FIRST_TRY}
            here, there = self._build(best.arguments), self._build(changed)
            if here is None or there is None or _shapes(here) == _shapes(there):
                continue
            values = [] if type(value) is bool else self._asked((name, None), changed)
            best = self._better(best, [changed, *({**best.arguments, name: each} for each in values)])
        return best

    def _better(self, best: Match, others: Iterable[Mapping[str, Any]]) -> Match:
        """Return the best of a match and others; the first of these that can be built is the last that is tried."""
        for arguments in others:
            match = self._tried(arguments) if arguments != best.arguments else None
            if match is not None:
                return match if _rank(match) > _rank(best) else best
        return best

    def _repaired(self, arguments: Mapping[str, Any], before: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
        """Yield arguments with other numbers that no size shows, such as one of heads that must divide a width."""
        unchanged = [name for name, value in arguments.items() if value == before[name] and _is_number_of_parts(value)]
        hidden = [name for name in unchanged if name in self._undetermined]
        if self._build(arguments) is not None:
            return
        for number in _DIVISORS:
            if len(hidden) > 1:
                yield {**arguments, **{name: _filled(arguments[name], number) for name in hidden}}
            for name in (*hidden, *(name for name in unchanged if name not in hidden)):
                yield {**arguments, name: _filled(arguments[name], number)}

    def _places(self, arguments: Mapping[str, Any]) -> list[_Place]:
        """Return where numbers are that sizes may follow; those that none follows are left out once that is known."""
        found: list[_Place] = []
        for name, value in arguments.items():
            if name in self._undetermined:
                continue
            if type(value) in (list, tuple) and value and all(type(each) is int and each > 0 for each in value):
                found += [(name, at) for at in range(len(value))]
            elif (type(value) is int and value > 0) or (type(value) is float and value > 0):
                found.append((name, None))
        return found

    def _asked(self, place: _Place, arguments: Mapping[str, Any]) -> list[_Number]:
        """Return the values of a number that most sizes and numbers of layers ask for, if it is to change."""
        name, at = place
        value = arguments[name] if at is None else arguments[name][at]
        here = self._build(arguments)
        for other in _others(value):
            there = self._build(_with(arguments, name, at, other))
            if here is None or there is None:
                continue
            if _shapes(here) == _shapes(there):
                if at is None or all(self._is_hidden_at(name, i, arguments) for i in range(len(arguments[name]))):
                    self._undetermined.add(name)
                return []
            votes = _votes(_shapes(here), _shapes(there), self._renamed(here), value, other)
            return [wanted for wanted, _ in votes.most_common(3) if wanted != value]
        self._undetermined.add(name)  # no other value is allowed beside the rest
        return []

    def _is_hidden_at(self, name: str, at: int, arguments: Mapping[str, Any]) -> bool:
        here = self._build(arguments)
        there = self._build(_with(arguments, name, at, arguments[name][at] * 2))
        return here is not None and (there is None or _shapes(here) == _shapes(there))

    def _renamed(self, network: Architecture) -> _Shapes:
        """Return the stored sizes under the names that they have without what wrappers put before them."""
        found = fit(network, self._file)
        words = re.fullmatch(r"without '(.*)'", found.renaming)
        if words is None:
            return self._stored
        return {name.removeprefix(words[1]): shape for name, shape in self._stored.items()}


def _others(value: _Number) -> list[_Number]:
    """Return values to compare one with: a multiple first, since many numbers must be multiples of others."""
    if type(value) is int and value <= _MOST_PARTS:
        return [value + 1, value * 2, *([value // 2] if value > 1 else [])]
    return [value * 2, value + 1, *([value // 2] if type(value) is int else [])]


def _is_number_of_parts(value: Any) -> bool:
    """Tell whether a value may be a number of heads or groups, or a list of such."""
    numbers = value if type(value) in (list, tuple) else [value]
    return bool(numbers) and all(type(each) is int and 1 < each <= _MOST_PARTS for each in numbers)


def _filled(value: Any, number: int) -> Any:
    return type(value)([number] * len(value)) if type(value) in (list, tuple) else number


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


def _rank(match: Match) -> tuple[int, int, int, int]:
    """Return how well weights fit: by their names, then by the sizes that differ."""
    found = match.fit
    differing = sum(
        sum(a != b for a, b in zip(wanted, stored)) if len(wanted) == len(stored) else max(len(wanted), len(stored))
        for _, wanted, stored in found.resized
        if wanted is not None and stored is not None
    )
    return (-len(found.missing) - len(found.unexpected), -differing, found.matched, found.known)


def _shapes(network: Architecture) -> _Shapes:
    return {
        weight.name: tuple(size for size in weight.shape if isinstance(size, int))
        for weight in network.weights
        if weight.persistent and weight.shape is not None and all(isinstance(size, int) for size in weight.shape)
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
