"""From a target to its networks: evaluate, choose, run forward, read off."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from cutaway.core.architecture import EVALUATION, TRAINING, Architecture, Note, OtherMode
from cutaway.core.condition import MODE, Decisions
from cutaway.core.record import replace
from cutaway.core.unknown import Exhausted
from cutaway.interp.analysis import target_errors
from cutaway.interp.analysis.options import Options
from cutaway.interp.analysis.single_run import DecidedRuns, Result, analyse_with_retry
from cutaway.syntax import source
from cutaway.syntax.target import Target, TargetError

if TYPE_CHECKING:
    from cutaway.core.variant import Fold


CompareModes = Callable[[Architecture, Architecture], OtherMode]
"""Tells how a network, the second, differs in the mode that is not shown from the first."""


KnownShare = Callable[[Architecture], float]
"""Tells how much of a network is known, 1 where all of it is."""


def analyse(
    target: Target,
    options: Options,
    fold: Fold | None = None,
    compare_modes: CompareModes | None = None,
    known_share: KnownShare | None = None,
) -> list[Architecture]:
    """Return every network that a target names.

    `fold` merges the variants of a network that has conditions, `compare_modes` tells how one differs in the mode that is
    not shown, if it tests its mode. With `known_share`, a network with missing arguments is shown with examples of them
    where more of it is known then than with symbols.
    """
    started = time.monotonic(), time.process_time()
    deadline = None if options.seconds is None else started[0] + options.seconds
    assumed = {text: holds for text, holds in options.assumed.items() if type(holds) is bool}
    if fold is None:
        return [result.architecture for result in analyse_with_retry(target, options, _first_look(assumed))]
    used: set[str] = set()

    def explore(named: Target, deadline: float | None = deadline, options: Options = options) -> Architecture:
        runs = DecidedRuns(named, options, deadline, used)
        return _explored(runs, assumed, fold, compare_modes, deadline)

    if target.expression:
        explored = [explore(target), *(explore(named) for named in _instances(target))]
        target_errors.unused(target, [name for name in options.assumed if name not in used], explored)
        return explored
    architectures: list[Architecture] = []
    first_look = _first_look(assumed)
    try:
        results = analyse_with_retry(target, options, first_look)
    except TargetError:
        if options.argv is not None or not first_look.command_lines:
            raise
        seconds = None if deadline is None else max(1.0, (deadline - time.monotonic()) / len(first_look.command_lines))
        options = replace(options, seconds=seconds)
        return _for_each_command_line(target, options, first_look.command_lines, fold, compare_modes, known_share)
    search_end = time.process_time() + _SEARCH_SECONDS
    for result in results:
        architecture = result.architecture
        left = max(0.0, search_end - time.process_time()) * _slowness(*started)
        until = _earlier(deadline, time.monotonic() + (left if result is results[-1] else left / 2))
        needs_examples = result.needs_arguments and not options.assumed
        if _is_explored(result, until):
            explored_until = _half_way_to(until) if needs_examples else until
            with suppress(TargetError, Exhausted):  # the first look at it is shown
                architecture = replace(
                    explore(replace(target, expression=result.name), explored_until), target=target.text
                )
        if needs_examples and not _is_past(until):
            architecture = _with_examples(
                architecture,
                lambda: explore(replace(target, expression=result.name), until, replace(options, concrete=True)),  # noqa: B023 -- called at once
                known_share,
            )
        architectures.append(architecture)
    target_errors.unused(target, [name for name in options.assumed if name not in used], architectures)
    return architectures


def _explored(
    runs: DecidedRuns,
    assumed: dict[str, bool],
    fold: Fold,
    compare_modes: CompareModes | None,
    deadline: float | None,
) -> Architecture:
    """Return a network with all its conditions, and how it differs in the mode that is not shown."""
    # late: a target without an expression may have no conditions
    from cutaway.interp.symbolic.exploration import explore as explore_conditions

    shown = explore_conditions(runs, assumed, fold, deadline)
    if compare_modes is None or shown.mode is None or not _tests_mode(shown):
        return shown
    other = EVALUATION if shown.mode == TRAINING else TRAINING
    try:
        hidden = explore_conditions(runs.in_mode(other == TRAINING), assumed, fold, deadline)
    except TargetError as error:
        return replace(shown, other_mode=OtherMode(other, (Note(f"can't be shown: {error}"),)))
    return replace(shown, other_mode=compare_modes(shown, hidden))


def _with_examples(
    shown: Architecture, with_examples: Callable[[], Architecture], known_share: KnownShare | None
) -> Architecture:
    """Return a network with examples of its arguments, if more of it is known then; they are no reason for a fault."""
    known = 1.0 if known_share is None else known_share(shown)
    if known_share is None or known == 1:
        return shown
    try:
        other = with_examples()
    except (TargetError, Exhausted):
        return shown
    is_better = not other.diagnostics and known_share(other) > known
    return replace(other, target=shown.target) if is_better else shown


def _for_each_command_line(
    target: Target,
    options: Options,
    command_lines: Sequence[tuple[str, ...]],
    fold: Fold,
    compare_modes: CompareModes | None,
    known_share: KnownShare | None,
) -> list[Architecture]:
    """Return the networks of a program for each of the arguments that it may be started with."""
    architectures: list[Architecture] = []
    errors: list[TargetError] = []
    for argv in command_lines:
        try:
            found = analyse(target, replace(options, argv=argv), fold, compare_modes, known_share)
        except TargetError as error:
            errors.append(error)
            continue
        words = " ".join(argv)
        architectures += [replace(each, name=f"{each.name} -- {words}") for each in found]
    if not architectures:
        raise errors[0]
    return architectures


_SEARCH_SECONDS = 20.0
"""Processor time that the conditions and arguments of all networks of a file may take, after a first look: nobody has asked
for one of them."""


def _slowness(started: float, processor_started: float) -> float:
    """Return how much longer processor time takes than it should: other programs use the machine, too."""
    processor_seconds = time.process_time() - processor_started
    return max(1.0, (time.monotonic() - started) / max(processor_seconds, 0.01))


def _earlier(deadline: float | None, other: float) -> float:
    return other if deadline is None else min(deadline, other)


def _is_past(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def _half_way_to(deadline: float) -> float:
    return (time.monotonic() + deadline) / 2


def _is_explored(result: Result, deadline: float | None) -> bool:
    """Tell whether a network has conditions, can be found again by its name, and there is time for that."""
    is_named = result.is_local or result.name.isidentifier()
    return is_named and not _is_past(deadline) and (result.has_conditions or _tests_mode(result.architecture))


def _tests_mode(architecture: Architecture) -> bool:
    return any(condition.kind == MODE for condition in architecture.conditions)


def _first_look(assumed: dict[str, bool]) -> Decisions:
    """Return decisions that follow no conditions but those that the user has decided."""
    first = Decisions(assumed, follows=False)
    first.given = assumed
    return first


def _instances(target: Target) -> list[Target]:
    """Return the instances that a file creates from the named class or function."""
    if target.file is None or not target.expression.isidentifier() or target.file == "-":
        return []
    tree = source.parse(source.read(target.file), target.file)
    targets: list[Target] = []
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(target.expression)]):
                return []  # it is called, not made
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name(function), args, keywords)):
                if function == target.expression and (args or keywords):
                    targets.append(replace(target, expression=name))
    return targets
