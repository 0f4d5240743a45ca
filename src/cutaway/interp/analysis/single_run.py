"""One run of a program, with its conditions decided one way: find its networks and describe them."""

from __future__ import annotations

import gc
import os
import time
import typing
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from cutaway.core import context, disk, stack
from cutaway.core.architecture import Architecture
from cutaway.core.architecture import Note as ArchitectureNote
from cutaway.core.condition import Decisions, InputSeconds
from cutaway.core.context import CURRENT
from cutaway.core.error import describe_error
from cutaway.core.program import Record
from cutaway.core.record import dataclass, replace
from cutaway.core.session import Call, Reference, Session
from cutaway.core.size.dim import is_known
from cutaway.core.size.knowledge import SizeKnowledge
from cutaway.core.unknown import Exhausted, Undecidable, Unknown, decisions
from cutaway.interp.analysis import target_errors
from cutaway.interp.analysis.call_literals import literals
from cutaway.interp.analysis.discovery import (
    DESCRIBING_SECONDS,
    LocalNetworks,
    Network,
    classes_in,
    networks,
    networks_of_functions,
)
from cutaway.interp.analysis.forward_pass import repeat, run
from cutaway.interp.analysis.program_parts import note_parts, note_tensors, note_transient, note_untrained
from cutaway.interp.boundary import gate
from cutaway.interp.compile.compiler import PYTHON
from cutaway.interp.modules import loader
from cutaway.interp.modules.loader import Loader
from cutaway.interp.modules.main_block import has_main, run_main
from cutaway.interp.modules.module import RAISES, ModuleState
from cutaway.interp.run import budget, frame
from cutaway.interp.run.interpreter import Interpreter
from cutaway.interp.run.reach import in_own_code, in_program, runs, touched
from cutaway.interp.run.signature import signature
from cutaway.interp.run.silence import silence
from cutaway.interp.stdlib.modules import module as standard_module
from cutaway.interp.symbolic.snapshot import Snapshot
from cutaway.knowledge.base.framework import FRAMEWORKS
from cutaway.knowledge.base.read_off import diagnostics
from cutaway.syntax import resolve
from cutaway.syntax.target import Target, TargetError

if TYPE_CHECKING:
    pass
from cutaway.interp.analysis.options import Options
from cutaway.interp.analysis.target_value import call_arguments, evaluate_target, load_target


@dataclass(frozen=True, slots=True)
class Result:
    """A network of the target and its description; `has_conditions` tells that conditions in it could be followed.

    One that `is_local` is found again under its name, too. One that `needs_arguments` is of a class that requires some.
    """

    name: str
    architecture: Architecture
    has_conditions: bool
    is_local: bool = False
    needs_arguments: bool = False


def analyse_with_retry(
    target: Target, options: Options, decisions: Decisions, snapshot: Snapshot | None = None
) -> list[Result]:
    """Return every network that a target names, with conditions decided in one way.

    Where that may depend on when a module was evaluated, the analysis is repeated with every module evaluated where it is
    imported.
    """
    deadline = None if options.seconds is None else time.monotonic() + options.seconds
    with _new_analysis(options, decisions, snapshot) as session:
        try:
            return _analyse_once(target, options, session, snapshot)
        except _OutOfOrder as noticed:
            if deadline is not None and time.monotonic() > deadline:
                return noticed.result()
    if deadline is not None:
        options = replace(options, seconds=deadline - time.monotonic())
    with _new_analysis(options, decisions, lazy=False) as session:
        return _analyse_once(target, options, session, None)


class DecidedRuns:
    """Runs of one program with conditions decided in different ways; they continue from a snapshot of the program."""

    def __init__(self, target: Target, options: Options, deadline: float | None, used: set[str]) -> None:
        self._target, self._options, self._deadline = target, options, deadline
        self._used = used  # assumptions of the user that some run asked for
        self._snapshot = Snapshot()
        self._input_seconds = InputSeconds()

    def in_mode(self, train: bool) -> DecidedRuns:
        """Return runs of the same program that show its network in training, or in evaluation mode."""
        runs = DecidedRuns(self._target, replace(self._options, train=train), self._deadline, self._used)
        runs._snapshot, runs._input_seconds = self._snapshot, self._input_seconds
        return runs

    def __call__(self, decisions: Decisions) -> list[Architecture]:
        """Run the program with these decisions."""
        seconds_left = None if self._deadline is None else max(1.0, self._deadline - time.monotonic())
        decisions.used, decisions.input_seconds = self._used, self._input_seconds
        self._snapshot.continue_from(decisions)
        options = replace(self._options, seconds=seconds_left)
        try:
            results = analyse_with_retry(self._target, options, decisions, self._snapshot)
        finally:
            self._snapshot.is_wanted = True
        return [result.architecture for result in results]


class _OutOfOrder(Exception):
    """What was found may depend on the order in which modules are evaluated, which was not Python's."""

    def __init__(self, results: list[Result], error: TargetError | None) -> None:
        super().__init__()
        self.results, self.error = results, error

    def result(self) -> list[Result]:
        """Return the networks that were read all the same."""
        if self.error is not None:
            raise self.error
        return self.results


def _analyse_once(target: Target, options: Options, session: Session, snapshot: Snapshot | None) -> list[Result]:
    modules = loader.current()
    try:
        results, error = _read_networks(target, options, session, snapshot), None
    except TargetError as fault:
        results, error = [], fault
    if modules.waiting.out_of_order:
        raise _OutOfOrder(results, error)
    if error is not None:
        raise error
    return results


def _read_networks(target: Target, options: Options, session: Session, snapshot: Snapshot | None) -> list[Result]:
    if snapshot is not None and snapshot.state is not None:
        state = snapshot.state
        snapshot.restore(session)
    else:
        state = load_target(target, options)
    if target.expression:
        selected = [_named_network(state, target, options, session, snapshot)]
    elif options.record is not None:
        return _read_program(state, target, options, options.record, session)
    else:
        selected = _all_networks(state, target, session)
    if options.arguments is not None:
        options = replace(options, argument_values=call_arguments(state, target, options))
    return _read_off_each(selected, target, options, session)


def _read_program(
    state: ModuleState, target: Target, options: Options, record: Record, session: Session
) -> list[Result]:
    """Run a program as a whole, and return its networks; it may have none, and that is no error."""
    results: list[Result] = []
    session.is_explored = False
    try:
        try:
            with _following_gradients(session):
                state.run()
        except (Undecidable, Exhausted) as undecidable:
            session.note(undecidable.unknown)
        selected = _networks_of_script(state, session) if has_main(state) else list(networks(state, session))
        record.operations = tuple(session.operations)
        called = {id(call.module) for call in session.calls}
        shown = _classes_shown_by_calls(selected, session)
        for network in selected:
            note_parts(network, record, session)
            if type(network.value) in shown and network.name == type(network.value).__name__:
                continue  # the program itself calls one, with inputs of its own
            first = len(session.operations)
            with suppress(TargetError):  # the others are read all the same
                results += _read_off_each([network], target, options, session)
            if id(network.value) not in called:
                record.operations += tuple(session.operations[first:])
            note_tensors(network, record, session)
            note_untrained(network, record, session)
        note_transient(selected, record, session)
    finally:
        record.take(session, diagnostics(session))
    return results


@contextmanager
def _following_gradients(session: Session) -> Iterator[None]:
    """Run a part of the program itself, in which it is known what requires gradients."""
    session.follows_gradients = not session.is_explored and not session.gradients_lost
    try:
        yield
    finally:
        session.follows_gradients = False


def _classes_shown_by_calls(selected: list[Network], session: Session) -> set[type]:
    """Return the classes of networks that the program itself has called to the end, and of their parts."""
    completed = {
        id(call.module)
        for call in session.calls
        if call.stopped is None and call.outputs and not any(_has_unknown_shape(value) for _, value in call.outputs)
    }
    classes: set[type] = set()
    for network in selected:
        if id(network.value) in completed:
            with suppress(Exception, Undecidable, Exhausted):  # it is noted where the network is described
                classes.update(type(part) for part in network.framework.parts(network.value) if id(part) in completed)
    return classes


def _has_unknown_shape(value: Reference) -> bool:
    """Tell whether the shape of a value is not known."""
    return isinstance(value.shape, Unknown)


def _all_networks(state: ModuleState, target: Target, session: Session) -> list[Network]:
    """Return the networks of a module that are not losses."""
    selected = list(networks(state, session))
    is_complete = selected and not any(network.needs_arguments for network in selected)
    if has_main(state) and (not is_complete or any(framework.unbound() for framework in FRAMEWORKS)):
        selected = _networks_of_script(state, session) or selected
    selected = selected or list(networks_of_functions(state, session))
    losses = [network.name for network in selected if network.framework.is_loss(network.value) and not network.is_local]
    selected = [network for network in selected if not network.framework.is_loss(network.value)]
    if selected:
        return selected
    raise target_errors.only_losses(target, losses) if losses else target_errors.no_network(state, target, session)


def _named_network(
    state: ModuleState, target: Target, options: Options, session: Session, snapshot: Snapshot | None
) -> Network:
    """Return the network that an expression evaluates to, or the one of that name in a function of a script."""
    try:
        return evaluate_target(state, target, options, snapshot)
    except TargetError:
        built = _networks_of_script(state, session) if has_main(state) else []
        found = next((network for network in built if network.name == target.expression), None)
        if found is None:
            raise
        return found


_MAIN_SHARE, _FORWARD_SHARE = 0.3, 0.5  # of the time that is left, for the script, and for each of its networks


def _networks_of_script(state: ModuleState, session: Session) -> list[Network]:
    """Run a script, and return its networks with those that its functions build.

    A class that was shown with stand-ins for missing arguments is shown as the script creates it.
    """
    local = LocalNetworks()
    with budget.share(_MAIN_SHARE), local.collecting():
        try:
            with _following_gradients(session):
                run_main(state)
        except (Undecidable, Exhausted) as end:
            session.note(end.unknown)
    bound = list(networks(state, session))
    built = local.networks(bound)
    classes = {kind for network in built for kind in classes_in(network)}
    return [network for network in bound if not network.needs_arguments or type(network.value) not in classes] + built


def _read_off_each(selected: list[Network], target: Target, options: Options, session: Session) -> list[Result]:
    """Describe networks; inputs that match only some of them are left out for the others, which is noted there."""
    mismatches = [target_errors.input_mismatch(n.name, n.value, n.framework, options.inputs) for n in selected]
    first = next((error for error in mismatches if error is not None), None)
    if first is not None and all(mismatches):
        raise first
    results: list[Result] = []
    errors: list[TargetError] = []
    open_before = decisions().left_open
    for at, (network, error) in enumerate(zip(selected, mismatches)):
        decisions().input_seconds.networks = len(selected) - at
        if error is not None:
            with session.separate_notes(network.notes):
                session.unknown(str(error))
        applicable = options if error is None else replace(options, inputs=())
        conditions = decisions()
        conditions.left_open = False
        try:
            with budget.share(1.0 if network is selected[-1] else _FORWARD_SHARE):
                described = _read_off(network, target, applicable, session)
            is_open = network.needs_arguments or network.has_conditions or open_before or conditions.left_open
            results.append(Result(network.name, described, is_open, network.is_local, network.needs_arguments))
        except TargetError as fault:
            errors.append(fault)
    if not results:
        raise errors[0]
    notes = tuple(ArchitectureNote(str(fault)) for fault in errors)
    return [
        replace(result, architecture=replace(result.architecture, unknowns=result.architecture.unknowns + notes))
        for result in results
    ]


@contextmanager
def _new_analysis(
    options: Options,
    decided: Decisions | None = None,
    snapshot: Snapshot | None = None,
    lazy: bool = True,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Session]:
    """Install a fresh analysis, or one that continues from a snapshot, and restore the previous one afterwards."""
    session = Session(
        place=frame.place,
        signature=signature,
        literals=literals,
        tick=budget.tick,
        build=budget.build,
        module=lambda name: loader.current().source(name),
        evaluate_pending=lambda word: loader.current().waiting.evaluate_registering(word),
        touched=touched,
        in_own_code=in_own_code,
        in_program=in_program,
        runs=runs,
        recording=False,
        train=options.train,
        command_line=None if options.argv is None else ("", *options.argv),
        watched=options.watched,
        looks_beside=options.record is None,
        states_requirements=options.record is None,
        is_concrete=options.concrete,
    )
    for path in options.paths:
        if not disk.is_folder(path):
            raise target_errors.no_folder(path)
    folders = [os.path.abspath(path) for path in options.paths]
    if snapshot is not None and snapshot.modules is not None:
        modules = snapshot.modules
    else:
        modules = Loader(resolve.environment_folders(), PYTHON, standard_module, lazy)
        for folder in reversed(folders):
            modules.add_own(folder)
    analysis = CURRENT.get().derived(
        session=session,
        decisions=decided or Decisions(follows=False),
        interpreter=Interpreter(budget.Budget(options.seconds, clock=clock), modules),
        sizes=SizeKnowledge(),
    )
    thresholds = gc.get_threshold()
    gc.set_threshold(500_000, 50, 100)  # almost everything an analysis creates lives until its end
    try:
        with context.installed(analysis), stack.deep(), silence():
            session.facts.install()
            yield session
    finally:
        session.undo_changes()
        gc.set_threshold(*thresholds)
        gate.forget()
        for clear in getattr(typing, "_cleanups", ()):  # typing caches the target's classes, and through them all of it
            clear()


@contextmanager
def builds(target: Target, options: Options) -> Iterator[Callable[[str], Architecture]]:
    """Yield what builds networks of one program from expressions; the program's modules are evaluated once for all.

    What the constructor of one network changes, the next one meets. The time limit of all of them is processor time.
    """
    with _new_analysis(options, clock=time.process_time) as session:
        analysis = CURRENT.get()
        state = load_target(target, options)

        def build(expression: str) -> Architecture:
            named = replace(target, expression=expression)
            with context.installed(analysis), budget.share(_BUILD_SHARE):
                network = evaluate_target(state, named, options, None)
                (result,) = _read_off_each([network], named, options, session)
            return result.architecture

        yield build


_BUILD_SHARE = 0.5
"""Of the time that is left, for one of several networks."""


def _read_off(network: Network, target: Target, options: Options, session: Session) -> Architecture:
    """Run a network's forward and describe it."""
    framework = network.framework
    call = next((c for c in session.calls if c.module is network.value and c.depth == 0), None)
    with session.separate_notes(network.notes), session.scoped_facts():
        is_unsuitable = call is None or (call.given is None and options.train is not None)  # or in another mode
        if network.stopped is not None:
            decisions().raised = True
        elif not options.call:
            call = None
        elif options.inputs or options.argument_values is not None or is_unsuitable:
            try:
                call = run(network.value, network.framework, options.inputs, session, options.argument_values)
            except Exhausted as exhausted:
                session.note(exhausted.unknown)  # what is built is shown
        elif call is not None and call.given is not None:
            call = repeat(call, framework, session)
        if call is not None and call.caught is not None:
            session.findings.setdefault(call.caught)
        if call is not None and call.stopped is not None and call.stopped.reason.startswith(RAISES):
            decisions().raised = True
        _explain_outputs(call, session)
        session.assume_premises()
        try:
            with budget.separate_budget(DESCRIBING_SECONDS):
                architecture = framework.read_off(network.value, network.name, target.text, session, call)
                return (
                    architecture
                    if call is None or call.requires is None
                    else replace(architecture, requires=call.requires)
                )
        except (Exception, Undecidable, Exhausted) as error:
            if os.environ.get("CUTAWAY_DEBUG"):
                raise
            reason = error.unknown.reason if isinstance(error, (Undecidable, Exhausted)) else describe_error(error)
            raise TargetError(f"{target.text}: {network.name} can't be described: {reason}") from None


def _explain_outputs(call: Call | None, session: Session) -> None:
    """Record why an output is unknown, where nothing was recorded on the way to it."""
    for name, reference in (call.outputs if call else None) or ():
        of_output = f" {name}" if name else ""
        if isinstance(reference.shape, Unknown):
            session.note(reference.shape)
        elif not session.unknowns and not all(is_known(size) for size in reference.shape):
            session.unknown(f"a size of the output{of_output} depends on the numbers in tensors")
