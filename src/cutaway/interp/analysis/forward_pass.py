"""Running a network's forward: on inputs that are given, or on inputs that are assumed."""

from __future__ import annotations

import ast
import inspect
import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from cutaway.core.architecture import Note, Precondition
from cutaway.core.condition import MODE
from cutaway.core.error import describe_error, place_of
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.loop.series import Restart
from cutaway.core.place import Place
from cutaway.core.progress import PROGRESS
from cutaway.core.record import dataclass, field, replace
from cutaway.core.session import Call, Notes, Session
from cutaway.core.size import dim
from cutaway.core.size.facts import Facts
from cutaway.core.unknown import Exhausted, StartOver, Undecidable, Unknown, conditions_decided, decisions
from cutaway.interp.analysis import target_errors
from cutaway.interp.analysis.inputs.missing import MissingInputs, missing_inputs, options_without_value
from cutaway.interp.analysis.main_method import main_method_called
from cutaway.interp.boundary.certain_failures import certain_failure
from cutaway.interp.boundary.namespace import SimpleNamespace
from cutaway.interp.modules.module import RAISES, failure
from cutaway.interp.run import budget
from cutaway.interp.run.frame import Frame, entered
from cutaway.interp.run.function import record_of
from cutaway.interp.run.heap import Heap
from cutaway.interp.run.interpreter import interpreter
from cutaway.knowledge.base import input_conventions as conventions
from cutaway.knowledge.base.framework import FRAMEWORKS, Framework
from cutaway.syntax.argument_kinds import Kind
from cutaway.syntax.inputs import Input, TensorInput

if TYPE_CHECKING:
    from cutaway.interp.analysis.inputs.inference import Inferred, Rejected


def run(
    network: Any, framework: Framework, inputs: Sequence[Input], session: Session, arguments: Any = None
) -> Call | None:
    """Call a network and return the record of the call; what stops it is noted.

    `arguments` is a value of the target to call it with: one tensor, a sequence of positional arguments, or a
    dict of keyword arguments.
    """
    PROGRESS.doing = f"calling {type(network).__name__}"
    with main_method_called(network, framework, session) as can_be_called:
        if not can_be_called:
            return None
        if arguments is not None:
            return _with_arguments(network, framework, arguments, session)
        candidates = [] if inputs else _conventional_inputs(network, framework)
        if candidates:
            return _with_assumed(network, framework, candidates, session)
        return _with_inputs(network, framework, inputs, session)


def _with_arguments(network: Any, framework: Framework, arguments: Any, session: Session) -> Call | None:
    """Call a network with a value of the target."""
    call, error, place = _record_call(network, framework, *_split_arguments(arguments), session)
    if error is not None:
        unknown = failure(error, place)
        if call is not None:
            call.stopped = unknown
    return call


def repeat(call: Call, framework: Framework, session: Session) -> Call:
    """Repeat a call that the program makes, in the mode that the network is shown in; that call itself, if this raises."""
    assert call.given is not None, "the program makes it"
    notes = Notes()
    with session.separate_notes(notes):
        repeated, error, _ = _record_call(call.module, framework, list(call.given[0]), call.given[1], session)
    if repeated is None or error is not None or (repeated.outputs is None and call.outputs is not None):
        return call
    _add_notes(session, notes)
    return repeated


def _with_inputs(network: Any, framework: Framework, inputs: Sequence[Input], session: Session) -> Call | None:
    """Call a network with the inputs that the user gives; there are stand-ins for the missing ones."""
    with entered(_caller_frame(network, framework)), budget.separate_budget(_SETTINGS_SECONDS):
        args, kwargs = _given_arguments(network, framework, inputs)
    subject = _Subject(network, framework, args, kwargs, session)
    missing, inferred = _settle_missing(subject)
    for assumption in missing.assumptions:
        session.assume(assumption)
    if inferred is not None and inferred.fits:
        return _run_inferred(subject, missing, inferred)
    shapes: Mapping[str, Any] = {} if inferred is None else inferred.shapes
    dtypes: Mapping[str, str] = {} if inferred is None else inferred.dtypes
    with entered(_caller_frame(network, framework)), budget.separate_budget(_SETTINGS_SECONDS):
        tensors = {n: framework.tensor(shapes.get(n), dtypes.get(n, "float32"), n) for n in missing.tensors}
    notes = Notes()
    with session.separate_notes(notes):
        call, error, place = subject.call(missing, tensors)
    is_proven = inferred is not None and all(use.kind is Kind.TENSOR for use in missing.tensors.values())
    is_proven = is_proven and not _has_open_options(network)
    if is_proven and inferred is not None:
        _report_rejection(inferred, notes)
    if error is not None:
        unknown = _stop_reason(error, place, {} if is_proven else missing.options, notes, session)
        if call is not None:
            call.stopped = unknown
    _add_notes(session, notes)
    return call


def _has_open_options(network: Any) -> bool:
    """Tell whether a network keeps options of its constructor that are None unless somebody gives them."""
    record = record_of(getattr(type(network), "__init__", None))
    if record is None:
        return False
    options = [
        name for name, default in zip(reversed(record.code.positional), reversed(record.defaults)) if default is None
    ]
    return any(vars(network).get(name, network) is None for name in options)


@dataclass(frozen=True, slots=True)
class _Subject:
    """A network and the arguments that it is given."""

    network: Any
    framework: Framework
    args: list[Any]
    kwargs: dict[str, Any]
    session: Session
    none_errors: list[str] = field(default_factory=list)
    """What forward has raised because something is None, on inputs that were tried."""

    def missing(self, kinds: Mapping[str, Kind]) -> MissingInputs:
        """Return stand-ins for the other arguments of forward, some of them of kinds that are known by now."""
        with budget.separate_budget(_SETTINGS_SECONDS):
            return missing_inputs(self.network, self.framework, self.args, self.kwargs, self.session, kinds)

    def arguments(self, missing: MissingInputs, tensors: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return all arguments of a call, by position and by name."""
        positional, named = missing.arguments(tensors, self.kwargs)
        return [*self.args, *positional], named

    def call(
        self, missing: MissingInputs, tensors: Mapping[str, Any]
    ) -> tuple[Call | None, BaseException | None, Place]:
        """Call the network with these tensors, and with stand-ins for what else is missing."""
        args, kwargs = self.arguments(missing, tensors)
        chosen = [*tensors.values(), *(kwargs[name] for name in missing.templates if name in kwargs)]
        return _record_call(
            self.network, self.framework, args, kwargs, self.session, chosen if chosen or not (args or kwargs) else None
        )


def _settle_missing(subject: _Subject) -> tuple[MissingInputs, Inferred | Rejected | None]:
    """Return stand-ins for the missing arguments, and what running forward shows about the tensors among them.

    What nothing is known of is taken for a tensor at first. If forward then asks for the number in it, it is taken for
    an integer or another number; and for a list, where no tensor fits and forward indexes it.
    """
    missing = subject.missing({})
    inferred = _infer(subject, missing)
    open_names = [name for name, use in missing.tensors.items() if use.kind is None]
    if inferred is not None and inferred.fits:
        numbers = [name for name in open_names if name in inferred.numbers_read]
        if not numbers:
            return missing, inferred
        kinds = {name: Kind.INTEGER if name in inferred.indices_read else Kind.NUMBER for name in numbers}
        return _as_numbers(subject, kinds)
    needed = _with_needed_options(subject, missing, inferred)
    if needed is not None:
        return needed
    lists = [name for name in open_names if missing.tensors[name].indexed]
    if lists and inferred is not None:
        other = subject.missing(dict.fromkeys(lists, Kind.SEQUENCE))
        of_lists = _infer(subject, other)
        if of_lists is not None and of_lists.fits:
            return other, of_lists
    return missing, inferred


def _with_needed_options(
    subject: _Subject, missing: MissingInputs, rejected: Inferred | Rejected | None
) -> tuple[MissingInputs, Inferred] | None:
    """Return stand-ins that include arguments whose default is None, where forward raises because one of them is None."""
    if not subject.none_errors or (rejected is not None and rejected.fits):
        return None
    optional = options_without_value(subject.network, subject.framework, subject.kwargs)
    for name in optional[:_MOST_NEEDED_OPTIONS]:
        other = subject.missing({name: Kind.TENSOR})
        inferred = _infer(subject, other)
        if inferred is not None and inferred.fits:
            return other, inferred
    return None


_MOST_NEEDED_OPTIONS = 2
"""Arguments with the default None that are given, each by itself, where forward can't do without one."""


def _as_numbers(subject: _Subject, kinds: dict[str, Kind]) -> tuple[MissingInputs, Inferred | Rejected | None]:
    """Return stand-ins with numbers for some arguments; they are unknown where forward can't be followed with them."""
    missing = subject.missing(kinds)
    inferred = _infer(subject, missing)
    if inferred is not None and inferred.fits and not inferred.has_gap:
        return missing, inferred
    missing = subject.missing(dict.fromkeys(kinds, Kind.OTHER))
    return missing, _infer(subject, missing)


def _stop_reason(
    error: BaseException, place: Place, missing: Mapping[str, str], notes: Notes, session: Session
) -> Unknown:
    """Return why forward stopped: not by a fault of the network where the cause may be a stand-in for an input.

    `missing` are the options with which to give the inputs, by name.
    """
    is_own_fault = not missing or not may_be_caused_by_inputs(error)
    if not is_own_fault:
        notes.findings.clear()
    with session.separate_notes(notes):
        if is_own_fault:
            return failure(error, place)
        options = " ".join(missing.values())
        message = str(error) if isinstance(error, Fault) else f"{RAISES}{describe_error(error)}"
        reason = f"{message}, perhaps because of an input that is not given: give it with {options}"
        return session.unknown(reason, None, place_of(error) or place)


def may_be_caused_by_inputs(error: BaseException) -> bool:
    """Tell whether other inputs might avoid an exception: not a name that the program or a network lacks."""
    if isinstance(error, AttributeError):
        return not any(framework.is_network(getattr(error, "obj", None)) for framework in FRAMEWORKS)
    return not isinstance(error, NameError) or isinstance(error, UnboundLocalError)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The outcome of calling a network with assumed inputs."""

    call: Call | None
    error: BaseException | None
    place: Place
    notes: Notes
    facts: Facts

    @property
    def is_complete(self) -> bool:
        """Whether forward returned something known."""
        return self.error is None and self.call is not None and self.call.outputs is not None


def _with_assumed(
    network: Any, framework: Framework, candidates: list[list[conventions.Assumed]], session: Session
) -> Call | None:
    """Call a network with inputs that its signature and settings suggest, the likeliest first."""
    outcomes: list[_Outcome] = []
    facts = session.facts
    for assumed in candidates:
        session.replace_facts(facts)
        outcomes.append(_try_inputs(network, framework, assumed, session))
        if outcomes[-1].is_complete:
            break
    else:
        outcomes.sort(key=lambda outcome: (outcome.error is None, _called_modules(outcome.call, session)))
    best = outcomes[-1]
    session.replace_facts(best.facts)
    only = candidates[0][0] if len(candidates) == 1 and len(candidates[0]) == 1 else None
    is_asked = best.error is not None or session.states_requirements
    if best.call is not None and only is not None and not only.is_named and is_asked:
        subject = _Subject(network, framework, [], {}, session)
        missing = subject.missing({only.name: Kind.TENSOR})
        inferred = _infer(subject, missing)
        if inferred is not None and inferred.fits:
            if best.error is not None:
                return _run_inferred(subject, missing, inferred)
            best.call.requires = inferred.requires
    elif best.error is not None:
        subject = _Subject(network, framework, [], {}, session)
        missing, other = _settle_missing(subject)
        if other is not None and other.fits:
            for assumption in missing.assumptions:
                session.assume(assumption)
            return _run_inferred(subject, missing, other)
    if best.error is not None:
        unknown = _misfit_reason(best, [each.name for each in candidates[0]], session)
        if best.call is not None:
            best.call.stopped = unknown
    _add_notes(session, best.notes)
    return best.call


def _try_inputs(network: Any, framework: Framework, assumed: list[conventions.Assumed], session: Session) -> _Outcome:
    """Call a network with assumed inputs, and list them."""
    notes = Notes()
    with session.separate_notes(notes):
        kwargs = {each.name: framework.tensor(each.shape, each.dtype, each.name, each.number) for each in assumed}
        for each in assumed:
            shape = "x".join(map(str, each.shape)) or "()"
            filled = "" if each.number is None else f", filled with {each.number}"
            session.assume(f"the input {each.name} is {shape} {each.dtype}{filled}: {each.why}")
        call, error, place = _record_call(network, framework, [], kwargs, session, list(kwargs.values()))
    return _Outcome(call, error, place, notes, session.facts)


def _misfit_reason(outcome: _Outcome, names: Sequence[str], session: Session) -> Unknown:
    """Return why an assumed input stops forward: since we chose it, that is not a fault of the network."""
    error, notes = outcome.error, outcome.notes
    assert error is not None, "something stopped forward"
    notes.findings.clear()
    if not isinstance(error, Fault) and certain_failure(error) is not None:
        with session.separate_notes(notes):
            return failure(error, outcome.place)
    options = " ".join(f"--input {name}=SHAPE" for name in names)
    message = str(error) if isinstance(error, Fault) else describe_error(error)
    reason = f"the assumed input does not fit ({message}): give one with {options}"
    if notes.unknowns:
        reason = f"{RAISES}{message}, because of an unknown value or the assumed input"
    with session.separate_notes(notes):
        return session.unknown(reason, None, place_of(error) or outcome.place)


def _infer(subject: _Subject, missing: MissingInputs) -> Inferred | Rejected | None:
    """Return what running forward shows about the tensors that are missing."""
    network, framework, session = subject.network, subject.framework, subject.session
    available = budget.current().seconds_left() / 2
    if not missing.tensors or not available or not framework.is_solvable(network):
        return None
    from cutaway.interp.analysis.inputs import hints, inference  # late: needed only where inputs are missing
    from cutaway.solve.effort import Unsolved  # late: as above

    share = decisions().input_seconds
    seconds = min(max(share.left / share.networks, _LEAST_INPUT_SECONDS), available)
    heap = Heap([network, interpreter().modules])
    forward = target_errors.forward_signature(network, framework)[0]
    record = record_of(getattr(forward, "__func__", forward))
    descriptions = hints.descriptions(network, record, missing.tensors)
    started = time.process_time()

    def run_once(inputs: Mapping[str, Any]) -> tuple[Call | None, BaseException | None]:
        with _restored(heap):
            call, error, _ = subject.call(missing, inputs)
        if isinstance(error, (TypeError, AttributeError)) and "NoneType" in str(error):
            subject.none_errors.append(str(error))
        return call, error

    try:
        with budget.separate_budget(2 * seconds, within=True), suppress(Exhausted, Unsolved):
            return inference.infer(
                run_once, framework.tensor, descriptions, missing.integers, session, started + seconds
            )
    finally:
        share.left -= time.process_time() - started
    return None


@contextmanager
def _restored(heap: Heap) -> Iterator[None]:
    """Restore what forward changes."""
    try:
        yield
    finally:
        heap.restore()


def _run_inferred(subject: _Subject, missing: MissingInputs, inferred: Inferred) -> Call | None:
    """Call a network on the inputs that were inferred for it."""
    framework, session = subject.framework, subject.session
    tensors = {name: framework.tensor(shape, inferred.dtypes[name], name) for name, shape in inferred.shapes.items()}
    notes = Notes()
    before = dim.answer_with(inferred.size_answers.ask)
    try:
        with session.separate_notes(notes):
            call, error, place = subject.call(missing, tensors)
    finally:
        dim.answer_with(before)
    for name, shape in inferred.shapes.items():
        sizes = " x ".join(map(str, shape)) or "()"
        reason = inferred.reason or "forward accepts it, and no input was passed"
        session.assume(f"the input {name} is {sizes} {inferred.dtypes[name]}: {reason}", inferred.place)
    if inferred.size_answers.is_narrowed:
        session.assume(f"shown for {inferred.size_answers.describe()}: other sizes take other paths through forward")
    unknown = None if error is None else _stop_reason(error, place, missing.options, notes, session)
    _add_notes(session, notes)
    if call is not None:
        call.requires = _with_open_values(inferred.requires, missing)
        call.stopped = call.stopped if unknown is None else unknown
    return call


def _with_open_values(requires: Precondition, missing: MissingInputs) -> Precondition:
    """Note that operations may require something of the numbers and strings among the arguments."""
    if not missing.values:
        return requires
    notes = [Note(f"which values {name} may have is not determined") for name in missing.values]
    return replace(requires, exact=False, open=(*requires.open, *notes))


def _report_rejection(rejected: Rejected, notes: Notes) -> None:
    """Report that no input fits, with the one that gets the furthest."""
    shapes = ", ".join(f"{name} of {'x'.join(map(str, shape)) or '()'}" for name, shape in rejected.shapes.items())
    findings = list(notes.findings)
    notes.findings.clear()
    for finding in findings:
        message = f"no input fits: with {shapes}, {finding.message}"
        notes.findings[replace(finding, code=FaultCode.NO_INPUT_FITS, message=message)] = None


def _add_notes(session: Session, notes: Notes) -> None:
    """Add notes that were collected separately."""
    session.unknowns.update(notes.unknowns)
    session.add_assumptions(notes.assumptions)
    session.findings.update(notes.findings)
    session.doubts.update(notes.doubts)


def _called_modules(call: Call | None, session: Session) -> int:
    """Return how many modules were called within a call."""
    if call is None:
        return 0
    start = session.calls.index(call) + 1
    below = itertools.takewhile(lambda other: other.depth > call.depth, session.calls[start:])
    return 1 + sum(1 for _ in below)


def _split_arguments(arguments: Any) -> tuple[list[Any], dict[str, Any]]:
    if isinstance(arguments, dict):
        return [], arguments
    return list(arguments) if isinstance(arguments, (list, tuple)) else [arguments], {}


def _caller_frame(network: Any, framework: Framework) -> Frame:
    """Return the frame that a network is called from, placed where forward is defined."""
    forward = record_of(getattr(target_errors.forward_signature(network, framework)[0], "__func__", None))
    origin = (forward.place if forward else framework.origin(network)) or Place("<target>")
    frame = Frame({}, {}, origin.file, None, None)
    frame.line = origin.line
    return frame


def _omitted_arguments(
    network: Any, framework: Framework, args: list[Any], kwargs: dict[str, Any]
) -> tuple[Any, frozenset[str]] | None:
    """Return the code of forward, and which of its arguments are left at None; None where it has no source."""
    forward, signature = target_errors.forward_signature(network, framework)
    record = record_of(getattr(forward, "__func__", None))
    try:
        bound = signature.bind_partial(*args, **kwargs).arguments
    except TypeError:  # the call itself raises
        return None
    names = (n for n, parameter in signature.parameters.items() if parameter.default is None and n not in bound)
    return None if record is None else (record.code, frozenset(names))


def _record_call(
    network: Any,
    framework: Framework,
    args: list[Any],
    kwargs: dict[str, Any],
    session: Session,
    chosen: list[Any] | None = None,
) -> tuple[Call | None, BaseException | None, Place]:
    """Return the record of a call, the exception that ended it, and where forward is defined.

    `chosen` are the inputs that the user has not given.
    """
    first_call = len(session.calls)
    frame = _caller_frame(network, framework)
    stopped: BaseException | None = None
    reason: Unknown | None = None
    stack = interpreter().stack
    stack.append(frame)
    session.chosen_inputs = chosen
    try:
        session.conditions = {text: one for text, one in session.conditions.items() if one.kind != MODE}
        framework.prepare(network)
        decisions().start_call()
        session.spans[:] = [span for span in session.spans if span.operations[1] <= len(session.operations)]
        session.omitted_arguments = _omitted_arguments(network, framework, args, kwargs)
        with conditions_decided():
            framework.call(network, args, kwargs)
    except Restart:
        raise
    except StartOver as again:
        stopped = again
    except (Undecidable, Exhausted) as undecidable:
        reason = session.note(undecidable.unknown)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        stopped = error
    finally:
        stack.pop()
        session.omitted_arguments = session.chosen_inputs = None
        session.modules.clear()
    call = session.calls[first_call] if len(session.calls) > first_call else None
    if call is not None and call.outputs is None:
        call.stopped = reason
    return call, stopped, frame.place


def _given_arguments(network: Any, framework: Framework, inputs: Sequence[Input]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments that the user gives, and those that the network declares."""
    values, signature = target_errors.input_values(network, framework)

    def make(tensor: TensorInput, name: str) -> Any:
        return framework.tensor(tensor.shape, tensor.dtype, name)

    positional, named = values.arguments(inputs, make, SimpleNamespace)
    bound = signature.bind_partial(*positional, **named)
    for name, parameter in signature.parameters.items():
        if name in bound.arguments or parameter.default is not parameter.empty:
            continue
        declared = framework.declared(network, name)
        if declared is not None:
            named[name] = declared
    return positional, named


def _conventional_inputs(network: Any, framework: Framework) -> list[list[conventions.Assumed]]:
    """Return inputs that forward may be meant for, by its signature and the network's own settings."""
    forward, signature = target_errors.forward_signature(network, framework)
    record = record_of(getattr(forward, "__func__", forward))
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    if record is None or inspect.Parameter.POSITIONAL_ONLY in kinds:
        return []
    arguments = record.code.node.args
    annotations = {
        argument.arg: ast.unparse(argument.annotation)
        for argument in (*arguments.args, *arguments.kwonlyargs)
        if argument.annotation is not None
    }
    try:
        with budget.separate_budget(_SETTINGS_SECONDS):
            if any(framework.declared(network, name) is not None for name in signature.parameters):
                return []
            settings = framework.settings(network)
    except (Exception, Undecidable, Exhausted):  # it is noted when the network is described
        return []
    if settings is None:
        return []
    return conventions.assumed(signature.parameters, settings, framework.main_input(network), annotations)


_SETTINGS_SECONDS = 60.0
_LEAST_INPUT_SECONDS = 0.5
